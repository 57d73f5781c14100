/** A payment as it is first written down. */
import { Clock, type Context, Effect } from "effect"
import { type OrgId, PaymentId, TransactionId } from "../../domain/Identifiers.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import { totalOf } from "../../domain/Fee.ts"
import type { Ids } from "../../domain/Ids.ts"
import type { Payment } from "../store/Payment.ts"
import type { NewFee } from "../../domain/Fee.ts"
import type { PaymentPlan } from "./PaymentPlan.ts"

type Described = PaymentPlan["payment"] & Partial<Pick<Payment, "funding" | "ramp" | "expires_at">>

export const draft = Effect.fnUntraced(function* (
  ids: Context.Tag.Service<Ids>,
  permit: Permit<Access>,
  orgId: OrgId,
  described: Described,
  charged: ReadonlyArray<NewFee>
) {
  const user = yield* Effect.orDie(permit.actor.userId)
  const at = new Date(yield* Clock.currentTimeMillis)
  const payment_id = yield* ids.make(PaymentId)
  const transaction_id = yield* ids.make(TransactionId)
  const payment: Payment = {
    funding: null,
    ramp: null,
    expires_at: null,
    ...described,
    payment_id,
    transaction_id,
    org_id: orgId,
    user_id: user,
    status: "initiated",
    version: 1,
    user_metadata: { user_id: user, role: permit.role },
    webhook_metadata: {},
    provider: null,
    provider_payment_id: null,
    provider_status: null,
    provider_data: {},
    next_action: null,
    action_data: {},
    comments: null,
    failure: null,
    refunds: [],
    payout_id: null,
    otp_failures: 0,
    fee_ids: charged.map(({ fee_id }) => fee_id),
    total_fees: totalOf(charged.map(({ amount }) => amount)),
    holds: false,
    created_at: at,
    updated_at: at
  }
  return payment
})
