/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { Organization } from "./Organization.ts"

export const organizationTables = {
  organizations: memoryTable<Organization>("organizations"),
  spreads: memoryTable<number>("spreads")
}
