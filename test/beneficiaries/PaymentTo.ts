/** A payment as it stands in the store, for tests that need one to exist and nothing to have happened. */
import { Clock, Effect } from "effect"
import type { Beneficiary } from "../../src/beneficiaries/Beneficiary.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { Money } from "../../src/domain/Money.ts"
import type { PaymentStatus } from "../../src/domain/PaymentStatus.ts"
import type { Payment } from "../../src/payments/Payment.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { nextId } from "../stores/Fixtures.ts"

export const newPaymentTo = (
  to: Pick<Beneficiary, "beneficiary_id" | "beneficiary_of" | "country" | "org_id">,
  status: PaymentStatus
) =>
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const at = new Date(yield* Clock.currentTimeMillis)
    const amount = new Money({ currency: CurrencyCode.make("KES"), minor: 150_000n })
    const payment: Payment = {
      payment_id: yield* nextId,
      transaction_id: yield* nextId,
      org_id: to.org_id,
      user_id: to.beneficiary_of,
      status,
      version: 1,
      direction: "outbound",
      payment_method: "mobile_money",
      country: to.country,
      amount,
      target: amount,
      org_rate_id: null,
      client_reference: null,
      description: null,
      beneficiary_id: to.beneficiary_id,
      payer_details: {},
      mobile_money_details: {},
      card_details: {},
      bank_account: {},
      recipient_info: {},
      metadata: {},
      user_metadata: {},
      webhook_metadata: {},
      return_url: null,
      provider: null,
      provider_payment_id: null,
      provider_status: null,
      provider_data: {},
      next_action: null,
      action_data: {},
      comments: null,
      payout_id: null,
      otp_failures: 0,
      fee_ids: [],
      total_fees: null,
      created_at: at,
      updated_at: at
    }
    yield* store.create({ payment, attempt: null })
  })
