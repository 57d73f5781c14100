/** A provider that was chosen to pay out a ramp, and is not asked after all, gives its circuit probe back. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type AttemptId, Ids } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Accepted, Report } from "../../../src/domain/Outcome.ts"
import type { Candidate } from "../../../src/domain/Routing.ts"
import { Ledger } from "../../../src/money/ledger/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import { type Chosen, PaymentRouter } from "../../../src/payments/route/PaymentRouter.ts"
import type { RampFacts } from "../../../src/payments/store/Payment.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { Providers } from "../../../src/providers/port/Provider.ts"
import { EventPublisher } from "../../../src/webhooks/EventPublisher.ts"
import { makeAttempt, newOwner, newPayment, shillings } from "../support/NewPayment.ts"
import { WithdrawalEvents } from "../../../src/treasury/accounts/WithdrawalEvents.ts"
import { openStoresOn } from "../support/PaymentServices.ts"
import { testSettings } from "../../support/TestSettings.ts"

const facts: RampFacts = {
  direction: "on_ramp",
  network: "ETHEREUM",
  wallet_address: "0x52908400098527886E0F7030069857D2E4169EE7",
  collection: "bank_transfer",
  settlement: "crypto",
  rate: "0.0077",
  client_rate: "0.0077",
  customer_type: "retail",
  business_id: null,
  business_name: null,
  collected: null
}

const chosen: Array<AttemptId> = []
const released: Array<AttemptId> = []

const routers = Layer.effect(
  PaymentRouter,
  Effect.gen(function* () {
    const ids = yield* Ids
    const none = Effect.succeed({ candidates: [], excluded: [] })
    return {
      route: () => none,
      routeAny: () => none,
      routeOf: () => none,
      routeLeg: () => Effect.succeed({ candidates: [{ provider: "circle" } as Candidate], excluded: [] }),
      choose: (_org, _candidates, leg) =>
        Effect.gen(function* () {
          const attempt = yield* makeAttempt({ leg, provider: "circle" })
          chosen.push(attempt.attempt_id)
          return { attempt, rest: [] } as unknown as Chosen
        }).pipe(Effect.provideService(Ids, ids)),
      unsent: (_org, { attempt }) => Effect.sync(() => void released.push(attempt.attempt_id))
    }
  })
)

/** Only where the money of one payment is. */
const ledger = Layer.effect(
  Ledger,
  Effect.map(LedgerStore, (store) => store as unknown as (typeof Ledger)["Service"])
)

const services = RecordOutcome.layer.pipe(
  Layer.provide(WithdrawalEvents.pipe(Layer.provide(EventPublisher.layer))),
  Layer.provide(Layer.mergeAll(routers, ledger, Providers.layerOf([]))),
  Layer.provideMerge(openStoresOn("memory")),
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(testSettings())
)

layer(services, { excludeTestServices: true })("a payout provider that is not asked", (it) => {
  const collecting = Effect.gen(function* () {
    chosen.length = released.length = 0
    const { recorder, store } = yield* Effect.all({ recorder: RecordOutcome, store: PaymentStore })
    const target = new Money({ currency: "USDT", minor: 100_000_000n })
    const about = { direction: "external", payment_method: "crypto", status: "pending", ramp: facts, target } as const
    const { attempt, payment } = yield* newPayment(yield* newOwner, about, { leg: "collection" })
    const waits = new Accepted({
      ...{ state: "pending", providerPaymentId: null, providerStatus: null, nextAction: "bank_transfer" },
      ...{ actionData: {}, providerData: {} }
    })
    const known = Effect.flatten(store.findAttempt(attempt.attempt_id, null))
    yield* recorder.record(yield* known, waits, { cause: "a test" })
    const paid = (minor: bigint) =>
      new Report({
        ...{ state: "completed", reason: null, providerPaymentId: null, providerStatus: null },
        movements: [
          { kind: "collection", id: `paid ${attempt.attempt_id}`, amount: shillings(minor), state: "settled" }
        ]
      })
    return { known, paid, recorder, amount: payment.amount.minor }
  })

  it.effect("because too little arrived", () =>
    Effect.gen(function* () {
      const { known, paid, recorder } = yield* collecting
      yield* recorder.record(yield* known, paid(100n), { cause: "a test" })
      expect(chosen).toHaveLength(1)
      expect(released).toEqual(chosen)
    })
  )

  it.effect("because another instance was faster, and not the probe of the one that is asked", () =>
    Effect.gen(function* () {
      const { amount, known, paid, recorder } = yield* collecting
      const read = yield* known
      const outdated = { ...read, payment: { ...read.payment, version: read.payment.version - 1 } }
      yield* recorder.record(outdated, paid(amount), { cause: "a test" })
      expect(chosen).toHaveLength(2)
      expect(released).toEqual(chosen.slice(0, 1))
    })
  )
})
