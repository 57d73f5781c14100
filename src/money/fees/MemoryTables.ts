/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { FeeRule } from "./FeeRuleStore.ts"

export const feeTables = {
  feeRules: memoryTable<FeeRule>("feeRules")
}
