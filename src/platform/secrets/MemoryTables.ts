/** The rows of the memory layers here. */
import { memoryTable } from "../database/MemoryDatabase.ts"

export const secretTables = {
  secrets: memoryTable<string>("secrets")
}
