/** What the contract says of one operation: the access it needs (in its type too), its words and its examples. */
import { type HttpApiEndpoint, OpenApi } from "@effect/platform"
import { Context } from "effect"
import { type Access, describeAccess } from "../domain/Access.ts"

export class Needs extends Context.Tag("corridor/api/Needs")<Needs, Access>() {}

declare const NeedsTypeId: unique symbol

export interface NeedsAccess<A extends Access> {
  readonly [NeedsTypeId]: A
}

/** The access that an endpoint's type demands; an endpoint without one has no handler type at all. */
export type AccessOf<Endpoint> = Endpoint extends NeedsAccess<infer A> ? A : never

interface Media {
  content?: Record<string, { example?: unknown }>
}

interface OperationObject {
  requestBody?: Media
  responses?: Record<string, Media>
}

const setExample = (media: Media | undefined, example: unknown): void => {
  for (const content of Object.values(media?.content ?? {})) content.example = example
}

export const operation =
  <A extends Access>(about: {
    readonly access: A
    readonly summary: string
    readonly description: string
    readonly request?: unknown
    readonly response?: unknown
  }) =>
  <E extends HttpApiEndpoint.HttpApiEndpoint.Any>(endpoint: E): E & NeedsAccess<A> =>
    (endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps)
      .annotate(Needs, about.access)
      .annotate(OpenApi.Summary, about.summary)
      .annotate(OpenApi.Description, `${about.description}\n\n${describeAccess(about.access)}`)
      .annotate(OpenApi.Transform, (operationObject) => {
        const { requestBody, responses } = operationObject as OperationObject
        setExample(requestBody, about.request)
        for (const [status, response] of Object.entries(responses ?? {})) {
          if (status.startsWith("2")) setExample(response, about.response)
        }
        return operationObject
      }) as unknown as E & NeedsAccess<A>
