/** The rows of the memory layers here. */
import type { OrgId, UserId } from "../../domain/Identifiers.ts"
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { Membership, User } from "./User.ts"

export const userTables = {
  users: memoryTable<User>("users"),
  memberships: memoryTable<Membership>("memberships")
}

/** Of a membership. */
export const memberKey = (orgId: OrgId, userId: UserId): string => `${orgId} ${userId}`
