/**
 * Interprets the endpoints of the contract on Node's own requests: authenticates, reads and decodes the request, checks
 * access, then calls the handler. Decoders and encoders are compiled once in a process.
 */
import { HttpApiSchema, type HttpApiEndpoint, HttpApi } from "@effect/platform"
import { Context, Duration, Effect, Either, Option, Predicate, type Schema, SchemaAST } from "effect"
import { AccountId, EscrowId, OrgId, PaymentId, idOrNil, nilUuid } from "../../domain/Ids.ts"
import { AcceptsArray, AlsoNeeds, Lists, MovesMoney, Needs, SignedCallback } from "../../contract/api/Operation.ts"
import { Gate, Reply, WholeList, type Implementation } from "./Handlers.ts"
import { compileDecoder, compileEncoder } from "../schema/CompiledSchema.ts"
import { type Access, authorize, type Caller, type Permit } from "../../domain/Access.ts"
import { type Failure, Invalid, notFound, RateLimited, TooLarge, isDatabaseFailure } from "../../domain/Failure.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import {
  largeBodyBytes,
  largeBodyPause,
  listsAtOnce,
  listsQueued,
  wholeListBatch,
  wholeListRetryAfter
} from "../../domain/policies/ServerPolicies.ts"
import { type NewKey, Owners, type KeyName } from "../idempotency/IdempotencyStore.ts"
import { Replica } from "../database/Replica.ts"
import { makeKeyedQueues } from "../fibers/KeyedLocks.ts"
import { isInitiationPath } from "../../contract/api/ErrorSchemas.ts"
import { parseJsonText } from "./RequestJson.ts"
import { validationMessage } from "../../domain/ValidationMessage.ts"
import {
  empty,
  json,
  jsonHeaders,
  type Outgoing,
  Streamed,
  noteAnswer,
  noteParams,
  type RequestNote,
  type Incoming,
  type Route,
  failureReply
} from "./Route.ts"
import { checkContentType, decodeUtf8, readPlainBody } from "./RequestBody.ts"
import type { Stored } from "../database/DatabaseFailure.ts"
import { Primary } from "../database/PrimaryFence.ts"
import { makeRunDetached } from "../fibers/Shutdown.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import * as FindMyWay from "find-my-way-ts"
import { Api } from "../../contract/api/Api.ts"

const replayed = { "content-type": "application/json", "idempotent-replayed": "true" }

/**
 * Honours the header Idempotency-Key around an operation that moves money. One for all routes, in the scope of their
 * server: requests that began are waited for before the services end.
 */
const makeIdempotent = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const runDetached = yield* makeRunDetached

  const keep = (key: NewKey, { body, status }: Outgoing) => idempotency.keep(key, status, String(body))

  return Effect.fnUntraced(function* (
    name: KeyName,
    path: string,
    body: unknown,
    answer: (key: NewKey) => Effect.Effect<Outgoing, Failure>
  ) {
    const { changes } = yield* Primary
    const before = changes()
    const begun = yield* idempotency.begin(name, body)
    if (begun._tag === "Replay") return { status: begun.status, headers: replayed, body: begun.response }
    const { key } = begun
    // A refusal after work was done is kept as the key's answer too. It is kept even if the caller hung up.
    return yield* runDetached(
      answer(key).pipe(
        Effect.tap((outgoing) => keep(key, outgoing)),
        // A refusal that a change of the primary may have caused becomes 503, and is no answer for the key.
        Effect.tapError((failure) =>
          isDatabaseFailure(failure) || changes() !== before ? Effect.void : keep(key, failureReply(failure, path))
        )
      )
    )
  })
})

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
type AnyHandler = (request: Record<string, unknown>) => Effect.Effect<unknown, Failure>

const invalid = (message: string): Invalid => new Invalid({ message: `${message}.` })

const decoder = (schema: Option.Option<Schema.Schema.Any>) =>
  Option.match(schema, {
    onNone: () => (_: unknown) => Effect.succeed<unknown>(undefined),
    onSome: (some) => {
      const decode = compileDecoder(some as Schema.Schema<unknown>, { errors: "all" })
      return (input: unknown) => Either.mapLeft(decode(input), (issue) => invalid(validationMessage(issue)))
    }
  })

/**
 * Parses one large body of an organisation at a time, each in a turn of the event loop of its own: many at once would hold
 * it for seconds.
 */
