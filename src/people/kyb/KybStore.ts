/** Stores the KYB state of organisations, their applications, and every callback once. */
import { Context, Duration, Option, Schema, Effect, Layer } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import { KybState } from "../../contract/api/KybApi.ts"
import { kybStatuses } from "../../domain/Organization.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { type Window, anyRow, execute, newest, query } from "../../platform/database/Query.ts"
import { SqlClient } from "@effect/sql"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"

export type KybState = typeof KybState.Type
type KybStatus = KybState["kyb_status"]

export interface NewKybApplication {
  readonly customer_id: string
  readonly org_id: OrgId
  /** Encrypted. */
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
}

export class KybStore extends Context.Tag("corridor/KybStore")<KybStore, Store>() {}

const state = query(Schema.typeSchema(KybState))
const latest = query(Schema.Struct({ at: Schema.NullOr(Schema.DateFromSelf) }))
const applications = query(StoredKybApplication)
const requests = query(DueKybRequest)

export const kybStoreSql = Layer.effect(
  KybStore,
  Effect.map(Effect.all([SqlClient.SqlClient, WorkQueues]), ([sql, { announce }]): KybStore["Type"] => {
    const current = sql.literal(`select a.customer_id, a.org_id, o.kyb_status, o.name, o.country, o.email, a.documents,
      a.started_by, a.approvals, a.decided_by, a.decided_at, a.reason, a.created_at
      from kyb_applications a join organizations o on o.kyb_customer_id = a.customer_id`)
    return {
      lock: (orgId) =>
        state.first(sql`select org_id, kyb_status, kyb_customer_id from organizations where org_id = ${orgId}
          for update`),
      lockByCustomer: (customerId) =>
        state.first(sql`select o.org_id, o.kyb_status, o.kyb_customer_id from kyb_applications a
          join organizations o using (org_id) where a.customer_id = ${customerId} for update of o`),
      open: (application) =>
        sql`insert into kyb_applications ${sql.insert({ ...application })}`.pipe(
          Effect.zipRight(
            sql`update organizations set kyb_status = 'pending', kyb_customer_id = ${application.customer_id},
              updated_at = now() where org_id = ${application.org_id}`
          ),
          execute,
          Effect.zipLeft(announce("kyb_requests"))
        ),
      find: (customerId) => applications.first(sql`${current} where a.customer_id = ${customerId}`),
      list: (status, window) => {
        const ofStatus = status === undefined ? sql`true` : sql`kyb_status = ${status}`
        return applications.all(sql`select * from (${current}) c where ${ofStatus} ${newest(sql, "org_id", window)}`)
      },
      setApprovals: (customerId, approvals) =>
        execute(sql`update kyb_applications set approvals = ${JSON.stringify(approvals)}::jsonb
          where customer_id = ${customerId}`),
      decide: ({ customer_id, decided_by, org_id, reason, status }) =>
        sql`update kyb_applications set decided_by = ${decided_by}, decided_at = now(), reason = ${reason}
          where customer_id = ${customer_id}`.pipe(
          Effect.zipRight(
            sql`update organizations set kyb_status = ${status}, updated_at = now() where org_id = ${org_id}`
          ),
          execute
        ),
      latestDecision: (customerId) =>
        sql`select max(occurred_at) as at from kyb_callbacks where customer_id = ${customerId}`.pipe(
          latest.one,
          Effect.map(({ at }) => Option.fromNullable(at))
        ),
      insertCallback: (callback) =>
        anyRow(sql`insert into kyb_callbacks ${sql.insert({ ...callback })} on conflict do nothing returning 1`),
      claimRequests: (take, lease) =>
        requests.all(sql`update kyb_applications set request_attempts = request_attempts + 1,
            request_due_at = now() + make_interval(secs => ${Duration.toSeconds(lease)})
          where customer_id in (
            select a.customer_id from kyb_applications a join organizations o on o.kyb_customer_id = a.customer_id
            where a.request_sent_at is null and a.decided_at is null and a.request_due_at <= now()
              and o.kyb_status = 'pending'
            order by a.request_due_at limit ${take} for update of a skip locked
          ) returning customer_id, org_id, request_attempts as attempts`),
      requestSent: (customerId) =>
        execute(sql`update kyb_applications set request_sent_at = now(), request_error = null
          where customer_id = ${customerId}`),
      requestFailed: (customerId, error, delay) =>
        execute(sql`update kyb_applications set request_error = ${error},
            request_due_at = now() + make_interval(secs => ${Duration.toSeconds(delay)})
          where customer_id = ${customerId}`)
    }
  })
)
