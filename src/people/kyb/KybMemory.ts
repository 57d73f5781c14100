/** KYB in memory. */
import { Effect, Layer, Option } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import { memoryTable, openTables, currentDate } from "../../platform/database/MemoryDatabase.ts"
import { organizationTables } from "../organizations/OrganizationMemory.ts"
import { type KybApplication, type KybState, KybStore, type StoredKybCallback } from "./KybStore.ts"

const kybTables = {
  kybApplications: memoryTable<KybApplication>("kybApplications"),
  kybCallbacks: memoryTable<StoredKybCallback>("kybCallbacks")
}

const callbackKey = ({ customer_id, event_key }: Pick<StoredKybCallback, "customer_id" | "event_key">): string =>
  JSON.stringify([customer_id, event_key])

export const kybStoreMemory = Layer.effect(
  KybStore,
  Effect.map(
    openTables({ ...kybTables, ...organizationTables }),
    ({ kybApplications, kybCallbacks, organizations }): KybStore["Type"] => {
      const lock = (orgId: OrgId) =>
        Effect.sync(() =>
          Option.map(
            Option.fromNullable(organizations.get(orgId)),
            ({ kyb_customer_id, kyb_status, org_id }): KybState => ({ org_id, kyb_status, kyb_customer_id })
          )
        )
      const change = (orgId: OrgId, fields: Partial<KybState>) =>
        Effect.map(currentDate, (updated_at) => {
          const organization = organizations.get(orgId)
          if (organization !== undefined) organizations.set(orgId, { ...organization, ...fields, updated_at })
        })
      return {
        lock,
        lockByCustomer: (customerId) =>
          Effect.suspend(() => {
            const application = kybApplications.get(customerId)
            return application === undefined ? Effect.succeedNone : lock(application.org_id)
          }),
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
        insertCallback: (callback) =>
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
