/** Rules that the clients share: addresses, pages, and which requests are retried. */
import { clientLongestWaitSeconds } from "../domain/policies/ClientPolicies.ts"

export type Credential =
  | { readonly apiKey: string; readonly token?: undefined }
  /** A JWT, or a function that returns a current one before each request. */
  | { readonly token: string | (() => string | Promise<string>); readonly apiKey?: undefined }

export const credentialHeaders = async ({ apiKey, token }: Credential): Promise<Record<string, string>> =>
  token === undefined
    ? { authorization: "NONE", "x-api-key": apiKey }
    : { authorization: `Bearer ${typeof token === "string" ? token : await token()}`, "x-api-key": "NONE" }

/** Removes `/v1`: the contract's paths begin with it. */
export const rootOf = (url: string): string => url.replace(/\/+$/, "").replace(/\/v1$/, "")

/** Why a client cannot be made: in JavaScript, address and key may come from variables that are not set. */
export const unusableOptions = ({
  apiKey,
  token,
  url
}: {
  readonly [name in "apiKey" | "token" | "url"]?: unknown
}): string | undefined => {
  if (typeof url !== "string" || !/^https?:\/\//i.test(url)) {
    return "url: must be the address of the service, such as https://pay.example"
  }
  const isGiven = (one: unknown): boolean => one !== undefined && one !== null && one !== ""
  return isGiven(apiKey) || isGiven(token) ? undefined : "apiKey: must be an API key, unless there is a token"
}

export interface RequestParts {
  readonly path?: Readonly<Record<string, unknown>>
  readonly urlParams?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: unknown
}

export interface PageOf<A> {
  readonly data: ReadonlyArray<A>
  readonly last_evaluated_key?: string | null
  readonly lastEvaluatedKey?: string | null
}

/** Item type of a list; never for answers without pages. */
export type ItemOf<Answer> = "meta" extends keyof Answer
  ? Answer extends { readonly data: ReadonlyArray<infer Item> }
    ? Item
    : never
  : never

/** URL parameters of the next page; undefined after the last. */
export const nextPage = (page: Omit<PageOf<unknown>, "data">): Readonly<Record<string, string>> | undefined => {
  if (typeof page.last_evaluated_key === "string") return { last_evaluated_key: page.last_evaluated_key }
  if (typeof page.lastEvaluatedKey === "string") return { lastEvaluatedKey: page.lastEvaluatedKey }
  return undefined
}

/**
 * Shortest delay in seconds before an answered request is retried; undefined: no retry.
 * - 409 with Retry-After: the first request with this key is still running.
 * - 503: proxies send it without Retry-After.
 * - 429: nothing was done.
 */
export const secondsToRetry = (
  status: number,
  retryAfter: string | null | undefined,
  isRepeatable: boolean,
  longestWait = clientLongestWaitSeconds
): number | undefined => {
  const given = /^\d+$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined
  const seconds = status === 503 ? (given ?? 0) : status === 409 || status === 429 ? given : undefined
  if (seconds === undefined || seconds > longestWait) return undefined
  return isRepeatable || status === 429 ? seconds : undefined
}

/** A request that has no further effect when it is sent again. */
export const isRepeatable = (method: string, hasIdempotencyKey: boolean): boolean =>
  hasIdempotencyKey || (method !== "POST" && method !== "PATCH")

/** Redirects are not followed, since the credential is meant for the given address only. */
export const messageWithoutBody = (status: number, location: string | null | undefined): string =>
  status >= 300 && status < 400 && typeof location === "string"
    ? `The service redirects to ${location}, where the credential is not sent: give the address of the service itself.`
    : `The service answered with status ${status}.`

/** Says which header cannot be sent. Its value stays out of the message: it may be an API key. */
export const unsendableHeader = (headers: Readonly<Record<string, string>>): string | undefined => {
  const name = Object.keys(headers).find((one) => !/^[\x20-\x7e]*$/.test(headers[one]!))
  return name && `${name}: a header cannot carry this value. It has a line break, or a character that is not ASCII.`
}
