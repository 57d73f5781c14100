/** Ramps whose provider reports a dispute about a part, but no payment, when it is asked: they expire all the same. */
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Report } from "../../../src/domain/Outcome.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { actable } from "../support/ActionCalls.ts"
import { itemsOf } from "../support/OperatorActions.ts"
import { attemptsOf, eventually, untilStatus } from "../support/PaymentCalls.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { movableClock, timePasses } from "../support/PaymentServices.ts"
import { onRamp } from "../support/RampCalls.ts"
import { accepts, reports } from "../support/ScriptedProvider.ts"

const stripe = actable("stripe")
const clock = movableClock()
const variables = { STATUS_ENQUIRY_DELAYS: "1 minute" }

const disputed = (reference: string) =>
  new Report({
    ...{ state: "returned", reason: "disputed", providerPaymentId: null, providerStatus: null },
    movements: [
      {
        kind: "reversal",
        id: `dispute of ${reference}`,
        amount: moneyOf("1.00", CurrencyCode.make("KES")),
        state: "settled"
      }
    ]
  })

onPaymentServer(
  "A ramp with a dispute about a payment that was never reported",
  "memory",
  { providers: [stripe], clock, variables },
  (it) => {
    const disputedIn = (country: string) =>
      Effect.gen(function* () {
        yield* serveCountry(country, ["stripe"], "bank_transfer", "inbound")
        yield* serveCountry(country, ["stripe"], "crypto", "outbound")
        stripe.otherwise(accepts({ state: "pending", nextAction: "bank_transfer" }))
        const { payment_id } = yield* onRamp(country)
        const reference = String((yield* attemptsOf(payment_id))[0]?.["attempt_id"])
        stripe.says(reference, disputed(reference))
        yield* timePasses(clock, "2 minutes")
        // The last of the planned enquiries is answered.
        yield* eventually(itemsOf(payment_id), (items) => items.some(({ kind }) => kind === "suspense"))
        return { payment_id, reference }
      })

    it.effect("is asked about at its end though the dispute answered the last enquiry before", () =>
      Effect.gen(function* () {
        const { payment_id, reference } = yield* disputedIn("HU")
        stripe.says(reference, reports("pending"))
        yield* timePasses(clock, "29 minutes")
        yield* untilStatus(payment_id, "canceled")
      })
    )

    it.effect("waits for an operator where nothing else is reported at its end", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* disputedIn("AT")
        yield* timePasses(clock, "29 minutes")
        const kinds = Effect.map(itemsOf(payment_id), (items) => items.map(({ kind }) => kind))
        yield* eventually(kinds, (all) => all.includes("unknown_outcome"))
      })
    )
  }
)
