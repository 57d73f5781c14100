/** The rows of the memory layers here. */
import type { PaymentId } from "../../domain/Identifiers.ts"
import { memoryTable } from "../database/MemoryDatabase.ts"
import type { KeyName, NewKey, StoredKey } from "./IdempotencyStore.ts"

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
