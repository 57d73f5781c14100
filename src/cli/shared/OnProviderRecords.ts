/** For commands about providers and their accounts. */
import { providerRecordsOn } from "../../app/ProviderRecords.ts"
import { ExistingLive, onDatabase } from "./LocalDatabase.ts"

export const onProviderRecords = onDatabase(providerRecordsOn(ExistingLive))
