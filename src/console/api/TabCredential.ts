/** Credential of this tab, kept in sessionStorage only: no cookie, no address, no other tab has it. */
import { signal } from "@preact/signals"

export type Kind = "api_key" | "token"

export interface Credential {
  readonly kind: Kind
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
}

const STORED = "corridor.credential"

/** Accepts a pasted header, or text with spaces around it. */
const cleaned = (secret: string): string => secret.trim().replace(/^Bearer\s+/i, "")

const headersOf = (kind: Kind, secret: string): Credential["headers"] =>
  kind === "api_key"
    ? { authorization: "NONE", "x-api-key": secret }
    : { authorization: `Bearer ${secret}`, "x-api-key": "NONE" }

export const credentialOf = (kind: Kind, text: string): Credential => {
  const secret = cleaned(text)
  return { kind, secret, headers: headersOf(kind, secret) }
}

const storedCredential = (): Credential | undefined => {
  const [kind, secret] = sessionStorage.getItem(STORED)?.split(/ (.*)/s) ?? []
  return (kind === "api_key" || kind === "token") && secret !== undefined ? credentialOf(kind, secret) : undefined
}

export const credential = signal<Credential | undefined>(storedCredential())

/** Reason of the last sign-out, shown on the sign-in page. */
export const signOutReason = signal<string | undefined>(undefined)

/** Kind of the last credential, preselected on the sign-in page. */
export const lastKind = signal<Kind>(credential.value?.kind ?? "token")

export const storeCredential = (proven: Credential): void => {
  sessionStorage.setItem(STORED, `${proven.kind} ${proven.secret}`)
  signOutReason.value = undefined
  lastKind.value = proven.kind
  credential.value = proven
}

export const signOut = (why?: string): void => {
  sessionStorage.removeItem(STORED)
  signOutReason.value = why
  credential.value = undefined
}
