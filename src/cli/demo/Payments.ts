/** Payments of the demo: collected, refused, paid out in another currency, given back. */
import { Effect, Schema } from "effect"
import { type Calls, dataOf, Decimal, StepFailed } from "./Calls.ts"
import type { Shown } from "./Step.ts"

export const INITIATE = "/payments-init/initiate"

const Initiated = Schema.Struct({ response: Schema.Struct({ payment_id: Schema.String }) })
export const Recorded = Schema.Struct({ status: Schema.String })
const Refused = Schema.Struct({ code: Schema.String, payment_id: Schema.String })
export const Timeline = dataOf({
  items: Schema.Array(
    Schema.Struct({
      kind: Schema.String,
      provider: Schema.optional(Schema.String),
      outcome: Schema.optional(Schema.NullOr(Schema.String)),
      reason: Schema.optional(Schema.NullOr(Schema.String))
    })
  )
})
const Rate = dataOf({ org_rate_id: Schema.String, rate: Decimal, target_amount: Decimal })
const Beneficiary = dataOf({ beneficiary_id: Schema.String })

export const payer_details = { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" }

const shillings = { amount: 1500, target_amount: 1500, currency: "KES", target_currency: "KES", country: "KE" }

const DECLINED_CARD = "4000000000000002"

export const finished = (calls: Calls, paymentId: string, what: string, status = "completed") =>
  calls.until(what, `/payments/${paymentId}`, Recorded, (record) => record.status === status)

export const kenyanPhone = {
  account_type: "mobile_money",
  beneficiary_type: "individual",
  country: "KE",
  currency: "KES",
  fname: "Ada",
  lname: "Okafor",
  momo_details: { provider: "mpesa", phone_number: "+254712345678" }
}

export const newBeneficiary = (calls: Calls, body: object) =>
  Effect.map(calls.make("/beneficiaries", body, Beneficiary), ({ data }) => data.beneficiary_id)

export const payin = Effect.fn("Demo.payin")(function* (calls: Calls) {
  const mobile_money_details = { provider: "mpesa", phone_number: payer_details.phone }
  const about = { payment_method: "mobile_money", direction: "payin", payer_details, mobile_money_details }
  const { response } = yield* calls.act(INITIATE, { ...shillings, ...about }, Initiated)
  const { payment_id } = response
  yield* finished(calls, payment_id, "the payin to complete")
  const shown: Shown = {
    what: "1500.00 KES collected from an M-Pesa phone, completed",
    ids: { payment_id },
    curl: calls.curl(`/payments/${payment_id}`),
    events: [["payment.completed", payment_id]]
  }
  return { ...shown, paymentId: payment_id }
})

export const declinedCard = Effect.fn("Demo.declinedCard")(function* (calls: Calls) {
  const card_details = { card_number: DECLINED_CARD, expiry_month: "12", expiry_year: "2035", cvv: "123" }
  const about = { payment_method: "card", direction: "payin", payer_details, card_details }
  const { code, payment_id } = yield* calls.act(INITIATE, { ...shillings, ...about }, Refused, 502)
  const path = `/payments/${payment_id}/timeline`
  const { data } = yield* calls.get(path, Timeline)
  const attempt = data.items.find(({ kind, outcome }) => kind === "attempt" && outcome === "declined")
  if (attempt === undefined) return yield* new StepFailed({ message: "The timeline shows no declined attempt." })
  const shown: Shown = {
    what: `card ${DECLINED_CARD} refused with 502 ${code}; the timeline says: ${attempt.provider} declined, ${attempt.reason}`,
    ids: { payment_id },
    curl: calls.curl(path),
    events: [["payment.failed", payment_id]]
  }
  return shown
})

export const payout = Effect.fn("Demo.payout")(function* (calls: Calls) {
  const momo = { provider: "mtn", phone_number: "+256772123456" }
  const ugandan = { ...kenyanPhone, country: "UG", currency: "UGX", momo_details: momo }
  const beneficiary_id = yield* newBeneficiary(calls, ugandan)
  const asked = "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=UGX&amount=1500"
  const { data } = yield* calls.get(asked, Rate)
  const { org_rate_id, rate, target_amount } = data
  const { response } = yield* calls.act(
    INITIATE,
    {
      amount: 1500,
      target_amount,
      currency: "KES",
      target_currency: "UGX",
      org_rate_id,
      country: "UG",
      payment_method: "mobile_money",
      direction: "payout",
      beneficiary_id,
      mobile_money_details: momo
    },
    Initiated
  )
  const { payment_id } = response
  yield* finished(calls, payment_id, "the payout to complete")
  const shown: Shown = {
    what: `1500.00 KES paid out as ${target_amount.text} UGX to an MTN phone, at the locked rate ${rate.text}`,
    ids: { payment_id, org_rate_id },
    curl: calls.curl(`/payments/${payment_id}`),
    events: [["payment.completed", payment_id]]
  }
  return shown
})

export const refund = Effect.fn("Demo.refund")(function* (calls: Calls, payment_id: string) {
  const body = { action: "refund", reason: "The customer changed their mind" }
  yield* calls.act(`/payments-init/${payment_id}/action`, body, Initiated)
  yield* finished(calls, payment_id, "the refund to complete", "refunded")
  const shown: Shown = {
    what: "the payin given back in full, refunded",
    ids: { payment_id },
    curl: calls.curl(`/payments/${payment_id}/timeline`)
  }
  return shown
})
