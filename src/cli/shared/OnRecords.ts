/** For commands that need records of organisations, people, money and endpoints. */
import { recordsOn } from "../../app/Records.ts"
import { ExistingLive, onDatabase } from "./LocalDatabase.ts"

export const onRecords = onDatabase(recordsOn(ExistingLive))
