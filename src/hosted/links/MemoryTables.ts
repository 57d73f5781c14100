/** The rows of the memory layers here. */
import { memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { LinkPayment, StoredLink } from "./LinkStore.ts"

export const linkTables = {
  paymentLinks: memoryTable<StoredLink>("paymentLinks"),
  linkPayments: memoryTable<LinkPayment>("linkPayments")
}
