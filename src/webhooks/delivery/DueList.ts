/** Who has something due, looked up once for the claims of a moment: while there is much to send, they follow each other closely. */
import { Duration, Effect } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import { webhookDueFresh } from "../../domain/policies/Webhooks.ts"
import type { DueOrganizations } from "./Delivery.ts"
import { monotonicMillis } from "./Monotonic.ts"
import type { Claiming } from "./QueueStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

const freshMillis = Duration.toMillis(webhookDueFresh)

interface Seen extends DueOrganizations {
  readonly after: string
  readonly at: number
}

export class DueList {
  private readonly store: Claiming
  private seen: Seen | undefined

  constructor(store: Claiming) {
    this.store = store
  }

  look(after: string): Stored<Seen> {
    return Effect.flatMap(monotonicMillis, (now) => {
      const { seen } = this
      const isFresh = seen?.after === after && now - seen.at < freshMillis && seen.organizations.length > 0
      return seen !== undefined && isFresh
        ? Effect.succeed(seen)
        : Effect.map(this.store.due(after), (due) => (this.seen = { ...due, after, at: now }))
    })
  }

  /** It had nothing to give. */
  cross(orgId: OrgId): void {
    if (this.seen === undefined) return
    this.seen = { ...this.seen, organizations: this.seen.organizations.filter((org_id) => org_id !== orgId) }
  }
}
