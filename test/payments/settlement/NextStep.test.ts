/** Instructions for the customer come from the attempt that has the payment, and from no other. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Report } from "../../../src/domain/Outcome.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { attemptsOf, callBack, eventually, initiate } from "../support/PaymentCalls.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { declines, isLost } from "../support/ScriptedProvider.ts"
import { threeProviders } from "../support/PayinBalances.ts"

onDatabasePaymentServer("what the customer must do", threeProviders, (it, { adyen, clock, stripe }) => {
  it.effect("is not said by a provider that refused the payment, and has it after all", () =>
    Effect.gen(function* () {
      yield* serveCountry("IE", ["stripe", "adyen"])
      stripe.on("two pages", declines())
      adyen.on("two pages", isLost())
      const { payment_id } = yield* initiate({ ...byCard(), country: "IE", description: "two pages" })
      const [first, second] = yield* attemptsOf(payment_id)
      const reference = String(first?.["attempt_id"])
      adyen.says(String(second?.["attempt_id"]), isLost())
      const stored = Effect.flatMap(PaymentStore, ({ find }) => Effect.flatten(find(Option.none(), payment_id)))
      const before = yield* stored
      expect(before).toMatchObject({ status: "pending", provider: "adyen", next_action: "check_status" })
      stripe.says(
        reference,
        new Report({
          state: "pending",
          reason: null,
          providerPaymentId: "pi_two",
          providerStatus: "open",
          fee: moneyOf("7.00", CurrencyCode.make("KES")),
          waitsFor: { nextAction: "redirect", actionData: { redirect_url: "https://stripe.example/pay" } }
        })
      )
      const asked = stripe.enquiries.length
      yield* callBack("stripe", { key: "two pages", reference, state: "processing" })
      yield* timePasses(clock, "11 seconds")
      yield* Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce)
      yield* eventually(
        Effect.sync(() => stripe.enquiries.length),
        (times) => times > asked
      )
      yield* Effect.sleep("300 millis")
      const after = yield* stored
      expect(after.next_action, "adyen may have the payment").toBe("check_status")
      expect(after.action_data).toEqual(before.action_data)
      expect(after.provider_data).toEqual(before.provider_data)
    })
  )
})
