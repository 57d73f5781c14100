/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { RecordedMovement } from "../../domain/Movement.ts"
import type {
  Allocation,
  AttemptRow,
  HistoryRow,
  Payment,
  StoredCallback,
  StoredFee,
  StoredOperatorItem,
  UnmatchedCallback
} from "./Payment.ts"

export const paymentTables = {
  payments: memoryTable<Payment>("payments"),
  history: memoryTable<HistoryRow>("history"),
  attempts: memoryTable<AttemptRow>("attempts"),
  cardWaits: memoryTable<Pick<Payment, "org_id" | "payment_id"> & { readonly expires_at: Date }>("cardWaits"),
  callbacks: memoryTable<StoredCallback | UnmatchedCallback>("callbacks"),
  paymentFees: memoryTable<StoredFee>("paymentFees"),
  operatorItems: memoryTable<StoredOperatorItem>("operatorItems"),
  movements: memoryTable<RecordedMovement & Pick<Payment, "org_id" | "payment_id">>("movements"),
  allocations: memoryTable<Allocation & Pick<Payment, "org_id" | "payment_id">>("allocations")
}
