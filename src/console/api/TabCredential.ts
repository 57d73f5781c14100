/** Credential of this tab, kept in sessionStorage only: no cookie, no address, no other tab has it. */
import { signal } from "@preact/signals"
import type { Problem } from "./ApiResponse.ts"
import type { Kind } from "./Credentials.ts"

export interface Credential {
  readonly kind: Kind
  readonly secret: string
}

/** Tokens of a sign-in at the identity provider. `token` is the one for the API. */
export interface TabTokens {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly renewAt: number
  readonly idToken?: string | undefined
  readonly refreshToken?: string | undefined
}

const STORED = "corridor.credential"
const STORED_TOKENS = "corridor.tokens"

const storedCredential = (): Credential | undefined => {
  const [kind, secret] = sessionStorage.getItem(STORED)?.split(/ (.*)/s) ?? []
  return (kind === "api_key" || kind === "token") && secret !== undefined ? { kind, secret } : undefined
}

export const credential = signal<Credential | undefined>(storedCredential())

/** Undefined with a pasted credential. */
export const providerTokens = (): TabTokens | undefined => {
  const stored = sessionStorage.getItem(STORED_TOKENS)
  return stored === null ? undefined : (JSON.parse(stored) as TabTokens)
}

/** Reason of the last sign-out, shown on the sign-in page. */
export const signOutReason = signal<string | undefined>(undefined)

/** Reason of the last failed sign-in at the identity provider, shown on the sign-in page. */
export const signInProblem = signal<Problem | undefined>(undefined)

/** Kind of the last credential, preselected on the sign-in page. */
export const lastKind = signal<Kind>(credential.value?.kind ?? "token")

export const storeCredential = (proven: Credential, tokens?: TabTokens): void => {
  sessionStorage.setItem(STORED, `${proven.kind} ${proven.secret}`)
  if (tokens === undefined) sessionStorage.removeItem(STORED_TOKENS)
  else sessionStorage.setItem(STORED_TOKENS, JSON.stringify(tokens))
  signOutReason.value = undefined
  signInProblem.value = undefined
  lastKind.value = proven.kind
  credential.value = proven
}

export const signOut = (why?: string): void => {
  sessionStorage.removeItem(STORED)
  sessionStorage.removeItem(STORED_TOKENS)
  signOutReason.value = why
  credential.value = undefined
}
