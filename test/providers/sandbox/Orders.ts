/** Orders as the payments service would send them, and the rails that take them. */
import { Clock, Deferred, Effect, Layer, Redacted } from "effect"
import { OrgId, PaymentId } from "../../../src/domain/Identifiers.ts"
import { type CountryCode } from "../../../src/domain/Country.ts"
import { type BuiltInRail } from "../../../src/domain/Corridor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import type { CallbackEvent, PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { RailCustomer } from "../../../src/providers/sandbox/RailCustomer.ts"
import { makeRails } from "../../../src/providers/sandbox/Rails.ts"
import { railStoreMemory } from "../../../src/providers/sandbox/RailMemory.ts"
import { type Deliver, railWorker } from "../../../src/providers/sandbox/RailWorker.ts"
import { testSettings, TestVault } from "../../support/TestSettings.ts"

export const checkoutUrl = "http://127.0.0.1:3000/checkout/p1?t=abc"

export const shillings = (minor: bigint) => new Money({ currency: CurrencyCode.make("KES"), minor })

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
      card: null,
      walletAddress: null,
      recipient: null,
      checkoutUrl,
      ...about
    }
    return order
  })

export const card = (number: string): Partial<PaymentOrder> => ({
  method: "card",
  card: Redacted.make({ number, expiryMonth: "12", expiryYear: "2030", cvv: "123", holder: null })
})

export const phone = (phoneNumber: string): Partial<PaymentOrder> => ({
  method: "mobile_money",
  mobileMoney: { network: "mpesa", phoneNumber }
})

export const bank = (accountNumber: string): Partial<PaymentOrder> => ({
  method: "bank_transfer",
  bank: { accountName: null, accountNumber, bankCode: null, bankName: null, country: null }
})

export const railNamed = (name: BuiltInRail) =>
  Effect.map(makeRails, (rails) => rails.find((rail) => rail.name === name)!)

export const RailsOnMemory = Layer.mergeAll(railStoreMemory, TestVault).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Ids.layer),
  // At the pace that people see, which costs nothing on the clock of the tests.
  Layer.provideMerge(testSettings({ SANDBOX_RAIL_PACE: "1 second" }))
)

export const RailsAndCustomer = RailCustomer.layer.pipe(Layer.provideMerge(RailsOnMemory))

export interface Heard {
  readonly at: number
  readonly event: CallbackEvent
}

/** A worker of its own whose callbacks the rails themselves verify and read. */
export const listening = Effect.gen(function* () {
  const heard: Array<Heard> = []
  const rails = yield* makeRails
  const deliver: Deliver = (provider, request) =>
    Effect.gen(function* () {
      const rail = rails.find(({ name }) => name === provider)!
      const event = yield* Effect.orDie(rail.callback(request))
      heard.push({ at: yield* Clock.currentTimeMillis, event })
    })
  const ready = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkScoped(Effect.zipRight(Deferred.succeed(ready, undefined), railWorker(deliver)))
  yield* Deferred.await(ready)
  return { heard, fiber, states: () => heard.map(({ event }) => event.report?.state) }
})
