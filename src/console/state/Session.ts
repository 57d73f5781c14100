/** Who is signed in, what they may do, and which organisation a platform admin is looking at. */
import { computed, signal } from "@preact/signals"
import type { Answer } from "../api/Api.ts"
import { call } from "../api/Api.ts"
import { type Credential, signInAs } from "../api/Credential.ts"

export type Session = Answer<"session", "me">["data"]
export type Access = Session["access"][number]

export const session = signal<Session | undefined>(undefined)

/** The organisation that a platform admin has chosen; nobody else has a choice. */
export const chosenOrg = signal<string | undefined>(undefined)

export const may = (access: Access): boolean => session.value?.access.includes(access) === true

export const isAdmin = computed(() => session.value?.role === "admin")

export const orgId = computed(() => chosenOrg.value ?? session.value?.organization?.org_id)

/** For lists that show the credential's own organisation by themselves, and every one's to a platform admin. */
export const ofOrg = (): { readonly org_id?: string } =>
  isAdmin.value && chosenOrg.value !== undefined ? { org_id: chosenOrg.value } : {}

/** Whom somebody would be by it. It is the page's own only when the service has taken it. */
export const trySession = async (as: Credential): Promise<void> => {
  const { data } = await call("session", "me", { urlParams: {} }, { as })
  session.value = data
  signInAs(as)
}

export const loadSession = async (signal?: AbortSignal): Promise<void> => {
  const { data } = await call("session", "me", { urlParams: ofOrg() }, { signal })
  session.value = data
}
