/** For commands that settle payments. */
import { paymentSettlementsOn } from "../../app/PaymentSettlements.ts"
import { ExistingLive } from "./ExistingDatabase.ts"
import { onDatabase } from "./OnDatabase.ts"

export const onPaymentSettlements = onDatabase(paymentSettlementsOn(ExistingLive))
