/** The organisations by name, for a platform admin who looks at all of them together. */
import { computed, signal } from "@preact/signals"
import { call } from "../api/Api.ts"
import { readOn } from "./ReadOn.ts"
import { chosenOrg, isAdmin } from "./Session.ts"
import { shortId } from "./Words.ts"

export const orgNames = signal<ReadonlyMap<string, string>>(new Map())

/** Names are there as soon as their page is. */
export const loadOrgs = async (signal: AbortSignal): Promise<void> => {
  await readOn(async (lastEvaluatedKey) => {
    const page = await call("organizations", "list", { urlParams: { limit: 100, lastEvaluatedKey } }, { signal })
    orgNames.value = new Map([...orgNames.value, ...page.data.map(({ name, org_id }) => [org_id, name] as const)])
    return page
  })
}

export const seesAll = computed(() => isAdmin.value && chosenOrg.value === undefined)

/** null: what concerns the whole platform. */
export const orgName = (id: string | null): string =>
  id === null ? "The platform" : (orgNames.value.get(id) ?? shortId(id))
