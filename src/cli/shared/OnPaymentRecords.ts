/** For commands that read payments. */
import { paymentRecordsOn } from "../../app/PaymentRecords.ts"
import { ExistingLive } from "./ExistingDatabase.ts"
import { onDatabase } from "./OnDatabase.ts"

export const onPaymentRecords = onDatabase(paymentRecordsOn(ExistingLive))
