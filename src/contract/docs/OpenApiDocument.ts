/**
 * The part of OpenAPI 3.1 that the reference reads. It is wider than what `OpenApi.fromApi` emits, since annotations may
 * add examples, headers and references, and what `fromApi` returns fits it without a cast.
 */
export interface Reference {
  readonly $ref: string
}

export type SchemaNode = JsonSchema | boolean

export interface JsonSchema {
  readonly $id?: string
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly example?: unknown
  readonly examples?: ReadonlyArray<unknown>
  readonly enum?: ReadonlyArray<unknown>
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: SchemaNode | ReadonlyArray<SchemaNode>
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: SchemaNode
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
  readonly anyOf?: ReadonlyArray<SchemaNode>
  readonly oneOf?: ReadonlyArray<SchemaNode>
  readonly allOf?: ReadonlyArray<SchemaNode>
  readonly nullable?: boolean
  readonly deprecated?: boolean
}

export interface Example {
  readonly summary?: string
  readonly value?: unknown
}

interface WithExamples {
  readonly schema?: SchemaNode
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, Example | Reference>>
}

export interface MediaType extends WithExamples {}

export type Contents = Readonly<Record<string, MediaType>>

export interface Parameter extends WithExamples {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly deprecated?: boolean
}

export interface Header extends WithExamples {
  readonly description?: string
  readonly required?: boolean
}

export interface RequestBody {
  readonly description?: string
  readonly required?: boolean
  readonly content: Contents
}

export interface Response {
  readonly description?: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Contents
}

export interface Server {
  readonly url: string
  readonly description?: string
  readonly variables?: Readonly<Record<string, { readonly default: string }>>
}

export type SecurityRequirement = Readonly<Record<string, ReadonlyArray<string>>>

export interface Operation {
  readonly operationId?: string
  readonly tags?: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly parameters?: ReadonlyArray<Parameter | Reference>
  readonly requestBody?: RequestBody | Reference
  readonly responses?: Readonly<Record<string, Response | Reference>>
  readonly security?: ReadonlyArray<SecurityRequirement>
  readonly servers?: ReadonlyArray<Server>
}

export const methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"] as const
export type Method = (typeof methods)[number]

export type PathItem = { readonly [M in Method]?: Operation } & {
  readonly parameters?: ReadonlyArray<Parameter | Reference>
  readonly servers?: ReadonlyArray<Server>
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary?: string
    readonly description?: string
    readonly license?: { readonly name: string; readonly url?: string }
  }
  readonly servers?: ReadonlyArray<Server>
  readonly paths?: Readonly<Record<string, PathItem>>
  readonly components?: { readonly schemas?: Readonly<Record<string, SchemaNode>> }
  readonly security?: ReadonlyArray<SecurityRequirement>
  readonly tags?: ReadonlyArray<{ readonly name: string; readonly description?: string }>
}
