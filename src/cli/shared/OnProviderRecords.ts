/** For commands about providers and their accounts. */
import { providerRecordsOn } from "../../app/ProviderRecords.ts"
import { ExistingLive } from "./ExistingDatabase.ts"
import { onDatabase } from "./OnDatabase.ts"

export const onProviderRecords = onDatabase(providerRecordsOn(ExistingLive))
