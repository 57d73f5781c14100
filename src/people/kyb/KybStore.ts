/** KYB at rest: the state of an organisation, its applications, and every callback once. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { KybState } from "../../contract/api/Kyb.ts"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { kybTables } from "./MemoryTables.ts"
import { organizationTables } from "../organizations/MemoryTables.ts"
import { firstRow } from "../../platform/database/Query.ts"

export type KybState = typeof KybState.Type

export interface KybApplication {
  readonly customer_id: string
  readonly org_id: string
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
  readonly lock: (orgId: string) => Effect.Effect<Option.Option<KybState>>
  /** The same for the organisation whose application it is, the current one or an earlier one. */
  readonly lockByCustomer: (customerId: string) => Effect.Effect<Option.Option<KybState>>
  /** The application becomes the current one. */
  readonly open: (application: KybApplication) => Effect.Effect<void>
  readonly setStatus: (orgId: string, status: KybState["kyb_status"]) => Effect.Effect<void>
  /** When the latest decision was made of those that say so. */
  readonly latestDecision: (customerId: string) => Effect.Effect<Option.Option<Date>>
  /** False when it was kept before. */
  readonly keepCallback: (callback: StoredKybCallback) => Effect.Effect<boolean>
}

export const callbackKey = ({ customer_id, event_key }: Pick<StoredKybCallback, "customer_id" | "event_key">): string =>
  JSON.stringify([customer_id, event_key])

export class KybStore extends Context.Tag("corridor/KybStore")<KybStore, Store>() {
  static readonly layer = Layer.effect(
    KybStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      lock: (orgId) =>
        sql<KybState>`select org_id, kyb_status, kyb_customer_id from organizations where org_id = ${orgId}
          for update`.pipe(Effect.map(firstRow), Effect.orDie),
      lockByCustomer: (customerId) =>
        sql<KybState>`select o.org_id, o.kyb_status, o.kyb_customer_id from kyb_applications a
          join organizations o using (org_id) where a.customer_id = ${customerId} for update of o`.pipe(
          Effect.map(firstRow),
          Effect.orDie
        ),
      open: (application) =>
        sql`insert into kyb_applications ${sql.insert({ ...application })}`.pipe(
          Effect.zipRight(
            sql`update organizations set kyb_status = 'pending', kyb_customer_id = ${application.customer_id},
              updated_at = now() where org_id = ${application.org_id}`
          ),
          Effect.orDie,
          Effect.asVoid
        ),
      setStatus: (orgId, status) =>
        sql`update organizations set kyb_status = ${status}, updated_at = now() where org_id = ${orgId}`.pipe(
          Effect.orDie,
          Effect.asVoid
        ),
      latestDecision: (customerId) =>
        sql<{
          at: Date | null
        }>`select max(occurred_at) as at from kyb_callbacks where customer_id = ${customerId}`.pipe(
          Effect.map(([row]) => Option.fromNullable(row?.at)),
          Effect.orDie
        ),
      keepCallback: (callback) =>
        sql`insert into kyb_callbacks ${sql.insert({ ...callback })} on conflict do nothing returning 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        )
    }))
  )

  static readonly layerMemory = Layer.effect(
    KybStore,
    Effect.map(
      openTables({ ...kybTables, ...organizationTables }),
      ({ kybApplications, kybCallbacks, organizations }): Store => {
        const lock = (orgId: string) =>
          Effect.sync(() =>
            Option.map(
              Option.fromNullable(organizations.get(orgId)),
              ({ kyb_customer_id, kyb_status, org_id }): KybState => ({ org_id, kyb_status, kyb_customer_id })
            )
          )
        const change = (orgId: string, fields: Partial<KybState>) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const organization = organizations.get(orgId)
            if (organization !== undefined) {
              organizations.set(orgId, { ...organization, ...fields, updated_at: new Date(now) })
            }
          })
        return {
          lock,
          lockByCustomer: (customerId) => Effect.suspend(() => lock(kybApplications.get(customerId)?.org_id ?? "")),
          open: (application) =>
            Effect.suspend(() => {
              kybApplications.set(application.customer_id, application)
              return change(application.org_id, { kyb_status: "pending", kyb_customer_id: application.customer_id })
            }),
          setStatus: (orgId, kyb_status) => change(orgId, { kyb_status }),
          latestDecision: (customerId) =>
            Effect.sync(() => {
              const times = Array.from(kybCallbacks.values())
                .filter((callback) => callback.customer_id === customerId)
                .flatMap(({ occurred_at }) => (occurred_at === null ? [] : [occurred_at.getTime()]))
              return times.length === 0 ? Option.none() : Option.some(new Date(Math.max(...times)))
            }),
          keepCallback: (callback) =>
            Effect.sync(() => {
              const key = callbackKey(callback)
              if (kybCallbacks.has(key)) return false
              kybCallbacks.set(key, callback)
              return true
            })
        }
      }
    )
  )
}
