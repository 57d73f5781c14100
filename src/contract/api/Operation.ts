/**
 * Declares endpoints by method and path, operations with access (also in the type), texts and examples, and groups of
 * operations.
 */
import { HttpApiEndpoint, HttpApiGroup, OpenApi, type HttpMethod } from "@effect/platform"
import { Context, Option, Schema } from "effect"
import { type Access, describeAccess, PermissionName } from "../../domain/Access.ts"
import { success, IdParam, idParam } from "./Envelope.ts"
import { matching } from "./RequestFields.ts"
import { NotFound, PayloadTooLarge, UnsupportedMediaType } from "./ErrorSchemas.ts"
import {
  AccountId,
  BeneficiaryId,
  ConfigId,
  EscrowId,
  KeyId,
  LinkId,
  PaymentId,
  TransactionId,
  UserId,
  ViewId,
  WebhookId
} from "../../domain/Ids.ts"

export class Needs extends Context.Tag("corridor/api/Needs")<Needs, Access>() {}

/** Marks an operation that moves money: it honours the header Idempotency-Key. */
export class MovesMoney extends Context.Tag("corridor/api/MovesMoney")<MovesMoney, true>() {}

/** Marks a list or a count of many records. A read replica may answer it. */
export class Lists extends Context.Tag("corridor/api/Lists")<Lists, true>() {}

/** Access that the body of a request requires, beyond the operation's own; undefined: none. */
type NeedsBeyond = (payload: Readonly<Record<string, unknown>>) => Access | undefined

export class AlsoNeeds extends Context.Tag("corridor/api/AlsoNeeds")<AlsoNeeds, NeedsBeyond>() {}

/** Marks a body that may also be a bare array. */
export class AcceptsArray extends Context.Tag("corridor/api/AcceptsArray")<AcceptsArray, true>() {}

declare const NeedsTypeId: unique symbol

/** Exported for the declarations of the client. */
export interface NeedsAccess<A extends Access> {
  readonly [NeedsTypeId]: A
}

/** Access in the type of an endpoint. An endpoint without one has no handler type. */
export type AccessOf<Endpoint> = Endpoint extends NeedsAccess<infer A> ? A : never

/** Several examples of one body, by name. */
export class Named {
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
  constructor(examples: Named["examples"]) {
    this.examples = examples
  }
}

/** Examples by summary. Code samples are made of the first. */
export const examples = (bySummary: Readonly<Record<string, unknown>>): Named =>
  new Named(
    Object.fromEntries(
      Object.entries(bySummary).map(([summary, value]) => [
        summary.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_"),
        { summary, value }
      ])
    )
  )

const endOf = (count: number, cursor: string) => ({
  meta: { count, has_more: false, [cursor]: null },
  [cursor]: null
})

/** The only page of a list. */
export const pageExample = (message: string, data: ReadonlyArray<unknown>) => ({
  ...success(message, data),
  ...endOf(data.length, "last_evaluated_key")
})

export const camelPageExample = (message: string, data: ReadonlyArray<unknown>) => ({
  ...success(message, data),
  ...endOf(data.length, "lastEvaluatedKey")
})

export const exampleTimes = { created_at: "2026-03-02T09:15:00.000Z", updated_at: "2026-03-02T09:15:00.000Z" }

export const CURSOR = "AZnCpAwRfSCPEDssHQ6fiA"

/** Adds examples of a page with more to come and of an empty list. */
const listExamples = (response: unknown): unknown => {
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
  /** By status, where a success has several. */
  readonly responses?: Readonly<Record<string, unknown>>
}

/** Changes the object and returns it. */
const setExamples = <A extends object>(operationObject: A, about: Examples): A => {
  const { requestBody, responses } = operationObject as OperationObject
  setExample(requestBody, about.request)
  for (const [status, response] of Object.entries(responses ?? {})) {
    if (status.startsWith("2")) setExample(response, about.responses?.[status] ?? about.response)
  }
  return operationObject
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  description:
    "Extension. The first answer to a key is kept for 24 hours, whether success or failure. The same body again gets that answer, with `Idempotent-Replayed: true`. A request that was rejected before anything was done is not kept. Another body, or a repetition while the first request is running: 409. A key counts for one operation on one object of one organisation."
}

type AnyEndpoint = HttpApiEndpoint.HttpApiEndpoint.Any

const withProps = (endpoint: AnyEndpoint) => endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

const withTexts = (endpoint: AnyEndpoint, { description, summary }: Texts) => {
  const props = withProps(endpoint)
  return (Option.isSome(props.payloadSchema) ? props.addError(PayloadTooLarge).addError(UnsupportedMediaType) : props)
    .annotate(OpenApi.Summary, summary)
    .annotate(OpenApi.Description, description)
}

interface Texts {
  readonly summary: string
  readonly description: string
}

interface About<A extends Access, E extends AnyEndpoint> extends Examples, Texts {
  readonly endpoint: E
  readonly access: A
  readonly alsoNeeds?: NeedsBeyond
  readonly movesMoney?: true
  readonly lists?: true
}

