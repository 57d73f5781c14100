/** For commands that need the whole service. */
import { appOn } from "../../app/Live.ts"
import { ExistingLive } from "./ExistingDatabase.ts"
import { onDatabase } from "./OnDatabase.ts"

export const onApp = onDatabase(appOn(ExistingLive))
