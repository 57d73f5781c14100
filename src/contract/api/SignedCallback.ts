/**
 * An operation whose callers hold no credential of ours: they prove themselves by a signature over the raw bytes. The
 * contract tells of it like of any other; a route of its own serves it, beside those that the contract's interpreter makes.
 */
import { type HttpApiEndpoint, OpenApi } from "@effect/platform"
import { Context } from "effect"
import { PayloadTooLarge, UnsupportedMediaType } from "./Errors.ts"
import { setExamples } from "./Operation.ts"

export class SignedCallback extends Context.Tag("corridor/api/SignedCallback")<SignedCallback, true>() {}

/** The empty requirement says that no credential is needed, which the document's own two would otherwise be. */
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