export const operation = <A extends Access, E extends AnyEndpoint>({
  access,
  alsoNeeds = () => undefined,
  description,
  lists,
  movesMoney,
  ...about
}: About<A, E>): E & NeedsAccess<A> => {
  const endpoint = withTexts(about.endpoint, {
    summary: about.summary,
    description: `${description}\n\n${describeAccess(access)}`
  })
    .annotate(Needs, access)
    .annotate(AlsoNeeds, alsoNeeds)
    .annotate(OpenApi.Transform, (operationObject) => {
      if (movesMoney === true) (operationObject as OperationObject).parameters?.push(idempotencyKey)
      return setExamples(operationObject, lists === true ? { ...about, response: listExamples(about.response) } : about)
    })
  const listing = lists === true ? endpoint.annotate(Lists, true) : endpoint
  return (movesMoney === true ? listing.annotate(MovesMoney, true) : listing) as unknown as E & NeedsAccess<A>
}

/** Marks an operation that is authenticated by a signature over the raw body. A separate route serves it. */
export class SignedCallback extends Context.Tag("corridor/api/SignedCallback")<SignedCallback, true>() {}

export const signedCallback = <E extends AnyEndpoint>(about: Examples & Texts & { readonly endpoint: E }): E =>
  withTexts(about.endpoint, about)
    .annotate(SignedCallback, true)
    // Overrides the document's default: no credential is needed.
    .annotate(OpenApi.Transform, (operationObject) => ({
      ...setExamples(operationObject, about),
      security: [{}]
    })) as unknown as E

type AnyOperations = ReadonlyArray<AnyEndpoint>

export const describedGroup = <const Id extends string, const Operations extends AnyOperations>(
  id: Id,
  title: string,
  description: string,
  operations: Operations
) => {
  const group: HttpApiGroup.HttpApiGroup<Id, AnyEndpoint, never> = HttpApiGroup.make(id)
    .annotate(OpenApi.Title, title)
    .annotate(OpenApi.Description, description)
  const all = operations.reduce((added, one) => added.add(one), group)
  return all as HttpApiGroup.HttpApiGroup<Id, Operations[number], never>
}

/** A group in which every operation may answer 404. */
export const apiGroup = <const Id extends string, const Operations extends AnyOperations>(
  id: Id,
  title: string,
  description: string,
  operations: Operations
) => describedGroup(id, title, description, operations).addError(NotFound)

const NAME = "^[a-z0-9][a-z0-9-]{0,62}$"

export const RuleName = Schema.String.pipe(
  Schema.pattern(new RegExp(NAME), {
    message: () => "is not a name of lower-case letters, digits and dashes, at most 63"
  })
).annotations({ jsonSchema: { type: "string", pattern: NAME, examples: ["five-a-day"] } })

/** A name means the same in every path. Others are declared by `setPath`. */
const pathParams = {
  account_id: idParam(AccountId),
  api_key_id: idParam(KeyId),
  beneficiary_id: idParam(BeneficiaryId),
  config_id: idParam(ConfigId),
  delivery_id: IdParam,
  entry_id: IdParam,
  escrow_id: idParam(EscrowId),
  invitation_id: IdParam,
  kyb_customer_id: matching(/^[\w.-]{1,255}$/, "is not the id of an application", "Id of the application"),
  link_id: idParam(LinkId),
  milestone_id: IdParam,
  /** Another organisation than the credential's own is 403, except for platform admins. */
  org_id: Schema.String,
  party_id: IdParam,
  payment_id: idParam(PaymentId),
  payout_id: IdParam,
  permission: PermissionName,
  platform_entry_id: IdParam,
  provider: Schema.String,
  request_id: IdParam,
  rule_name: RuleName,
  token: Schema.String,
  transaction_id: idParam(TransactionId),
  transfer_id: IdParam,
  user_id: idParam(UserId),
  view_id: idParam(ViewId),
  webhook_id: idParam(WebhookId)
}

type Known = typeof pathParams

type NamesIn<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | NamesIn<`/${More}`>
    : Rest
  : never

type PathOf<Name extends string> = [Name] extends [never]
  ? never
  : { readonly [Key in Name & keyof Known]: Schema.Schema.Type<Known[Key]> }

/** Does not compile for a path with a name that is not known. */
type IfKnown<Path extends string> = [NamesIn<Path>] extends [keyof Known] ? Path : never

const schemaOf = (path: string) =>
  Schema.Struct(
    Object.fromEntries(
      Array.from(path.matchAll(/:([a-z_]+)/g), ([, name]) => [name!, pathParams[name as keyof Known] as typeof IdParam])
    )
  )

type QueryOf<Fields extends Schema.Struct.Fields> = [Fields] extends [never]
  ? never
  : Schema.Schema.Type<Schema.Struct<Fields>>

/** `query`: parameters of the query. */
const endpoint =
  <Method extends HttpMethod.HttpMethod>(method: Method) =>
  <const Name extends string, const Path extends `/${string}`, Query extends Schema.Struct.Fields = never>(
    name: Name,
    path: Path & IfKnown<Path>,
    query?: Query
  ) => {
    const made = HttpApiEndpoint.make(method)(name, path)
    const withPath = path.includes(":") ? made.setPath(schemaOf(path)) : made
    const declared: unknown = query === undefined ? withPath : withPath.setUrlParams(Schema.Struct(query) as never)
    return declared as HttpApiEndpoint.HttpApiEndpoint<Name, Method, PathOf<NamesIn<Path>>, QueryOf<Query>>
  }

export const get = endpoint("GET")
export const post = endpoint("POST")
export const put = endpoint("PUT")
export const patch = endpoint("PATCH")
export const del = endpoint("DELETE")
