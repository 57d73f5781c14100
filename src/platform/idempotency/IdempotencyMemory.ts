/** Idempotency keys in memory. */
import { Duration, Clock, Effect, Layer, Option } from "effect"
import { deleteOld, isOlder, openTables, memoryTable } from "../database/MemoryDatabase.ts"
import { Settings } from "../config/Settings.ts"
import { type NewKey, type StoredKey, IdempotencyStore, Owners, type KeyName } from "./IdempotencyStore.ts"
import type { OrgId, PaymentId } from "../../domain/Ids.ts"

export const idempotencyTables = {
  idempotencyKeys: memoryTable<StoredKey>("idempotencyKeys")
}

export const nameOf = ({ key, operation, org_id }: KeyName): string => `${org_id} ${operation} ${key}`

export const unanswered = (key: NewKey, payment_id: PaymentId | null, created_at: Date): StoredKey => ({
  ...key,
  payment_id,
  created_at,
  status: null,
  response: null
})

export const idempotencyStoreMemory = Layer.effect(
  IdempotencyStore,
  Effect.map(
    Effect.all([openTables(idempotencyTables), Settings]),
    ([{ idempotencyKeys }, { retention }]): IdempotencyStore["Type"] => {
      const maxAge = Duration.toMillis(retention.idempotency)
      const mine = (key: NewKey): StoredKey | undefined => {
        const found = idempotencyKeys.get(nameOf(key))
        return found?.claim === key.claim && found.status === null ? found : undefined
      }
      return {
        find: (name) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const found = idempotencyKeys.get(nameOf(name))
            const age_millis = now - (found?.created_at.getTime() ?? 0)
            if (found !== undefined && age_millis <= maxAge) return Option.some({ ...found, age_millis })
            idempotencyKeys.delete(nameOf(name))
            return Option.none()
          }),
        claim: (payment_id, key) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            if (idempotencyKeys.has(nameOf(key))) return false
            idempotencyKeys.set(nameOf(key), unanswered(key, payment_id, new Date(now)))
            return true
          }),
        keepResponse: (key, status, response) =>
          Effect.sync(() => {
            const found = mine(key)
            if (found !== undefined) idempotencyKeys.set(nameOf(key), { ...found, status, response })
          }),
        release: (key) =>
          Effect.sync(() => {
            if (mine(key) !== undefined) idempotencyKeys.delete(nameOf(key))
          }),
        forgetOld: deleteOld(idempotencyKeys, ({ created_at }, now) => isOlder(created_at, retention.idempotency, now))
      }
    }
  )
)

/** Owners from the memory tables of the layers above. */
const owned = memoryTable<{ readonly org_id: OrgId }>

export const ownersMemory = Layer.effect(
  Owners,
  Effect.map(
    openTables({ payments: owned("payments"), virtualAccounts: owned("virtualAccounts"), escrows: owned("escrows") }),
    ({ escrows, payments, virtualAccounts }): Owners["Type"] => ({
      ownerOf: ({ account_id = "", escrow_id = "", payment_id = "" }) =>
        Effect.sync(() => {
          const found = payments.get(payment_id) ?? virtualAccounts.get(account_id) ?? escrows.get(escrow_id)
          return Option.map(Option.fromNullable(found), ({ org_id }) => org_id)
        })
    })
  )
)
