/** Who is signed in, what they may do, and which organisation a platform admin is looking at. */
import { computed, signal } from "@preact/signals"
import { type Answer, call } from "../api/ApiClient.ts"
import { type Credential, storeCredential } from "../api/TabCredential.ts"
import { readAllPages } from "../api/ApiResponse.ts"
import { shortId } from "./Display.ts"

export type Session = Answer<"session", "me">["data"]
export type Access = Session["access"][number]

export const session = signal<Session | undefined>(undefined)

/** The organisation that a platform admin has chosen; nobody else has a choice. */
export const chosenOrg = signal<string | undefined>(undefined)

export const hasAccess = (access: Access): boolean => session.value?.access.includes(access) === true

export const isAdmin = computed(() => session.value?.role === "admin")

export const orgId = computed(() => chosenOrg.value ?? session.value?.organization?.org_id)

/** For lists that show the credential's own organisation by themselves, and every one's to a platform admin. */
export const orgFilter = (): { readonly org_id?: string } =>
  isAdmin.value && chosenOrg.value !== undefined ? { org_id: chosenOrg.value } : {}

/** Whom somebody would be by it. It is the page's own only when the service has taken it. */
export const signIn = async (as: Credential): Promise<void> => {
  const { data } = await call("session", "me", { urlParams: {} }, { as })
  session.value = data
  storeCredential(as)
}

export const loadSession = async (signal?: AbortSignal): Promise<void> => {
  const { data } = await call("session", "me", { urlParams: orgFilter() }, { signal })
  session.value = data
}

/** The organisations by name, for a platform admin who looks at all of them together. */
export const orgNames = signal<ReadonlyMap<string, string>>(new Map())

/** Names are there as soon as their page is. */
export const loadOrgs = async (signal: AbortSignal): Promise<void> => {
  await readAllPages(async (lastEvaluatedKey) => {
    const page = await call("organizations", "list", { urlParams: { limit: 100, lastEvaluatedKey } }, { signal })
    orgNames.value = new Map([...orgNames.value, ...page.data.map(({ name, org_id }) => [org_id, name] as const)])
    return page
  })
}

export const seesAllOrgs = computed(() => isAdmin.value && chosenOrg.value === undefined)

/** null: what concerns the whole platform. */
export const orgName = (id: string | null): string =>
  id === null ? "The platform" : (orgNames.value.get(id) ?? shortId(id))
