/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { StoredBeneficiary } from "./BeneficiaryStore.ts"

export const beneficiaryTables = {
  beneficiaries: memoryTable<StoredBeneficiary>("beneficiaries")
}
