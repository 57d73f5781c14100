/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { Membership, User } from "./User.ts"

export const userTables = {
  users: memoryTable<User>("users"),
  memberships: memoryTable<Membership>("memberships")
}

/** Of a membership. */
export const memberKey = (orgId: string, userId: string): string => `${orgId} ${userId}`
