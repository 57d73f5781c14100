/** KYB at rest: the state of an organisation, its applications, and every callback once. */
import { Context, type Option } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import type { KybState } from "../../contract/api/Kyb.ts"
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
  /** Inside a transaction the organisation stays locked until its end: changes of one follow each other. */
  readonly lock: (orgId: OrgId) => Stored<Option.Option<KybState>>
  /** The same for the organisation whose application it is, the current one or an earlier one. */
  readonly lockByCustomer: (customerId: string) => Stored<Option.Option<KybState>>
  /** The application becomes the current one. */
  readonly open: (application: KybApplication) => Stored<void>
  readonly setStatus: (orgId: OrgId, status: KybState["kyb_status"]) => Stored<void>
  /** When the latest decision was made of those that say so. */
  readonly latestDecision: (customerId: string) => Stored<Option.Option<Date>>
  /** False when it was kept before. */
  readonly keepCallback: (callback: StoredKybCallback) => Stored<boolean>
}

export class KybStore extends Context.Tag("corridor/KybStore")<KybStore, Store>() {}
