/** Client of the public API. Operations, requests and answers are typed by the contract. */
import type { RequestParts } from "../../client/RequestRules.ts"
import { LosslessNumber, parse, stringify } from "lossless-json"
import operations from "virtual:operations"
import type { Operations } from "../../client/WireTypes.ts"
import { type Credential, credential, signOut } from "./TabCredential.ts"
import type { Amount } from "./Amount.ts"
import { retryDelay, Problem } from "./ApiResponse.ts"
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

const urlOf = (path: string, { path: values, urlParams }: RequestParts): string => {
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(String(values?.[name])))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(urlParams ?? {})) {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value))
  }
  return `${root}${filled}${query.size === 0 ? "" : `?${query}`}`
}

/** Fields that are proportions. Other numbers with a fraction are money or rates, and stay exact. */
const proportions = new Set(["share", "success_rate"])

const parseBody = (text: string): unknown =>
  parse(
    text,
    (key, value) => (proportions.has(key) && value instanceof LosslessNumber ? Number(value.value) : value),
    (digits) => (/^-?\d+$/.test(digits) ? Number(digits) : new LosslessNumber(digits))
  )

export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const fetchWithRetry = async (address: string, init: RequestInit & { readonly method: string }, keyed: boolean) => {
  const response = await fetch(address, init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error
    throw new Problem(0, "Check your connection, then try again.")
  })
  const wait = retryDelay(response, init.method, keyed)
  if (wait === undefined) return response
  await new Promise((done) => setTimeout(done, wait * 1000))
  return fetch(address, init)
}

const problemOf = (status: number, text: string): Problem => {
  try {
    const body = parseBody(text) as Readonly<Record<string, unknown>>
    return new Problem(status, String(body["message"] ?? ""), body)
  } catch (error) {
    return new Problem(status, error instanceof SyntaxError ? `The answer had status ${status}.` : String(error))
  }
}

export const call = async <G extends Group, N extends Name<G>>(
  group: G,
  name: N,
  request: Request<G, N>,
  { as, key, signal }: CallOptions = {}
): Promise<Answer<G, N>> => {
  const [method, path, keyed] = operations[`${group}.${name}`]!
  const parts = request as RequestParts
  const initAs = (sender: Credential | undefined) => ({
    method,
    headers: {
      ...sender?.headers,
      ...(parts.payload === undefined ? {} : { "content-type": "application/json" }),
      ...(keyed === 1 ? { "idempotency-key": key ?? newIdempotencyKey() } : {})
    },
    ...(parts.payload === undefined ? {} : { body: stringify(parts.payload) ?? "" }),
    ...(signal === undefined ? {} : { signal }),
    credentials: "omit" as const,
    redirect: "error" as const
  })
  if (as === undefined) await renewIfDue()
  const sender = as ?? credential.value
  const send = (by: Credential | undefined) => fetchWithRetry(urlOf(path, parts), initAs(by), keyed === 1)
  let response = await send(sender)
  // A 401 had no effect, so the request is repeated with a renewed token.
  if (response.status === 401 && as === undefined && (credential.value !== sender || (await renew()))) {
    response = await send(credential.value)
  }
  const text = await response.text()
  if (response.ok) return (text === "" ? undefined : parseBody(text)) as Answer<G, N>
  if (response.status === 401 && as === undefined) signOut("Your session has ended. Sign in again.")
  throw problemOf(response.status, text)
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
