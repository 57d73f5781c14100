/** Handlers of a feature: one function for each endpoint of its group, typed by the contract. */
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Effect, Context, identity } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { AccessOf } from "../../contract/api/Operation.ts"
import type { Access, Permit, Caller } from "../../domain/Access.ts"
import type { NewKey } from "../idempotency/IdempotencyStore.ts"
import type { Failure, Forbidden, RateLimited, Unauthorized } from "../../domain/Failure.ts"
import type { Stored } from "../database/DatabaseFailure.ts"
import type { IncomingMessage } from "node:http"
import type { OrgId } from "../../domain/Ids.ts"

type Part<Name extends string, A> = [A] extends [never] ? {} : { readonly [K in Name]: A }

/** The decoded request, and the proof that its caller may make it. */
type RequestOf<E extends HttpApiEndpoint.HttpApiEndpoint.Any> = Part<
  "path",
  HttpApiEndpoint.HttpApiEndpoint.PathParsed<E>
> &
  Part<"urlParams", HttpApiEndpoint.HttpApiEndpoint.UrlParams<E>> &
  Part<"payload", HttpApiEndpoint.HttpApiEndpoint.Payload<E>> & {
    readonly permit: Permit<AccessOf<E>>
    /** Asks for more than the endpoint as a whole needs, where the request's content demands it. */
    readonly elevate: <A extends Access>(access: A) => Effect.Effect<Permit<A>, Forbidden>
    /** The caller's idempotency key, for the operation to write down with what it does. */
    readonly idempotencyKey: NewKey | undefined
    readonly route: string
  }

/** A success with a status or headers of its own. */
export class Reply<A> {
  readonly status: number
  readonly body: A
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, body: A, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** Answers with the success envelope; `view` turns the result into what the API shows. */
export const answer = <A, E, R, B = A>(
  message: string,
  result: Effect.Effect<A, E, R>,
  view: (result: A) => B = identity as (result: A) => B
) => Effect.map(result, (data) => success(message, view(data)))

type ItemOf<Body> = Body extends { readonly data: ReadonlyArray<infer Item> } ? Item : never

/** A list without pages: fetched, encoded and written a batch at a time. `count` follows the items. */
export class WholeList<Item> {
  /** Stand before `data`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The next items after this one, or the first; fewer than asked for only at the end. */
  readonly fetch: (after: Item | undefined, take: number) => Stored<ReadonlyArray<Item>>
  constructor(fields: WholeList<Item>["fields"], fetch: WholeList<Item>["fetch"]) {
    this.fields = fields
    this.fetch = fetch
  }
}

type Handler<E extends HttpApiEndpoint.HttpApiEndpoint.Any> = (
  request: RequestOf<E>
) => Effect.Effect<
  | HttpApiEndpoint.HttpApiEndpoint.Success<E>
  | Reply<HttpApiEndpoint.HttpApiEndpoint.Success<E>>
  | WholeList<ItemOf<HttpApiEndpoint.HttpApiEndpoint.Success<E>>>,
  Failure
>

type EndpointNamed<Endpoints, Name> = Extract<Endpoints, { readonly name: Name }>

/** A signed callback needs no access, and so has no handler here. */
type HandledName<Endpoints, Name> = [AccessOf<EndpointNamed<Endpoints, Name>>] extends [never] ? never : Name

export type Handlers<Group extends HttpApiGroup.HttpApiGroup.Any> = {
  readonly [
    Name in HttpApiEndpoint.HttpApiEndpoint.Name<HttpApiGroup.HttpApiGroup.Endpoints<Group>> as HandledName<
      HttpApiGroup.HttpApiGroup.Endpoints<Group>,
      Name
    >
  ]: Handler<EndpointNamed<HttpApiGroup.HttpApiGroup.Endpoints<Group>, Name>>
}

type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups, infer _E, infer _R> ? Groups : never

/** Every group of the contract with its handlers; one left out does not compile. */
export type Implementation<Api> = {
  readonly [Group in GroupsOf<Api> as HttpApiGroup.HttpApiGroup.Name<Group>]: Handlers<Group>
}

/** Authenticates every request and checks its rate limit. Provided by the layer `people`. */
export class Gate extends Context.Tag("corridor/Gate")<
  Gate,
  {
    readonly admit: (request: IncomingMessage) => Stored<Caller, Unauthorized | RateLimited>
    /** For platform admins, who may name any organisation. */
    readonly organizationExists: (orgId: OrgId) => Stored<boolean>
  }
>() {}
