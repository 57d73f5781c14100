/** Client of the public API. Operations, requests and answers are typed by the contract. */
import { LosslessNumber, parse, stringify } from "lossless-json"
import { type CallOptions as ClientOptions, CorridorError, createCorridor } from "../../client/PromiseClient.ts"
import type { RequestParts } from "../../client/RequestRules.ts"
import type { Operations } from "../../client/WireTypes.ts"
import { type Credential, credential, signOut } from "./TabCredential.ts"
import type { Amount } from "./Amount.ts"
import { answeredStatus, type ListPage, LONGEST_WAIT, Problem, readAllPages } from "./ApiResponse.ts"
import { renew, renewIfDue } from "./ProviderSignIn.ts"

type AllOperations = Operations<Amount>
export type Group = keyof AllOperations & string
export type Name<G extends Group> = keyof AllOperations[G] & string

type Declared<G extends Group, N extends Name<G>> = Extract<AllOperations[G][N], { request: unknown; answer: unknown }>
export type Request<G extends Group, N extends Name<G>> = Declared<G, N>["request"]
export type Answer<G extends Group, N extends Name<G>> = Declared<G, N>["answer"]
/** Item of a list. */
export type Item<G extends Group, N extends Name<G>> =
  Answer<G, N> extends { readonly data: ReadonlyArray<infer A> } ? A : never

interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Idempotency key of one action, so that a second click does not repeat it. */
  readonly key?: string | undefined
  /** Credential to try instead of the stored one; a 401 does not sign out. */
  readonly as?: Credential | undefined
}

/** The console and the API are served below the same path. */
const root = new URL(".", document.baseURI).href.replace(/\/$/, "")

/** Fields that are proportions. Other numbers with a fraction are money or rates, and stay exact. */
const proportions = new Set(["share", "success_rate"])

const json = {
  parse: (text: string): unknown =>
    parse(
      text,
      (key, value) => (proportions.has(key) && value instanceof LosslessNumber ? Number(value.value) : value),
      (digits) => (/^-?\d+$/.test(digits) ? Number(digits) : new LosslessNumber(digits))
    ),
  stringify: (value: unknown) => stringify(value)
}

/** Browsers have `crypto.randomUUID` on HTTPS pages and on localhost only. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

type AnyCall = (request: RequestParts, options: ClientOptions) => Promise<unknown>

const clientOf = ({ kind, secret }: Credential) =>
  createCorridor({
    url: root,
    ...(kind === "api_key" ? { apiKey: secret } : { token: secret }),
    retries: 1,
    longestWait: LONGEST_WAIT,
    json
  }) as unknown as Readonly<Record<string, Readonly<Record<string, AnyCall>>>>

const problemOf = (error: unknown): unknown => {
  if (!(error instanceof CorridorError)) return error
  const status = answeredStatus(error)
  return new Problem(status, status === 0 ? "Check your connection, then try again." : error.message)
}

const isUnauthorized = (error: unknown): boolean => error instanceof CorridorError && error.status === 401

/** After the sign-out; it is refused. */
const none: Credential = { kind: "api_key", secret: "NONE" }

/** A 401 had no effect, so the request is repeated with a renewed token. */
const sendSignedIn = async <A>(send: (by: Credential) => Promise<A>): Promise<A> => {
  await renewIfDue()
  const sender = credential.value
  try {
    return await send(sender ?? none).catch(async (error: unknown) => {
      if (!isUnauthorized(error) || (credential.value === sender && !(await renew()))) throw error
      return send(credential.value ?? none)
    })
  } catch (error) {
    if (isUnauthorized(error)) signOut("Your session has ended. Sign in again.")
    throw error
  }
}

export const call = async <G extends Group, N extends Name<G>>(
  group: G,
  name: N,
  request: Request<G, N>,
  { as, key = newIdempotencyKey(), signal }: CallOptions = {}
): Promise<Answer<G, N>> => {
  const { urlParams = {}, ...parts } = request as RequestParts
  const given = Object.fromEntries(Object.entries(urlParams).filter(([, value]) => value !== "" && value !== null))
  const send = (by: Credential) =>
    clientOf(by)[group]![name]!({ ...parts, urlParams: given }, { idempotencyKey: key, signal })
  try {
    return (await (as === undefined ? sendSignedIn(send) : send(as))) as Answer<G, N>
  } catch (error) {
    throw problemOf(error)
  }
}

/** Calls an operation with options that are already set. */
export type BoundCall = <G extends Group, N extends Name<G>>(
  group: G,
  name: N,
  request: Request<G, N>
) => Promise<Answer<G, N>>

export const callWith =
  (options: CallOptions): BoundCall =>
  (group, name, request) =>
    call(group, name, request, options)

/** A page of a list. */
export const getPage = <G extends Group, N extends Name<G>>(
  get: BoundCall,
  group: G,
  name: N,
  request: Request<G, N>,
  page: Readonly<Record<string, string | number>>
): Promise<ListPage<Item<G, N>>> => {
  const { urlParams, ...parts } = request as RequestParts
  const asked = { ...parts, urlParams: { ...page, ...urlParams } } as Request<G, N>
  return get(group, name, asked) as Promise<ListPage<Item<G, N>>>
}

/** A whole list, or as far as there are enough items. */
export const getAll = <G extends Group, N extends Name<G>>(
  get: BoundCall,
  group: G,
  name: N,
  request: Request<G, N>,
  isEnough?: (items: ReadonlyArray<Item<G, N>>) => boolean
): Promise<ReadonlyArray<Item<G, N>>> =>
  readAllPages((cursor) => getPage(get, group, name, request, { limit: 100, ...cursor }), isEnough)
