/** For commands that read payments. */
import { paymentRecordsOn } from "../../app/PaymentRecords.ts"
import { ExistingLive, onDatabase } from "./LocalDatabase.ts"

export const onPaymentRecords = onDatabase(paymentRecordsOn(ExistingLive))
