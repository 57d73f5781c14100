/** The fields of an object, those of objects inside of it behind a click. */
import { useState } from "preact/hooks"
import { schemaId } from "../document/Contents.ts"
import { shownValue } from "../document/ExactJson.ts"
import { alternatives, boundsOf, hasFields, insideOf, type Schemas, typeOf, withoutNull } from "../document/Schemas.ts"
import type { Schema } from "../document/Shape.ts"
import { Words } from "./Markdown.tsx"

interface Shown {
  readonly schemas: Schemas
  readonly schema: Schema
}

const Values = ({ values }: { readonly values: ReadonlyArray<unknown> }) => (
  <p class="values">
    {values.map((value) => (
      <code>{shownValue(value)}</code>
    ))}
  </p>
)

/** Drawn when it is opened for the first time: schemas hold each other without end. */
const Inside = ({ schema, schemas, title }: Shown & { readonly title: string }) => {
  const [opened, setOpened] = useState(false)
  return (
    <details onToggle={() => setOpened(true)}>
      <summary>{title}</summary>
      {opened && <SchemaFields schemas={schemas} schema={schema} />}
    </details>
  )
}

interface FieldProps extends Shown {
  readonly name: string
  readonly required: boolean
  readonly description?: string | undefined
}

export const Field = ({ description, name, required, schema, schemas }: FieldProps) => {
  const { schema: seen } = withoutNull(schemas, schema)
  const inside = insideOf(schemas, schema)
  const among = alternatives(schemas, inside.schema)
  const values = seen.enum ?? inside.schema.enum
  const said = description ?? seen.description
  const example = seen.examples?.[0]
  return (
    <li>
      <div class="field">
        <code class="name">{name}</code>
        <span class="type">{typeOf(schemas, schema)}</span>
        {required && <span class="required">required</span>}
        {boundsOf(seen).map((bound) => (
          <span class="bound">{bound}</span>
        ))}
      </div>
      {said !== undefined && (
        <p>
          <Words text={said} />
        </p>
      )}
      {values !== undefined && <Values values={values} />}
      {example !== undefined && values === undefined && (
        <p class="bound">
          for example <code>{shownValue(example)}</code>
        </p>
      )}
      {hasFields(inside.schema) && (
        <Inside schemas={schemas} schema={inside.schema} title={`Fields of ${inside.name ?? name}`} />
      )}
      {among.length > 1 && among.some((one) => hasFields(insideOf(schemas, one).schema)) && (
        <Inside schemas={schemas} schema={inside.schema} title={`Choices of ${name}`} />
      )}
    </li>
  )
}

/** Of a schema that is an object, or a choice of them, or a list of either; anything else is said in a line. */
export const SchemaFields = ({ schema, schemas }: Shown) => {
  const { name, schema: seen } = insideOf(schemas, schema)
  const among = alternatives(schemas, seen)
  if (among.length > 1) {
    return (
      <ul class="fields">
        {among.map((one, at) => {
          const inner = insideOf(schemas, one)
          return <Field schemas={schemas} schema={one} name={inner.name ?? `Choice ${at + 1}`} required={false} />
        })}
      </ul>
    )
  }
  if (!hasFields(seen)) {
    return (
      <ul class="fields">
        <Field schemas={schemas} schema={schema} name={name ?? "value"} required={false} />
      </ul>
    )
  }
  return (
    <ul class="fields">
      {Object.entries(seen.properties ?? {}).map(([field, inner]) => (
        <Field
          key={field}
          schemas={schemas}
          schema={inner}
          name={field}
          required={seen.required?.includes(field) === true}
        />
      ))}
    </ul>
  )
}

/** What a body is made of, by the name that it has among the models. */
export const BodyFields = ({ schema, schemas }: Shown) => {
  const { name } = insideOf(schemas, schema)
  return (
    <>
      {name !== undefined && (
        <p class="model">
          {schema.type === "array" ? "A list of " : ""}
          <a href={`#${schemaId(name)}`}>{name}</a>
        </p>
      )}
      <SchemaFields schemas={schemas} schema={schema} />
    </>
  )
}
