/** For commands that need records of organisations, people, money and endpoints. */
import { recordServicesOn } from "../../app/RecordServices.ts"
import { ExistingLive, onDatabase } from "./LocalDatabase.ts"

export const onRecords = onDatabase(recordServicesOn(ExistingLive))
