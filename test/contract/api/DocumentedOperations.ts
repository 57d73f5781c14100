/** Every operation of the contract beside its place in the OpenAPI document. */
import { HttpApi, type HttpApiEndpoint } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { Api } from "../../../src/contract/api/Api.ts"
import { bodyOf, send } from "../../support/Send.ts"

export interface Media {
  readonly content?: Readonly<Record<string, Exemplified>>
}

interface Exemplified {
  readonly schema?: unknown
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

/** All examples of a body, whether it has one or several by name. */
export const examplesOf = (media: Media | undefined): ReadonlyArray<unknown> =>
  Object.values(media?.content ?? {}).flatMap(({ example, examples }) =>
    examples === undefined ? [example] : Object.values(examples).map(({ value }) => value)
  )

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
}

export interface OperationObject {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly security?: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Media
  readonly responses: Readonly<Record<string, Media>>
}

export interface Document {
  readonly openapi: string
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly components: Readonly<Record<string, unknown>>
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
}

export interface Operation {
  /** Such as `POST /public/api-keys`. */
  readonly name: string
  readonly method: string
  /** Path in the document, with its parameters in braces. */
  readonly path: string
  readonly about: OperationObject
}

export const fetchDocument = Effect.map(send("/openapi.json"), (answer) => bodyOf(answer) as Document)

export const operationsOf = (document: Document): ReadonlyArray<Operation> =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => {
      const upper = method.toUpperCase()
      return { name: `${upper} ${path}`, method: upper, path, about }
    })
  )

interface Schemas {
  readonly payload: Option.Option<Schema.Schema<unknown>>
  /** Schemas by status; a success without content has no schema. */
  readonly successes: ReadonlyMap<number, Option.Option<Schema.Schema<unknown>>>
}

/** Operations by name. */
export const schemas: ReadonlyMap<string, Schemas> = (() => {
  const all = new Map<string, Schemas>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, successes }) => {
      const { method, path, payloadSchema } = endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
      const name = `${method} ${path.replace(/^\/v1/, "").replace(/:(\w+)/g, "{$1}")}`
      const found = Array.from(
        successes,
        ([status, { ast }]) => [status, Option.map(ast, (one) => Schema.make<unknown, unknown, never>(one))] as const
      )
      all.set(name, {
        payload: payloadSchema as Option.Option<Schema.Schema<unknown>>,
        successes: new Map(found)
      })
    }
  })
  return all
})()
