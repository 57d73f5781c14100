/** The organisations by name, for a platform admin who looks at all of them together. */
import { computed, signal } from "@preact/signals"
import { call } from "../api/Api.ts"
import { chosenOrg, isAdmin } from "./Session.ts"
import { shortId } from "./Words.ts"

export const orgNames = signal<ReadonlyMap<string, string>>(new Map())

export const loadOrgs = async (signal: AbortSignal): Promise<void> => {
  const { data } = await call("organizations", "list", { urlParams: { limit: 100 } }, { signal })
  orgNames.value = new Map(data.map(({ name, org_id }) => [org_id, name]))
}

export const seesAll = computed(() => isAdmin.value && chosenOrg.value === undefined)

/** null: what concerns the whole platform. */
export const orgName = (id: string | null): string =>
  id === null ? "The platform" : (orgNames.value.get(id) ?? shortId(id))
