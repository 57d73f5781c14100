/** What the contract says of one operation: the access it needs (in its type too), its words and its examples. */
import { type HttpApiEndpoint, OpenApi } from "@effect/platform"
import { Context, Option } from "effect"
import { type Access, describeAccess } from "../../domain/Access.ts"
import { PayloadTooLarge, UnsupportedMediaType } from "./ErrorSchemas.ts"

export class Needs extends Context.Tag("corridor/api/Needs")<Needs, Access>() {}

/** Marks an operation that moves money: it honours the header Idempotency-Key. */
export class MovesMoney extends Context.Tag("corridor/api/MovesMoney")<MovesMoney, true>() {}

/** Marks a list or a count of many records, which decides nothing: a replica may answer it. */
export class Lists extends Context.Tag("corridor/api/Lists")<Lists, true>() {}

/** What a request needs, by its body, beyond its operation's access; undefined where it needs no more. */
export type NeedsBeyond = (payload: Readonly<Record<string, unknown>>) => Access | undefined

export class AlsoNeeds extends Context.Tag("corridor/api/AlsoNeeds")<AlsoNeeds, NeedsBeyond>() {}

/** Marks a body that may also be a bare array. */
export class AcceptsArray extends Context.Tag("corridor/api/AcceptsArray")<AcceptsArray, true>() {}

declare const NeedsTypeId: unique symbol

export interface NeedsAccess<A extends Access> {
  readonly [NeedsTypeId]: A
}

/** The access that an endpoint's type demands; an endpoint without one has no handler type at all. */
export type AccessOf<Endpoint> = Endpoint extends NeedsAccess<infer A> ? A : never

/** Several examples of one body, by name. */
export class Named {
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
  constructor(examples: Named["examples"]) {
    this.examples = examples
  }
}

/** The same by their summaries alone. Code samples are made of the first. */
export const examples = (bySummary: Readonly<Record<string, unknown>>): Named =>
  new Named(
    Object.fromEntries(
      Object.entries(bySummary).map(([summary, value]) => [
        summary.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_"),
        { summary, value }
      ])
    )
  )

export const CURSOR = "AZnCpAwRfSCPEDssHQ6fiA"

/** A list that has an end, one that goes on and one of nothing, from the first of them. */
const ofList = (response: unknown): unknown => {
  const page = response as { readonly data?: unknown; readonly meta?: object; readonly count?: number }
  if (response instanceof Named || !Array.isArray(page.data)) return response
  const { count, meta } = page
  const cursor = "last_evaluated_key" in page ? "last_evaluated_key" : "lastEvaluatedKey"
  const counts = meta !== undefined && "total_count" in meta
  return examples({
    "All of them": response,
    ...(meta === undefined
      ? {}
      : {
          "There are more": {
            ...page,
            meta: { ...meta, has_more: true, [cursor]: CURSOR, ...(counts ? { total_count: 61 } : {}) },
            [cursor]: CURSOR
          }
        }),
    "None are found": {
      ...page,
      data: [],
      ...(count === undefined ? {} : { count: 0 }),
      ...(meta === undefined ? {} : { meta: { ...meta, count: 0, ...(counts ? { total_count: 0 } : {}) } })
    }
  })
}

interface Media {
  content?: Record<string, { example?: unknown; examples?: unknown }>
}

interface OperationObject {
  parameters?: Array<unknown>
  requestBody?: Media
  responses?: Record<string, Media>
}

const setExample = (media: Media | undefined, example: unknown): void => {
  for (const content of Object.values(media?.content ?? {})) {
    if (example instanceof Named) content.examples = example.examples
    else content.example = example
  }
}

interface Examples {
  readonly request?: unknown
  readonly response?: unknown
  /** Where a success has several statuses, and each its own. */
  readonly responses?: Readonly<Record<string, unknown>>
}

/** Answers with the same object, which it has changed. */
export const setExamples = <A extends object>(operationObject: A, about: Examples): A => {
  const { requestBody, responses } = operationObject as OperationObject
  setExample(requestBody, about.request)
  for (const [status, response] of Object.entries(responses ?? {})) {
    if (status.startsWith("2")) setExample(response, about.responses?.[status] ?? about.response)
  }
  return operationObject
}

const refusingBodies = (endpoint: HttpApiEndpoint.HttpApiEndpoint.AnyWithProps) =>
  Option.isSome(endpoint.payloadSchema) ? endpoint.addError(PayloadTooLarge).addError(UnsupportedMediaType) : endpoint

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  description:
    "Extension. Sent again within 24 hours with the same body, the first answer comes back with `Idempotent-Replayed: true`, a success or a refusal (a refund that was declined, a 502); a refusal before anything was done is not kept. With another body, or while the first request is running, 409. A key counts for one operation on one object of one organisation."
}

const withProps = (endpoint: HttpApiEndpoint.HttpApiEndpoint.Any) =>
  endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

const needsNoMore: NeedsBeyond = () => undefined

interface Marks {
  readonly movesMoney?: true
  readonly lists?: true
}

const marked = (endpoint: HttpApiEndpoint.HttpApiEndpoint.Any, { lists, movesMoney }: Marks) => {
  const listing = lists === true ? withProps(endpoint).annotate(Lists, true) : withProps(endpoint)
  return movesMoney === true ? listing.annotate(MovesMoney, true) : listing
}

export const operation =
  <A extends Access>(
    about: Examples &
      Marks & {
        readonly access: A
        readonly summary: string
        readonly description: string
        readonly alsoNeeds?: NeedsBeyond
      }
  ) =>
  <E extends HttpApiEndpoint.HttpApiEndpoint.Any>(endpoint: E): E & NeedsAccess<A> =>
    refusingBodies(marked(endpoint, about))
      .annotate(Needs, about.access)
      .annotate(AlsoNeeds, about.alsoNeeds ?? needsNoMore)
      .annotate(OpenApi.Summary, about.summary)
      .annotate(OpenApi.Description, `${about.description}\n\n${describeAccess(about.access)}`)
      .annotate(OpenApi.Transform, (operationObject) => {
        const { parameters } = operationObject as OperationObject
        if (about.movesMoney === true) parameters?.push(idempotencyKey)
        return setExamples(
          operationObject,
          about.lists === true ? { ...about, response: ofList(about.response) } : about
        )
      }) as unknown as E & NeedsAccess<A>

/** Marks an operation that is authenticated by a signature over the raw body. A separate route serves it. */
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
