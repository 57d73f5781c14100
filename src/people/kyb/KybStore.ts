/** Stores the KYB state of organisations, their applications, and every callback once. */
import { Context, type Duration, type Option, Schema } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import type { KybState } from "../../contract/api/KybApi.ts"
import { kybStatuses } from "../../domain/Organization.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Window } from "../../platform/database/Query.ts"

export type KybState = typeof KybState.Type
type KybStatus = KybState["kyb_status"]

export interface NewKybApplication {
  readonly customer_id: string
  readonly org_id: OrgId
  /** Sealed. */
  readonly documents: string | null
  /** The person who applied. */
  readonly started_by: string
}

export const KybApproval = Schema.Struct({
  person: Schema.String,
  /** Digest of the details that were approved. */
  details: Schema.String
})
export type KybApproval = typeof KybApproval.Type

/** The current application of an organisation. */
export const StoredKybApplication = Schema.Struct({
  customer_id: Schema.String,
  org_id: Schema.typeSchema(OrgId),
  kyb_status: Schema.Literal(...kybStatuses),
  name: Schema.String,
  country: Schema.String,
  email: Schema.String,
  documents: Schema.NullOr(Schema.String),
  started_by: Schema.String,
  approvals: Schema.Array(KybApproval),
  decided_by: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(Schema.DateFromSelf),
  reason: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf
})
export type StoredKybApplication = typeof StoredKybApplication.Type

export interface KybDecision {
  readonly customer_id: string
  readonly org_id: OrgId
  readonly status: "approved" | "rejected"
  readonly reason: string | null
  /** A person, or `provider`. */
  readonly decided_by: string
}

export interface StoredKybCallback {
  readonly customer_id: string
  readonly event_key: string
  readonly status: "approved" | "rejected"
  readonly reason: string | null
  readonly occurred_at: Date | null
}

export const DueKybRequest = Schema.Struct({
  customer_id: Schema.String,
  org_id: Schema.typeSchema(OrgId),
  attempts: Schema.Int
})
export type DueKybRequest = typeof DueKybRequest.Type

export const SealedDocuments = Schema.Struct({ customer_id: Schema.String, documents: Schema.String })
export type SealedDocuments = typeof SealedDocuments.Type

interface Store {
  /** Locks the organisation until the end of the transaction. */
  readonly lock: (orgId: OrgId) => Stored<Option.Option<KybState>>
  /** Locks the organisation of an application, current or earlier. */
  readonly lockByCustomer: (customerId: string) => Stored<Option.Option<KybState>>
  /** Makes the application the current one. Its request is due at once. */
  readonly open: (application: NewKybApplication) => Stored<void>
  readonly find: (customerId: string) => Stored<Option.Option<StoredKybApplication>>
  /** Current applications, newest first. */
  readonly list: (status: KybStatus | undefined, window: Window) => Stored<ReadonlyArray<StoredKybApplication>>
  readonly setApprovals: (customerId: string, approvals: ReadonlyArray<KybApproval>) => Stored<void>
  /** Changes the organisation too. */
  readonly decide: (decision: KybDecision) => Stored<void>
  /** Time of the latest decision, of those with a time. */
  readonly latestDecision: (customerId: string) => Stored<Option.Option<Date>>
  /** False if it is a duplicate. */
  readonly insertCallback: (callback: StoredKybCallback) => Stored<boolean>
  /** Requests of pending applications that are due. They are due again after the lease. */
  readonly claimRequests: (take: number, lease: Duration.Duration) => Stored<ReadonlyArray<DueKybRequest>>
  readonly requestSent: (customerId: string) => Stored<void>
  readonly requestFailed: (customerId: string, error: string, delay: Duration.Duration) => Stored<void>
  /** Keeps others from adding documents until the end of the transaction. */
  readonly lockDocuments: Stored<void>
  readonly allDocuments: Stored<ReadonlyArray<SealedDocuments>>
  readonly replaceDocuments: (sealed: SealedDocuments) => Stored<void>
}

export class KybStore extends Context.Tag("corridor/KybStore")<KybStore, Store>() {}
