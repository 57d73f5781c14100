/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { VerificationRequest } from "./VerificationStore.ts"

export const verificationTables = {
  verificationRequests: memoryTable<VerificationRequest>("verificationRequests")
}