const makeBodyTurns = () => {
  const lines = makeKeyedQueues(1)
  return (owner: string, size: number) =>
    <A, E>(parse: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      size <= largeBodyBytes ? parse : lines(owner, ({ permits }) => permits.use(Effect.delay(parse, largeBodyPause)))
}

const ownerOf = ({ organization }: Caller): string =>
  Option.match(organization, { onNone: () => "", onSome: ({ orgId }) => orgId })

const readJson = Effect.fnUntraced(function* ({ request }: Incoming, { bodyTurns }: Served, caller: Caller) {
  const body = yield* readPlainBody(request).pipe(
    Effect.catchTags({
      BodyTooLarge: ({ closeConnection, limit }) =>
        new TooLarge({ message: `The body is larger than ${limit / 1024} KiB.`, closeConnection }),
      BodyAborted: () => Effect.interrupt
    })
  )
  if (body.length === 0) return {}
  yield* Either.mapLeft(checkContentType(request.headers), invalid)
  const text = yield* Either.mapLeft(decodeUtf8(body), invalid)
  const parse = Effect.suspend(() => Either.mapLeft(parseJsonText(text), ({ message }) => new Invalid({ message })))
  return yield* bodyTurns(ownerOf(caller), body.length)(parse)
})

const isObject = Predicate.isReadonlyRecord

/** Checks the query before its schema does. A misspelled filter must not be answered with records that it did not select. */
const queryProblem = ({ listParams }: Compiled, query: Incoming["query"]): string | undefined => {
  const unknown = listParams && Object.keys(query).find((name) => !listParams.has(name))
  if (unknown !== undefined) {
    const shown = unknown.length > 64 ? `${unknown.slice(0, 64)}…` : unknown
    return `${shown}: is no parameter of this list, which takes ${[...listParams!].join(", ")}`
  }
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== "string") return `${name}: is given more than once`
    // PostgreSQL cannot hold it, and no value of ours has it.
    if (value.includes("\0")) return `${name}: contains a NUL character`
  }
  return undefined
}

/** Parameters of every list. */
const COMMON_PARAMS = ["org_id", "user_id"]

const fieldsOf = ({ ast }: Schema.Schema.Any) => SchemaAST.getPropertySignatures(SchemaAST.encodedAST(ast))

/**
 * The parameters of a list, which answers with an array of records or a report about many. Undefined for other
 * operations, which ignore unknown parameters.
 */
const listParams = (endpoint: Endpoint): ReadonlySet<string> | undefined => {
  const hasData = fieldsOf(endpoint.successSchema).some(
    ({ name, type }) => name === "data" && type._tag === "TupleType"
  )
  if (!has(endpoint, Lists) && !(endpoint.method === "GET" && hasData)) return undefined
  const declared = Option.match(endpoint.urlParamsSchema, { onNone: () => [], onSome: fieldsOf })
  return new Set([...declared.map(({ name }) => String(name)), ...COMMON_PARAMS])
}

const has = <Id, Value>({ annotations }: Endpoint, tag: Context.Tag<Id, Value>): boolean =>
  Option.isSome(Context.getOption(annotations, tag))

const compileEndpoint = (group: string, endpoint: Endpoint, status: number) => ({
  group,
  endpoint,
  status,
  access: Context.get(endpoint.annotations as Context.Context<Needs>, Needs),
  alsoNeeds: Context.get(endpoint.annotations as Context.Context<AlsoNeeds>, AlsoNeeds),
  movesMoney: has(endpoint, MovesMoney),
  lists: has(endpoint, Lists),
  acceptsArray: has(endpoint, AcceptsArray),
  listParams: listParams(endpoint),
  decodePath: decoder(endpoint.pathSchema),
  decodeQuery: decoder(endpoint.urlParamsSchema),
  decodePayload: decoder(endpoint.payloadSchema),
  hasPayload: Option.isSome(endpoint.payloadSchema),
  encode: compileEncoder(endpoint.successSchema as Schema.Schema<unknown>),
  hasContent: !HttpApiSchema.isVoid(endpoint.successSchema.ast),
  initiates: isInitiationPath(endpoint.path)
})

type Compiled = ReturnType<typeof compileEndpoint>

const busyLists = new RateLimited({
  message: "Too many lists of this organisation are being read. Send this again, and ask for fewer at a time.",
  retryAfterSeconds: Duration.toSeconds(wholeListRetryAfter)
})

