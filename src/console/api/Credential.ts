/** The credential of this tab. It is kept in the tab's own storage alone: no cookie, no address, no other tab has it. */
import { signal } from "@preact/signals"

export type Kind = "api_key" | "token"

export interface Credential {
  readonly kind: Kind
  readonly headers: Readonly<Record<string, string>>
}

const STORED = "corridor.credential"

const credentialOf = (kind: Kind, secret: string): Credential => ({
  kind,
  headers:
    kind === "api_key"
      ? { authorization: "NONE", "x-api-key": secret }
      : { authorization: `Bearer ${secret}`, "x-api-key": "NONE" }
})

const stored = (): Credential | undefined => {
  const [kind, secret] = sessionStorage.getItem(STORED)?.split(/ (.*)/s) ?? []
  return (kind === "api_key" || kind === "token") && secret !== undefined ? credentialOf(kind, secret) : undefined
}

export const credential = signal<Credential | undefined>(stored())

/** Why somebody finds themselves before the door again. */
export const farewell = signal<string | undefined>(undefined)

/** People paste the whole header, or with spaces around it. */
const cleaned = (secret: string): string => secret.trim().replace(/^Bearer\s+/i, "")

export const signInAs = (kind: Kind, secret: string): void => {
  sessionStorage.setItem(STORED, `${kind} ${cleaned(secret)}`)
  farewell.value = undefined
  credential.value = credentialOf(kind, cleaned(secret))
}

export const signOut = (why?: string): void => {
  sessionStorage.removeItem(STORED)
  farewell.value = why
  credential.value = undefined
}
