/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { StoredInvitation } from "./Member.ts"

export const memberTables = {
  invitations: memoryTable<StoredInvitation>("invitations")
}
