/** Who has something due, looked up once for the claims of a moment: while there is much to send, they follow each other closely. */
import { Duration, Effect } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import { webhookDueFresh } from "../../domain/Policies.ts"
import type { DueOrganizations } from "./Delivery.ts"
import { monotonicMillis } from "./Monotonic.ts"
import type { Claiming } from "./QueueStore.ts"

const freshMillis = Duration.toMillis(webhookDueFresh)

export const makeDueList = (store: Claiming) => {
  let seen: (DueOrganizations & { readonly after: string; readonly at: number }) | undefined

  const look = Effect.fnUntraced(function* (after: string) {
    const now = yield* monotonicMillis
    const isFresh = seen?.after === after && now - seen.at < freshMillis && seen.organizations.length > 0
    if (seen === undefined || !isFresh) seen = { ...(yield* store.due(after)), after, at: now }
    return seen
  })

  /** It had nothing to give. */
  const cross = (orgId: OrgId): void => {
    if (seen === undefined) return
    seen = { ...seen, organizations: seen.organizations.filter((org_id) => org_id !== orgId) }
  }

  return { look, cross }
}
