/** The parts of an OpenAPI document that the API reference and the generators of the clients read. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly examples?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

export interface Media {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}

export interface Body {
  readonly description?: string
  readonly required?: boolean
  readonly content?: Readonly<Record<string, Media>>
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

export interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  readonly security?: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
  readonly "x-codeSamples"?: ReadonlyArray<{ readonly label: string; readonly source: string }>
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Paths
  readonly webhooks: Paths
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: Readonly<Record<string, { readonly name: string; readonly description: string }>>
  }
}
