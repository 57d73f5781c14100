/** The parts of an OpenAPI document that the fuzzer reads. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly format?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly pattern?: string
  readonly examples?: ReadonlyArray<unknown>
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
}

interface MediaType {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export interface Media {
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly schema?: Schema
}

interface OperationObject {
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Media
  readonly responses: Readonly<Record<string, Media>>
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export interface Operation {
  /** Such as `POST /public/api-keys`. */
  readonly name: string
  readonly method: string
  /** With parameters in braces. */
  readonly path: string
  readonly about: OperationObject
}

export const PREFIX = "/v1"

export const operationsOf = (document: Document): ReadonlyArray<Operation> =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => {
      const upper = method.toUpperCase()
      return { name: `${upper} ${path}`, method: upper, path, about }
    })
  )

export const bodySchema = ({ about }: Operation): Schema | undefined =>
  about.requestBody?.content?.["application/json"]?.schema

export const bodyExamples = ({ about }: Operation): ReadonlyArray<unknown> => {
  const { example, examples } = about.requestBody?.content?.["application/json"] ?? {}
  return examples === undefined ? [example] : Object.values(examples).map(({ value }) => value)
}

/** Follows references and joins `allOf`. */
export const resolved = (document: Document, schema: Schema): Schema => {
  const name = schema.$ref?.replace("#/components/schemas/", "")
  const target = name === undefined ? {} : resolved(document, document.components.schemas[name] ?? {})
  const parts = (schema.allOf ?? []).map((part) => resolved(document, part))
  return Object.assign({}, target, ...parts, schema) as Schema
}

const isParameter = (segment: string): boolean => segment.startsWith("{")

/** Operation of a request: literal segments before parameters. */
export const operationAt = (
  operations: ReadonlyArray<Operation>,
  method: string,
  target: string
): Operation | undefined => {
  const [path = ""] = target.split("?", 1)
  if (!path.startsWith(`${PREFIX}/`)) return undefined
  const segments = path.slice(PREFIX.length).split("/")
  const fitting = operations.filter((operation) => {
    if (operation.method !== method) return false
    const wanted = operation.path.split("/")
    return (
      wanted.length === segments.length &&
      wanted.every((segment, at) => (isParameter(segment) ? segments[at] !== "" : segment === segments[at]))
    )
  })
  return fitting.toSorted((a, b) => a.path.split("{").length - b.path.split("{").length)[0]
}
