/** KYB in memory. */
import { Clock, Duration, Effect, Layer, Option } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import { memoryTable, newestFirst, openTables, currentDate } from "../../platform/database/MemoryDatabase.ts"
import { organizationTables } from "../organizations/OrganizationMemory.ts"
import {
  type KybState,
  KybStore,
  type NewKybApplication,
  type StoredKybApplication,
  type StoredKybCallback
} from "./KybStore.ts"

interface Row
  extends
    NewKybApplication,
    Pick<StoredKybApplication, "approvals" | "decided_by" | "decided_at" | "reason" | "created_at"> {
  readonly attempts: number
  readonly dueAt: number
  readonly isSent: boolean
}

const kybTables = {
  kybApplications: memoryTable<Row>("kybApplications"),
  kybCallbacks: memoryTable<StoredKybCallback>("kybCallbacks")
}

export const kybStoreMemory = Layer.effect(
  KybStore,
  Effect.map(
    openTables({ ...kybTables, ...organizationTables }),
    ({ kybApplications, kybCallbacks, organizations }): KybStore["Type"] => {
      const lock = (orgId: OrgId) =>
        Effect.sync(() =>
          Option.map(organizations.one(orgId), ({ kyb_customer_id, kyb_status, org_id }): KybState => ({
            org_id,
            kyb_status,
            kyb_customer_id
          }))
        )
      const changeOrganization = (orgId: OrgId, fields: Partial<KybState>) =>
        Effect.map(currentDate, (updated_at) => {
          const organization = organizations.get(orgId)
          if (organization !== undefined) organizations.set(orgId, { ...organization, ...fields, updated_at })
        })
      const change = (customerId: string, fields: (row: Row, now: number) => Partial<Row>) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const row = kybApplications.get(customerId)
          if (row !== undefined) kybApplications.set(customerId, { ...row, ...fields(row, now) })
        })
      const currentOf = ({ attempts: _a, dueAt: _d, isSent: _s, ...row }: Row): Option.Option<StoredKybApplication> => {
        const organization = organizations.get(row.org_id)
        if (organization === undefined || organization.kyb_customer_id !== row.customer_id) return Option.none()
        const { country, email, kyb_status, name } = organization
        return Option.some({ ...row, country, email, kyb_status, name })
      }
      const rows = () => kybApplications.all()
      return {
        lock,
        lockByCustomer: (customerId) =>
          Effect.suspend(() => {
            const application = kybApplications.get(customerId)
            return application === undefined ? Effect.succeedNone : lock(application.org_id)
          }),
        open: (application) =>
          Effect.flatMap(currentDate, (created_at) => {
            const decision = { approvals: [], decided_by: null, decided_at: null, reason: null }
            const request = { attempts: 0, dueAt: created_at.getTime(), isSent: false }
            kybApplications.set(application.customer_id, { ...application, ...decision, ...request, created_at })
            return changeOrganization(application.org_id, {
              kyb_status: "pending",
              kyb_customer_id: application.customer_id
            })
          }),
        find: (customerId) => Effect.sync(() => Option.flatMap(kybApplications.one(customerId), currentOf)),
        list: (status, window) =>
          Effect.sync(() => {
            const all = rows().flatMap((row) => Option.toArray(currentOf(row)))
            const wanted = all.filter(({ kyb_status }) => status === undefined || kyb_status === status)
            return newestFirst(wanted, ({ org_id }) => org_id, window)
          }),
        setApprovals: (customerId, approvals) => change(customerId, () => ({ approvals })),
        decide: ({ customer_id, decided_by, org_id, reason, status }) =>
          Effect.zipRight(
            change(customer_id, (_, now) => ({ decided_by, decided_at: new Date(now), reason })),
            changeOrganization(org_id, { kyb_status: status })
          ),
        latestDecision: (customerId) =>
          Effect.sync(() => {
            const times = kybCallbacks
              .all((callback) => callback.customer_id === customerId)
              .flatMap(({ occurred_at }) => (occurred_at === null ? [] : [occurred_at.getTime()]))
            return times.length === 0 ? Option.none() : Option.some(new Date(Math.max(...times)))
          }),
        insertCallback: (callback) =>
          Effect.sync(() => {
            const key = JSON.stringify([callback.customer_id, callback.event_key])
            if (kybCallbacks.has(key)) return false
            kybCallbacks.set(key, callback)
            return true
          }),
        claimRequests: (take, lease) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const isPending = (row: Row) => Option.exists(currentOf(row), ({ kyb_status }) => kyb_status === "pending")
            const due = rows()
              .filter((row) => !row.isSent && row.decided_at === null && row.dueAt <= now && isPending(row))
              .slice(0, take)
              .map((row) => ({ ...row, attempts: row.attempts + 1, dueAt: now + Duration.toMillis(lease) }))
            for (const row of due) kybApplications.set(row.customer_id, row)
            return due.map(({ attempts, customer_id, org_id }) => ({ customer_id, org_id, attempts }))
          }),
        requestSent: (customerId) => change(customerId, () => ({ isSent: true })),
        requestFailed: (customerId, _error, delay) =>
          change(customerId, (_, now) => ({ dueAt: now + Duration.toMillis(delay) }))
      }
    }
  )
)
