/** One operation or event: what it is at once, and its fields, samples and test request when a reader comes near. */
import { useState } from "preact/hooks"
import type { OperationEntry } from "../document/Contents.ts"
import type { Body, Parameter } from "../document/Shape.ts"
import type { Reference } from "../state/State.ts"
import { BodyFields, Field } from "./Fields.tsx"
import { Markdown, Words } from "./Markdown.tsx"
import { Method } from "./Method.tsx"
import { useNear } from "./Near.ts"
import { Samples } from "./Samples.tsx"
import { TestRequest } from "./TestRequest.tsx"

interface OperationProps {
  readonly reference: Reference
  readonly entry: OperationEntry
}

const places: ReadonlyArray<readonly [Parameter["in"], string]> = [
  ["path", "In the path"],
  ["query", "In the query"],
  ["header", "Headers"]
]

const schemaIn = (body: Body | undefined) => Object.values(body?.content ?? {})[0]?.schema

const Parameters = ({ entry, reference }: OperationProps) =>
  places.map(([place, title]) => {
    const parameters = entry.about.parameters?.filter((one) => one.in === place) ?? []
    return (
      parameters.length > 0 && (
        <>
          <h4>{title}</h4>
          <ul class="fields">
            {parameters.map(({ description, name, required = false, schema }) => (
              <Field
                key={name}
                schemas={reference.document.components.schemas}
                schema={schema}
                name={name}
                required={required}
                description={description}
              />
            ))}
          </ul>
        </>
      )
    )
  })

interface AnswerProps {
  readonly reference: Reference
  readonly status: string
  readonly response: Body
}

const Answer = ({ reference, response, status }: AnswerProps) => {
  const [opened, setOpened] = useState(false)
  const schema = schemaIn(response)
  return (
    <details class="response" onToggle={() => setOpened(true)}>
      <summary>
        <code class={status.startsWith("2") ? "good" : "bad"}>{status}</code>{" "}
        <span>
          <Words text={response.description ?? ""} />
        </span>
      </summary>
      {opened &&
        (schema === undefined ? (
          <p>No body.</p>
        ) : (
          <BodyFields schemas={reference.document.components.schemas} schema={schema} />
        ))}
    </details>
  )
}

const Details = ({ entry, reference }: OperationProps) => {
  const body = schemaIn(entry.about.requestBody)
  return (
    <>
      <Parameters reference={reference} entry={entry} />
      {body !== undefined && (
        <>
          <h4>{entry.kind === "event" ? "Payload" : "Body"}</h4>
          <BodyFields schemas={reference.document.components.schemas} schema={body} />
        </>
      )}
      {entry.kind === "operation" && (
        <>
          <h4>Answers</h4>
          {Object.entries(entry.about.responses).map(([status, response]) => (
            <Answer key={status} reference={reference} status={status} response={response} />
          ))}
        </>
      )}
    </>
  )
}

export const OperationSection = ({ entry, reference }: OperationProps) => {
  const [ref, near] = useNear()
  const [chosen, setChosen] = useState(0)
  const [testing, setTesting] = useState(false)
  return (
    <section id={entry.id} ref={ref} class={near ? "entry operation" : "entry operation far"} aria-label={entry.title}>
      <div class="told">
        <h3>
          <a href={`#${entry.id}`}>{entry.title}</a>
        </h3>
        <p class="address">
          <Method of={entry.method} /> <code>{entry.path}</code>
        </p>
        <Markdown text={entry.about.description ?? ""} />
        {near && <Details reference={reference} entry={entry} />}
      </div>
      <div class="samples">
        {entry.kind === "operation" && (
          <button type="button" class="main" onClick={() => setTesting(true)}>
            Test Request
          </button>
        )}
        {near && <Samples entry={entry} chosen={chosen} choose={setChosen} />}
      </div>
      {testing && <TestRequest reference={reference} entry={entry} chosen={chosen} close={() => setTesting(false)} />}
    </section>
  )
}
