/**
 * API keys and tokens as people paste them. Tokens of the identity provider: which one goes to the API, when it is
 * renewed, and refusals in plain words.
 */

export type Kind = "api_key" | "token"

const shapes: ReadonlyArray<readonly [Kind, RegExp]> = [
  ["api_key", /^ck_(test|live)_/],
  ["token", /^[\w-]+\.[\w-]+\.[\w-]+$/]
]

/** Text before a pasted credential: the name of its header or of its field in `sandbox.json`. */
const BEFORE = /^["']?(?:(?:authorization|x-api-key|api_key|jwt)["']?\s*:\s*["']?)?(?:bearer\s+)?/i

/** A pasted key or token, also as a whole header or line. Its own shape counts; `chosen` is for text of neither shape. */
export const pastedCredential = (text: string, chosen: Kind): readonly [kind: Kind, secret: string] => {
  const secret = text
    .trim()
    .replace(BEFORE, "")
    .replace(/["',]+$/, "")
  return [shapes.find(([, shape]) => shape.test(secret))?.[0] ?? chosen, secret]
}

export interface IssuedTokens {
  readonly access_token: string
  readonly id_token?: string | undefined
  readonly refresh_token?: string | undefined
}

interface Claims {
  readonly aud?: unknown
  readonly exp?: unknown
  readonly iat?: unknown
}

/** Undefined for an opaque token. The service verifies the token; this only reads it. */
const claimsOf = (token: string): Claims | undefined => {
  try {
    const [, payload = "", signature] = token.split(".")
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return signature !== undefined && typeof claims === "object" && claims !== null ? claims : undefined
  } catch {
    return undefined
  }
}

const isFor = (audience: string, token: string | undefined): token is string =>
  token !== undefined && [claimsOf(token)?.aud].flat().includes(audience)

/** The access token, or the ID token of a provider whose audience is the client itself; undefined if neither fits. */
export const tokenForApi = ({ access_token, id_token }: IssuedTokens, audience: string): string | undefined =>
  [access_token, id_token].find((token) => isFor(audience, token))

const LONGEST_MARGIN_SECONDS = 60

/** Time of the next renewal. Counts from the arrival at `now`, since the browser's clock may be wrong. */
export const renewalTime = (token: string, now: number): number => {
  const { exp, iat } = claimsOf(token) ?? {}
  const seconds = Math.max(0, Number(exp) - Number(iat ?? now / 1000))
  return now + (seconds - Math.min(LONGEST_MARGIN_SECONDS, seconds / 5)) * 1000
}

/** A place in the console, whatever the tab's storage holds. */
export const placeInConsole = (hash: string): string => (hash.startsWith("#/") ? hash : "#/")

const refusals: Readonly<Record<string, string>> = {
  access_denied: "Sign-in was cancelled, or the identity provider does not allow you to use the console.",
  server_error: "The identity provider has a problem. Try again later.",
  temporarily_unavailable: "The identity provider is busy. Try again later.",
  invalid_grant: "The sign-in took too long, or its code was used before. Sign in again.",
  invalid_target:
    "The identity provider does not issue tokens for this service. An operator has to check JWT_AUDIENCE.",
  invalid_scope: "The identity provider refuses the requested scopes. An operator has to check CONSOLE_SCOPES.",
  invalid_client: "The identity provider does not know this console. An operator has to check CONSOLE_CLIENT_ID.",
  unauthorized_client:
    "The identity provider does not allow this sign-in. An operator has to check its client settings."
}

const LONGEST_DESCRIPTION = 200

/** `code` is an error code of OAuth. */
export const refusalOf = (code: string, description = ""): string => {
  const said = description.slice(0, LONGEST_DESCRIPTION)
  const known = refusals[code] ?? `The identity provider refused the sign-in (${code}).`
  return said === "" ? known : `${known} It says: ${said}`
}