/**
 * Lets an organisation read a few lists at once, and queues its further ones. Without it, one tenant's burst of large pages
 * takes the event loop and the database from all others.
 */
const makeListTurns = () => {
  const lines = makeKeyedQueues(listsAtOnce)
  return (owner: string) =>
    <A, E, R>(list: Effect.Effect<A, E, R>): Effect.Effect<A, E | RateLimited, R> =>
      lines<A, E | RateLimited, R>(owner, ({ permits, size }) =>
        size > listsAtOnce + listsQueued ? busyLists : permits.use(list)
      )
}

const endpointServices = Effect.all({
  gate: Gate,
  once: makeIdempotent,
  owners: Owners,
  replica: Replica,
  listTurns: Effect.sync(makeListTurns),
  bodyTurns: Effect.sync(makeBodyTurns)
})

/** An endpoint with its services and handler. */
interface Served extends Compiled, Effect.Effect.Success<typeof endpointServices> {
  readonly handler: AnyHandler
}

/** Method and path with its parameters: one text for each object that the operation is done to. */
const operationOf = ({ endpoint }: Compiled, path: unknown): string => {
  const named = isObject(path) ? path : {}
  return `${endpoint.method} ${endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(named[name])))}`
}

/** The organisations that a request names, the one that counts first. An initiation belongs to its credential's. */
const selectorsOf = (
  { initiates }: Compiled,
  { admin }: Caller,
  { params, query }: Incoming,
  body: unknown
): ReadonlyArray<OrgId> => {
  const inBody = isObject(body) && (admin || !initiates) ? body["org_id"] : undefined
  return [params["org_id"], query["org_id"], inBody].flatMap((named) =>
    typeof named === "string" ? [idOrNil(OrgId)(named)] : []
  )
}

const permitFor = Effect.fnUntraced(function* (
  { access, gate }: Served,
  caller: Caller,
  [first, ...others]: ReadonlyArray<OrgId>
) {
  const selector = Option.fromNullable(first)
  const permit = yield* authorize(caller, access, selector)
  for (const other of others) yield* authorize(caller, access, Option.some(other))
  if (caller.admin && Option.isSome(selector) && !(yield* gate.organizationExists(selector.value))) {
    return yield* notFound("organisation")
  }
  return permit
})

/** An idempotency key belongs to the organisation of the object that the request names. */
const keyOwner = (
  { owners }: Served,
  { scope }: Permit<Access>,
  named: Readonly<Record<string, unknown>>
): Stored<Option.Option<OrgId>> => {
  if (Option.isSome(scope)) return Effect.succeed(scope)
  const text = (...names: ReadonlyArray<string>): string =>
    names.map((name) => named[name]).find((value) => typeof value === "string") ?? ""
  return owners.ownerOf({
    payment_id: idOrNil(PaymentId)(text("payment_id")),
    account_id: idOrNil(AccountId)(text("account_id", "from_account_id")),
    escrow_id: idOrNil(EscrowId)(text("escrow_id"))
  })
}

const toOutgoing = ({ encode, hasContent, status }: Compiled, result: unknown, note: RequestNote): Outgoing => {
  const reply = result instanceof Reply ? result : new Reply(status, result)
  noteAnswer(note, reply.body)
  return hasContent ? json(reply.status, encode(reply.body), reply.headers) : empty(reply.status, reply.headers)
}

/** A list that one batch holds is answered as any other; of a longer one each further batch waits for its reader. */
const wholeList = Effect.fnUntraced(function* (
  served: Served,
  { fetch, fields }: WholeList<unknown>,
  note: RequestNote,
  { scope }: Permit<Access>
) {
  const fetched = (after: unknown) => {
    const batch = fetch(after, wholeListBatch)
    return served.lists ? served.replica.reads(batch) : batch
  }
  const bodyOf = (data: ReadonlyArray<unknown>, count: number) => ({ ...fields, data, count })
  const first = yield* fetched(undefined)
  if (first.length < wholeListBatch) return toOutgoing(served, bodyOf(first, first.length), note)
  const itemsOf = (data: ReadonlyArray<unknown>) => {
    const encoded = served.encode(bodyOf(data, data.length)) as { readonly data: ReadonlyArray<unknown> }
    return stringifyWire(encoded.data).slice(1, -1)
  }
  const opening = stringifyWire({ ...fields, data: [] }).slice(0, -2)
  let last: ReadonlyArray<unknown> = first
  let count = 0
  let isOver = false
  const next = Effect.gen(function* () {
    if (isOver) return undefined
    const batch = count === 0 ? first : yield* fetched(last.at(-1))
    const before = count === 0 ? opening : batch.length === 0 ? "" : ","
    last = batch
    count += batch.length
    isOver = batch.length < wholeListBatch
    return `${before}${itemsOf(batch)}${isOver ? `],"count":${count}}` : ""}`
  })
  return {
    status: served.status,
    headers: jsonHeaders,
    body: new Streamed(
      Option.getOrElse(scope, () => ""),
      next
    )
  }
})

