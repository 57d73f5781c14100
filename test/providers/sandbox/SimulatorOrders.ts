/** Orders as the payments service would send them, and the simulators that take them. */
import { Clock, Deferred, Effect, Layer, Redacted } from "effect"
import { OrgId, PaymentId, Ids } from "../../../src/domain/Ids.ts"
import type { CountryCode } from "../../../src/domain/Country.ts"
import type { BuiltInRail } from "../../../src/domain/Corridor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import type { CallbackRequest, VerifiedReport } from "../../../src/providers/port/Callback.ts"
import type { AttemptContext, PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { SimulatorCustomer } from "../../../src/providers/sandbox/SimulatorCustomer.ts"
import { makeSimulators } from "../../../src/providers/sandbox/SimulatorProviders.ts"
import { simulatorStoreMemory } from "../../../src/providers/sandbox/SimulatorMemory.ts"
import { type Deliver, simulatorWorker } from "../../../src/providers/sandbox/SimulatorWorker.ts"
import { testSettings, TestVault } from "../../support/TestSettings.ts"

export const checkoutUrl = "http://127.0.0.1:3000/checkout/p1?t=abc"

export const shillings = (minor: bigint) => new Money({ currency: CurrencyCode.make("KES"), minor })

const cardNumbered = (number: string): PaymentOrder["card"] =>
  Redacted.make({ number, expiryMonth: "12", expiryYear: "2030", cvv: "123", holder: null })

export const newOrder = (about: Partial<PaymentOrder> = {}) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const order: PaymentOrder = {
      reference: yield* ids.next,
      paymentId: yield* ids.make(PaymentId),
      orgId: yield* ids.make(OrgId),
      flow: "inbound",
      method: "card",
      country: "KE" as CountryCode,
      money: shillings(150_000n),
      description: null,
      payer: null,
      mobileMoney: null,
      bank: null,
      card: cardNumbered("4242424242424242"),
      walletAddress: null,
      recipient: null,
      sender: null,
      browser: null,
      checkoutUrl,
      returnUrl: "http://127.0.0.1:3000/checkout/p1/return?t=abc",
      expiresAt: null,
      ...about
    }
    return order
  })

/** The attempt at an order, as it is asked about. */
export const attemptAt = (reference: string, about: Partial<AttemptContext> = {}): AttemptContext => ({
  reference,
  providerPaymentId: null,
  hintedIds: [],
  leg: "payment",
  flow: "inbound",
  method: "card",
  country: "KE" as CountryCode,
  network: null,
  money: shillings(150_000n),
  sentAt: new Date(0),
  orgId: OrgId.make("00000000-0000-7000-8000-000000000001"),
  configId: null,
  isWanted: true,
  broughtBy: null,
  ...about
})

/** Callback of a provider, as it reaches us. */
export const calledBack = (provider: string, sent: Pick<CallbackRequest, "headers" | "body">): CallbackRequest => ({
  method: "POST",
  path: `/callbacks/${provider}`,
  query: {},
  authority: "127.0.0.1:3000",
  ...sent
})

export const card = (number: string): Partial<PaymentOrder> => ({ method: "card", card: cardNumbered(number) })

export const phone = (phoneNumber: string): Partial<PaymentOrder> => ({
  method: "mobile_money",
  mobileMoney: { network: "mpesa", phoneNumber }
})

export const bank = (accountNumber: string): Partial<PaymentOrder> => ({
  method: "bank_transfer",
  bank: { accountName: null, accountNumber, bankCode: null, bankName: null, country: null }
})

export const simulatorNamed = (name: BuiltInRail) =>
  Effect.map(makeSimulators, (simulators) => simulators.find((simulator) => simulator.name === name)!)

export const SimulatorsOnMemory = Layer.mergeAll(simulatorStoreMemory, TestVault).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Ids.layer),
  // At the pace that people see, which costs nothing on the clock of the tests.
  Layer.provideMerge(testSettings({ SANDBOX_RAIL_PACE: "1 second" }))
)

export const SimulatorsAndCustomer = SimulatorCustomer.layer.pipe(Layer.provideMerge(SimulatorsOnMemory))

export interface ReceivedCallback {
  readonly at: number
  readonly event: VerifiedReport
}

/** Worker of its own whose callbacks the simulators themselves verify and read. */
export const listening = Effect.gen(function* () {
  const received: Array<ReceivedCallback> = []
  const simulators = yield* makeSimulators
  const deliver: Deliver = (provider, request) =>
    Effect.gen(function* () {
      const simulator = simulators.find(({ name }) => name === provider)!
      const { events } = yield* Effect.orDie(simulator.callback(calledBack(provider, request)))
      const at = yield* Clock.currentTimeMillis
      for (const event of events) {
        if (event._tag === "Hint") throw new Error("a simulator signs its callbacks")
        received.push({ at, event })
      }
    })
  const ready = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkScoped(Effect.zipRight(Deferred.succeed(ready, undefined), simulatorWorker(deliver)))
  yield* Deferred.await(ready)
  return {
    received,
    fiber,
    states: () => received.map(({ event }) => event.report.state)
  }
})
