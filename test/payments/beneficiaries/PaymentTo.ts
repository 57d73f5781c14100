/** A payout to a beneficiary as it stands in the store, for tests that need one to exist and nothing to have happened. */
import { Effect } from "effect"
import type { Beneficiary } from "../../../src/payments/beneficiaries/Beneficiary.ts"
import type { PaymentStatus } from "../../../src/domain/PaymentStatus.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { makePayment } from "../support/NewPayment.ts"

export const newPaymentTo = (
  to: Pick<Beneficiary, "beneficiary_id" | "beneficiary_of" | "country" | "org_id">,
  status: PaymentStatus
) =>
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const payment = yield* makePayment(
      { org_id: to.org_id, user_id: to.beneficiary_of },
      {
        status,
        direction: "outbound",
        payment_method: "mobile_money",
        country: to.country,
        beneficiary_id: to.beneficiary_id
      }
    )
    yield* store.create({ payment, attempt: null })
  })