const answered = Effect.fnUntraced(function* (served: Served, incoming: Incoming) {
  const { acceptsArray, endpoint, gate, handler, hasPayload, lists, movesMoney, once, replica } = served
  const { note } = incoming
  const caller = (note.caller = yield* gate.admit(incoming.request))
  noteParams(note, incoming.params)
  const body = hasPayload ? yield* readJson(incoming, served, caller) : undefined
  if (hasPayload && !isObject(body) && !(acceptsArray && Array.isArray(body))) {
    return yield* invalid("The body must be a JSON object")
  }
  const selectors = selectorsOf(served, caller, incoming, body)
  const permit = yield* permitFor(served, caller, selectors)
  note.org = permit.scope
  const elevate = (more: Access) => authorize(caller, more, Option.fromNullable(selectors[0]))
  const problem = queryProblem(served, incoming.query)
  if (problem !== undefined) return yield* invalid(problem)
  const path = yield* served.decodePath(incoming.params)
  const urlParams = yield* served.decodeQuery(incoming.query)
  const payload = yield* served.decodePayload(body)
  const beyond = isObject(payload) ? served.alsoNeeds(payload) : undefined
  if (beyond !== undefined) yield* elevate(beyond)
  const request = { permit, elevate, path, urlParams, payload, route: endpoint.path }
  const handled = (idempotencyKey?: NewKey) => handler({ idempotencyKey, ...request })
  const inTurn =
    served.listParams === undefined
      ? <A, E, R>(list: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => list
      : served.listTurns(Option.getOrElse(permit.scope, () => ""))
  const answer = (idempotencyKey?: NewKey) =>
    inTurn(
      Effect.flatMap(
        lists ? replica.reads(handled(idempotencyKey)) : handled(idempotencyKey),
        (result): Stored<Outgoing> =>
          result instanceof WholeList
            ? wholeList(served, result, note, permit)
            : Effect.succeed(toOutgoing(served, result, note))
      )
    )
  const key = incoming.request.headers["idempotency-key"]
  if (!movesMoney || typeof key !== "string") return yield* answer()
  const named = { ...(isObject(payload) ? payload : {}), ...(isObject(path) ? path : {}) }
  const owner = yield* keyOwner(served, permit, named)
  const name = { org_id: Option.getOrElse(owner, () => nilUuid), operation: operationOf(served, path), key }
  // Without an owner there is nothing to do and no key to keep.
  return yield* once(name, endpoint.path, body, (claimed) => answer(Option.isSome(owner) ? claimed : undefined))
})

const compiledEndpoints: Array<Compiled> = []

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, successes }) => {
    const any = endpoint as unknown as Endpoint
    const [status = 200] = successes.keys()
    if (!has(any, SignedCallback)) compiledEndpoints.push(compileEndpoint(group.identifier, any, status))
  }
})

type AnyHandlers = Readonly<Record<string, Readonly<Record<string, AnyHandler>>>>

/** Routes of all endpoints of the contract. */
export const apiRoutes = (implementation: Implementation<typeof Api>) =>
  Effect.map(endpointServices, (services) =>
    compiledEndpoints.map((compiled): Route => {
      const { method, name, path } = compiled.endpoint
      const handler = (implementation as unknown as AnyHandlers)[compiled.group]![name]!
      const served = { ...compiled, ...services, handler }
      return { method, path, handle: (incoming) => answered(served, incoming) }
    })
  )

export const routerOf = (routes: ReadonlyArray<Route>): FindMyWay.Router<Route> => {
  // One spelling for every path: see Target.
  const exact = { caseSensitive: true, ignoreDuplicateSlashes: false, ignoreTrailingSlash: false }
  const router = FindMyWay.make<Route>({ ...exact, maxParamLength: 200 })
  for (const route of routes) router.on(route.method, route.path, route)
  return router
}
