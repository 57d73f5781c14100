/** Where the sandbox speaks to fakes of third parties: a card payment that Stripe declines and Adyen takes. */
import { Effect, Schema } from "effect"
import { WireNumber } from "../../domain/Decimal.ts"
import { type Calls, dataOf, StepFailed } from "./Calls.ts"
import { finished, INITIATE, payer_details, Timeline } from "./Payments.ts"
import type { Shown } from "./Step.ts"

const Preview = dataOf({ candidates: Schema.Array(Schema.Struct({ provider: Schema.String })) })

const Redirected = Schema.Struct({
  response: Schema.Struct({ payment_id: Schema.String, redirect_url: Schema.String })
})

/** Its last two digits ask Stripe's fake alone to decline. */
const amount = new WireNumber("49.21")

const order = {
  amount,
  target_amount: amount,
  currency: "EUR",
  target_currency: "EUR",
  country: "DE",
  payment_method: "card",
  direction: "payin",
  payer_details,
  card_details: { card_number: "4242424242424242", expiry_month: "12", expiry_year: "2035", cvv: "123" }
}

/** Whether there are third parties to show. */
export const hasThirdParties = Effect.fn("Demo.hasThirdParties")(
  function* (calls: Calls) {
    const { data } = yield* calls.act("/payments-init/route-preview", order, Preview)
    const asked = data.candidates.map(({ provider }) => provider)
    return asked[0] === "stripe" && asked.includes("adyen")
  },
  Effect.orElseSucceed(() => false)
)

const visited = (url: string) =>
  Effect.tryPromise({
    try: (signal) => fetch(url, { signal }),
    catch: (error) => new StepFailed({ message: `The page of the third party could not be opened: ${String(error)}` })
  })

export const fallback = Effect.fn("Demo.fallback")(function* (calls: Calls) {
  const { response } = yield* calls.act(INITIATE, order, Redirected)
  const { payment_id, redirect_url } = response
  yield* visited(redirect_url)
  yield* finished(calls, payment_id, "the payment at Adyen's page to complete")
  const path = `/payments/${payment_id}/timeline`
  const { data } = yield* calls.get(path, Timeline)
  const attempts = data.items.filter(({ kind }) => kind === "attempt")
  const [refused, taken] = attempts
  if (refused?.outcome !== "declined" || taken?.outcome !== "accepted") {
    return yield* new StepFailed({ message: "The timeline does not show one that declined and one that took it." })
  }
  const shown: Shown = {
    what: `49.21 EUR by card: ${refused.provider} declined (${refused.reason}), ${taken.provider} took it on its own page, completed`,
    ids: { payment_id },
    curl: calls.curl(path),
    events: [["payment.completed", payment_id]]
  }
  return shown
})
