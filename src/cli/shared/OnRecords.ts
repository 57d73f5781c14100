/** For commands that need records of organisations, people, money and endpoints. */
import { recordsOn } from "../../app/Records.ts"
import { ExistingLive } from "./ExistingDatabase.ts"
import { onDatabase } from "./OnDatabase.ts"

export const onRecords = onDatabase(recordsOn(ExistingLive))
