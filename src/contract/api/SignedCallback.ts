/** Marks an operation that is authenticated by a signature over the raw body. A separate route serves it. */
import { type HttpApiEndpoint, OpenApi } from "@effect/platform"
import { Context } from "effect"
import { PayloadTooLarge, UnsupportedMediaType } from "./Errors.ts"
import { setExamples } from "./Operation.ts"

export class SignedCallback extends Context.Tag("corridor/api/SignedCallback")<SignedCallback, true>() {}

/** Overrides the document's default: no credential is needed. */
const withoutCredential: ReadonlyArray<object> = [{}]

export const signedCallback =
  (about: {
    readonly summary: string
    readonly description: string
    readonly request: unknown
    readonly response: unknown
  }) =>
  <E extends HttpApiEndpoint.HttpApiEndpoint.Any>(endpoint: E): E =>
    (endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps)
      .addError(PayloadTooLarge)
      .addError(UnsupportedMediaType)
      .annotate(SignedCallback, true)
      .annotate(OpenApi.Summary, about.summary)
      .annotate(OpenApi.Description, about.description)
      .annotate(OpenApi.Transform, (operation) => ({
        ...setExamples(operation, about),
        security: withoutCredential
      })) as unknown as E
