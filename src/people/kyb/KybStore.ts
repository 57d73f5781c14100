/** Stores the KYB state of organisations, their applications, and every callback once. */
import { Context, type Option } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import type { KybState } from "../../contract/api/KybApi.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export type KybState = typeof KybState.Type

export interface KybApplication {
  readonly customer_id: string
  readonly org_id: OrgId
}

export interface StoredKybCallback {
  readonly customer_id: string
  readonly event_key: string
  readonly status: "approved" | "rejected"
  readonly reason: string | null
  readonly occurred_at: Date | null
}

interface Store {
  /** Locks the organisation until the end of the transaction. */
  readonly lock: (orgId: OrgId) => Stored<Option.Option<KybState>>
  /** Locks the organisation of an application, current or earlier. */
  readonly lockByCustomer: (customerId: string) => Stored<Option.Option<KybState>>
  /** Makes the application the current one. */
  readonly open: (application: KybApplication) => Stored<void>
  readonly setStatus: (orgId: OrgId, status: KybState["kyb_status"]) => Stored<void>
  /** Time of the latest decision, of those with a time. */
  readonly latestDecision: (customerId: string) => Stored<Option.Option<Date>>
  /** False if it is a duplicate. */
  readonly insertCallback: (callback: StoredKybCallback) => Stored<boolean>
}

export class KybStore extends Context.Tag("corridor/KybStore")<KybStore, Store>() {}
