/** An on-ramp over HTTP whose customer has paid: stripe collects, others settle. */
import { Effect } from "effect"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { attemptsOf, callBack } from "./PaymentCalls.ts"
import { serveCountry } from "./PaymentServer.ts"
import { accepts, collected, type Scripted } from "./ScriptedProvider.ts"
import { onRamp } from "./RampCalls.ts"

/** Ramp of 13,000 shillings, of which stripe has received this much. */
export const paidRamp = (
  stripe: Scripted,
  country: string,
  received: string,
  payoutProviders: ReadonlyArray<ProviderName> = ["circle"]
) =>
  Effect.gen(function* () {
    yield* serveCountry(country, ["stripe"], "bank_transfer", "inbound")
    yield* serveCountry(country, payoutProviders, "crypto", "outbound")
    stripe.otherwise(() => Effect.succeed(accepts({ state: "pending", nextAction: "bank_transfer" })))
    const { payment_id } = yield* onRamp(country)
    const [collection] = yield* attemptsOf(payment_id)
    const reference = String(collection?.["attempt_id"])
    stripe.says(reference, collected("stripe", reference, moneyOf(received, CurrencyCode.make("KES"))))
    yield* callBack("stripe", { key: `${country} paid`, reference, state: null })
    return { payment_id, reference }
  })
