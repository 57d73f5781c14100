/** For commands that settle payments. */
import { paymentSettlementsOn } from "../../app/PaymentSettlements.ts"
import { ExistingLive, onDatabase } from "./LocalDatabase.ts"

export const onPaymentSettlements = onDatabase(paymentSettlementsOn(ExistingLive))
