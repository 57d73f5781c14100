/** The signed-in user, their access, and the organisation a platform admin has chosen. */
import { computed, signal } from "@preact/signals"
import { type Answer, type BoundCall, call, getAll } from "../api/ConsoleApi.ts"
import { type Credential, storeCredential, type TabTokens } from "../api/TabCredential.ts"
import { shortId } from "./Display.ts"

type Session = Answer<"session", "me">["data"]
export type Access = Session["access"][number]

export const session = signal<Session | undefined>(undefined)

/** Organisation chosen by a platform admin. */
export const chosenOrg = signal<string | undefined>(undefined)

export const hasAccess = (access: Access): boolean => session.value?.access.includes(access) === true

export const isAdmin = computed(() => session.value?.role === "admin")

export const orgId = computed(() => chosenOrg.value ?? session.value?.organization?.org_id)

/** Filter for lists; without it they cover the credential's organisation, or all for a platform admin. */
export const orgFilter = (): { readonly org_id?: string } =>
  isAdmin.value && chosenOrg.value !== undefined ? { org_id: chosenOrg.value } : {}

/** Tries a credential, and stores it only if the service accepts it. `tokens`: of the identity provider that it is from. */
export const signIn = async (as: Credential, tokens?: TabTokens): Promise<void> => {
  const { data } = await call("session", "me", { urlParams: {} }, { as })
  session.value = data
  storeCredential(as, tokens)
}

export const loadSession = async (get: BoundCall = call): Promise<void> => {
  session.value = (await get("session", "me", { urlParams: orgFilter() })).data
}

/** Names of organisations, for a platform admin who sees all. */
export const orgNames = signal<ReadonlyMap<string, string>>(new Map())

/** Adds names page by page. */
export const loadOrgs = async (get: BoundCall): Promise<void> => {
  await getAll(get, "organizations", "list", {}, (read) => {
    orgNames.value = new Map(read.map(({ name, org_id }) => [org_id, name]))
    return false
  })
}

export const seesAllOrgs = computed(() => isAdmin.value && chosenOrg.value === undefined)

/** null: the whole platform. */
export const orgName = (id: string | null): string =>
  id === null ? "The platform" : (orgNames.value.get(id) ?? shortId(id))
