/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { Escrow } from "./Escrow.ts"

export const escrowTables = {
  escrows: memoryTable<Escrow>("escrows")
}
