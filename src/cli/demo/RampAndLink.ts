/** A crypto on-ramp of the demo, and a payment link to open in a browser. */
import { Effect, Schema } from "effect"
import { type Calls, dataOf, Decimal } from "./Calls.ts"
import { finished } from "./Payments.ts"
import type { RunningSandbox } from "../shared/RunningSandbox.ts"
import type { Shown } from "./Step.ts"

const Rate = dataOf({ rate: Decimal })
const Ramp = Schema.Struct({ response: Schema.Struct({ payment_id: Schema.String, crypto_amount: Decimal }) })
const Link = dataOf({ link_id: Schema.String, url: Schema.String })

const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"

export const onRamp = Effect.fn("Demo.onRamp")(function* (calls: Calls) {
  const { data } = yield* calls.get("/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USDT", Rate)
  const wanted = {
    fiat_currency: "KES",
    fiat_amount: 13_000,
    client_rate: data.rate,
    crypto_currency: "USDT",
    crypto_network: "POLYGON",
    country: "KE",
    wallet_address: WALLET,
    mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" }
  }
  const { response } = yield* calls.act("/payments-init/ramp", wanted, Ramp)
  const { crypto_amount, payment_id } = response
  yield* finished(calls, payment_id, "both legs of the on-ramp")
  const shown: Shown = {
    what: `13000.00 KES collected, ${crypto_amount.text} USDT settled to ${WALLET} on POLYGON`,
    ids: { payment_id },
    curl: calls.curl(`/payments/${payment_id}/timeline`),
    events: [["payment.completed", payment_id]]
  }
  return shown
})

export const paymentLink = Effect.fn("Demo.paymentLink")(function* (calls: Calls, { orgId }: RunningSandbox) {
  const path = `/orgs/${orgId}/payment-links`
  const wanted = { amount: 1500, currency: "KES", description: "Invoice 1042", amount_type: "fixed" }
  const { data } = yield* calls.make(path, wanted, Link)
  const shown: Shown = {
    what: `1500.00 KES to be paid in a browser at ${data.url}`,
    ids: { link_id: data.link_id },
    curl: calls.curl(`${path}/${data.link_id}`)
  }
  return shown
})
