/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { RailPayment, StoredRailTimer } from "./RailPayment.ts"

export const railTables = {
  railPayments: memoryTable<RailPayment>("railPayments"),
  railTimers: memoryTable<StoredRailTimer>("railTimers")
}
