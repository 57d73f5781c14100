import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber, Option, TestClock } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import { type BuiltInRail, builtInRails, type Flow, type PaymentMethod } from "../../../src/domain/Corridor.ts"
import type { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Absent, Accepted, Declined, type Report, Unknown } from "../../../src/domain/Outcome.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { makeSimulators } from "../../../src/providers/sandbox/SimulatorProviders.ts"
import {
  attemptAt,
  bank,
  card,
  checkoutUrl,
  listening,
  newOrder,
  phone,
  simulatorNamed,
  SimulatorsOnMemory
} from "./SimulatorOrders.ts"

const GOOD_CARD = "4111111111111111"
const payout = (details: Partial<PaymentOrder>): Partial<PaymentOrder> => ({ ...details, flow: "outbound" })

/** Runs one order: the simulator's answer, its callbacks to a worker that comes ten seconds later, and an enquiry. */
const course = (details: Partial<PaymentOrder>, name: (typeof builtInRails)[number] = "fiat") =>
  Effect.gen(function* () {
    const simulator = yield* simulatorNamed(name)
    const order = yield* newOrder(details)
    const fiber = yield* Effect.fork(simulator.initiate(order))
    yield* TestClock.adjust("10 seconds")
    const { received, states } = yield* listening
    yield* TestClock.adjust("100 millis")
    const exit = yield* Fiber.poll(fiber)
    const outcome = Option.isNone(exit) ? null : yield* Fiber.join(fiber)
    const enquiry = yield* simulator.enquire(attemptAt(order.reference))
    return { order, outcome, received, states: states(), enquiry }
  }).pipe(Effect.scoped, Effect.provide(SimulatorsOnMemory))

const answers = (state: Accepted["state"], nextAction: Accepted["nextAction"]) =>
  expect.objectContaining({ _tag: "Accepted", state, nextAction })

const reports = (state: Report["state"]) => expect.objectContaining({ _tag: "Report", state })

describe("a simulator that takes the payment and completes it", () => {
  const usual: ReadonlyArray<readonly [string, Partial<PaymentOrder>, Accepted["state"], Accepted["nextAction"]]> = [
    ["card payin", card(GOOD_CARD), "processing", null],
    ["mobile money payin", phone("+254712345678"), "processing", "wait"],
    ["bank payin", bank("0123456789"), "pending", "bank_transfer"],
    ["card payout", payout(card(GOOD_CARD)), "processing", null],
    ["mobile money payout", payout(phone("+254712345678")), "processing", null],
    ["bank payout", payout(bank("0123456789")), "processing", null]
  ]
  for (const [name, details, state, nextAction] of usual) {
    it.effect(`${name}: ${state}, then completed`, () =>
      Effect.gen(function* () {
        const { enquiry, received, order, outcome } = yield* course(details)
        expect(outcome).toEqual(answers(state, nextAction))
        expect(received.map(({ event }) => event.report)).toEqual([reports("completed")])
        expect(received[0]!.event.attempt).toEqual({
          reference: order.reference,
          providerPaymentId: (outcome as Accepted).providerPaymentId
        })
        expect(enquiry).toEqual(reports("completed"))
        const { providerPaymentId: id } = outcome as Accepted
        const kind = order.flow === "outbound" ? "disbursement" : "collection"
        const movements = [{ kind, id, amount: order.money, state: "settled" }]
        for (const report of [received[0]!.event.report, enquiry]) expect(report).toMatchObject({ movements })
      })
    )
  }

  it.effect("names an account for a bank payin, the same for the same reference", () =>
    Effect.gen(function* () {
      const simulator = yield* simulatorNamed("fiat")
      const order = yield* newOrder(bank("0123456789"))
      const first = (yield* simulator.initiate(order)) as Accepted
      expect(first.actionData).toEqual({
        account_name: expect.stringMatching(/./),
        account_number: expect.stringMatching(/^\d{10}$/),
        bank_name: expect.stringMatching(/./),
        bank_code: expect.stringMatching(/^\d+$/),
        reference: expect.stringMatching(/^CR[0-9A-F]{10}$/),
        expires_at: "1970-01-01T00:30:00.000Z"
      })
      yield* TestClock.adjust("5 minutes")
      expect(yield* simulator.initiate(order)).toEqual(first)
      const other = (yield* simulator.initiate(yield* newOrder(bank("0123456789")))) as Accepted
      expect(other.actionData.account_number).not.toBe(first.actionData.account_number)
    }).pipe(Effect.provide(SimulatorsOnMemory))
  )
})

describe("a simulator and its magic values", () => {
  const endings = [
    ["payin from phone", (ending: string) => phone(`+25471234${ending}`)],
    ["payout to phone", (ending: string) => payout(phone(`+254 712 34 ${ending}`))],
    ["payin from account", (ending: string) => bank(`012345${ending}`)],
    ["payout to account", (ending: string) => payout(bank(`012345${ending}`))]
  ] as const

  const declines = [
    ["card", card("4000000000000002")],
    ...endings.map(([name, of]) => [name, of("0001")] as const)
  ] as const
  for (const [name, details] of declines) {
    it.effect(`${name}: declines`, () =>
      Effect.gen(function* () {
        const { enquiry, outcome, states } = yield* course(details)
        expect(outcome).toEqual(new Declined({ reason: "The payment was declined" }))
        expect(states).toEqual([])
        expect(enquiry).toEqual(reports("failed"))
      })
    )
  }

  const silent = [
    ["card", card("4000000000000119")],
    ...endings.map(([name, of]) => [name, of("0003")] as const)
  ] as const
  for (const [name, details] of silent) {
    it.effect(`${name}: never answers, nor does a look-up, though it has the payment`, () =>
      Effect.gen(function* () {
        const { enquiry, outcome, states } = yield* course(details)
        expect(outcome).toBeNull()
        expect(states).toEqual([])
        expect(enquiry).toBeInstanceOf(Unknown)
      })
    )
  }

  for (const [name, of] of endings) {
    it.effect(`${name} 0004: accepts and fails later`, () =>
      Effect.gen(function* () {
        const { enquiry, received, outcome } = yield* course(of("0004"))
        expect(outcome).toBeInstanceOf(Accepted)
        const failure = expect.objectContaining({ state: "failed", reason: "The payment failed after it was accepted" })
        expect(received.map(({ event }) => event.report)).toEqual([failure])
        expect(enquiry).toEqual(failure)
      })
    )

    it.effect(`${name} 0006: loses the answer, and completes all the same`, () =>
      Effect.gen(function* () {
        const { enquiry, outcome, states } = yield* course(of("0006"))
        expect(outcome).toBeInstanceOf(Unknown)
        expect(states).toEqual(["completed"])
        expect(enquiry).toEqual(reports("completed"))
      })
    )

    it.effect(`${name} 0007: answers after two seconds and completes a second later`, () =>
      Effect.gen(function* () {
        const simulator = yield* simulatorNamed("fiat")
        const { received } = yield* listening
        const fiber = yield* Effect.fork(simulator.initiate(yield* newOrder(of("0007"))))
        yield* TestClock.adjust("1999 millis")
        expect(yield* Fiber.poll(fiber)).toEqual(Option.none())
        yield* TestClock.adjust("1 millis")
        expect(yield* Fiber.join(fiber)).toBeInstanceOf(Accepted)
        yield* TestClock.adjust("1 second")
        expect(received.map(({ at, event }) => [at, event.report?.state])).toEqual([[3000, "completed"]])
      }).pipe(Effect.scoped, Effect.provide(SimulatorsOnMemory))
    )

    it.effect(`${name} 0008: says completed twice in one event and once in another`, () =>
      Effect.gen(function* () {
        const { received, outcome, states } = yield* course(of("0008"))
        expect(outcome).toBeInstanceOf(Accepted)
        expect(states).toEqual(["completed", "completed", "completed"])
        const [first, second, third] = received.map(({ event }) => event.key)
        expect(second).toBe(first)
        expect(third).not.toBe(first)
      })
    )

    it.effect(`${name} 0009: says completed before processing, and stays completed`, () =>
      Effect.gen(function* () {
        const { enquiry, received, outcome, states } = yield* course(of("0009"))
        expect(outcome).toBeInstanceOf(Accepted)
        expect(states).toEqual(["completed", "processing"])
        expect(new Set(received.map(({ event }) => event.key)).size).toBe(2)
        expect(enquiry).toEqual(reports("completed"))
      })
    )
  }

  const customerActs = [
    ["card 4000000000003220", card("4000000000003220"), "redirect", { redirect_url: checkoutUrl }],
    ["phone 0002", phone("+254712340002"), "collect_otp", {}],
    ["phone 0005", phone("+254712340005"), "pay_by_link", { payment_link: checkoutUrl }]
  ] as const
  for (const [name, details, nextAction, actionData] of customerActs) {
    it.effect(`${name}: ${nextAction}, and waits for the customer`, () =>
      Effect.gen(function* () {
        const { enquiry, outcome, states } = yield* course(details)
        expect(outcome).toEqual(answers("pending", nextAction))
        expect((outcome as Accepted).actionData).toEqual(actionData)
        expect(states).toEqual([])
        expect(enquiry).toEqual(reports("pending"))
      })
    )
  }

  it.effect("phone endings with a customer's act mean nothing for bank accounts", () =>
    Effect.gen(function* () {
      for (const ending of ["0002", "0005"]) {
        expect((yield* course(bank(`012345${ending}`))).states).toEqual(["completed"])
      }
    })
  )
})

describe("the other simulators", () => {
  const tether = new Money({ currency: "USDT", minor: 25_000_000n })
  const deposits = [
    ["BTC", "BITCOIN", /^1[1-9A-HJ-NP-Za-km-z]{25,33}$/],
    ["USDT", "TRON", /^T[1-9A-HJ-NP-Za-km-z]{33}$/],
    ["USDC", "SOLANA", /^[1-9A-HJ-NP-Za-km-z]{32,44}$/],
    ["ETH", "BASE", /^0x[0-9a-fA-F]{40}$/]
  ] as const
  for (const [currency, network, address] of deposits) {
    it.effect(`crypto: a deposit of ${currency} on ${network}`, () =>
      Effect.gen(function* () {
        const money = new Money({ currency, minor: 1n })
        const order = { method: "crypto", money, walletAddress: { address: "", network } } as const
        const { outcome, states } = yield* course(order, "crypto")
        expect(outcome).toEqual(answers("pending", "wait"))
        expect((outcome as Accepted).actionData).toEqual({ address: expect.stringMatching(address), network })
        expect(states).toEqual(["completed"])
      })
    )
  }

  it.effect("crypto: a deposit without a network takes the asset's first", () =>
    Effect.gen(function* () {
      const { outcome } = yield* course({ method: "crypto", money: tether }, "crypto")
      expect((outcome as Accepted).actionData.network).toBe("ETHEREUM")
    })
  )

  it.effect("crypto: out to a wallet", () =>
    Effect.gen(function* () {
      const walletAddress = { address: "0x0000000000000000000000000000000000000001", network: "ETHEREUM" }
      const { outcome, states } = yield* course(payout({ method: "crypto", money: tether, walletAddress }), "crypto")
      expect(outcome).toEqual(answers("processing", null))
      expect(states).toEqual(["completed"])
    })
  )

  it.effect("hybrid: a ramp is collected by whatever its details are", () =>
    Effect.gen(function* () {
      const ramp = { flow: "external", method: "crypto", card: null } as const
      const push = yield* course({ ...phone("+254712345678"), ...ramp }, "hybrid")
      expect(push.outcome).toEqual(answers("processing", "wait"))
      const transfer = yield* course({ ...bank("0123456789"), ...ramp }, "hybrid")
      expect(transfer.outcome).toEqual(answers("pending", "bank_transfer"))
      const deposit = yield* course({ ...ramp, money: tether }, "hybrid")
      expect((deposit.outcome as Accepted).actionData.network).toBe("ETHEREUM")
      const refused = yield* course({ ...phone("+254712340001"), ...ramp }, "hybrid")
      expect(refused.outcome).toBeInstanceOf(Declined)
    })
  )

  it.effect("fiat: a card that the payer enters on the provider's page leads to the page", () =>
    Effect.gen(function* () {
      const { outcome, states } = yield* course({ card: null })
      expect(outcome).toMatchObject({
        state: "pending",
        nextAction: "redirect",
        actionData: { redirect_url: checkoutUrl }
      })
      expect(states).toEqual([])
    })
  )

  it.effect("manual: waits for an operator, whatever the values", () =>
    Effect.gen(function* () {
      for (const details of [phone("+254712345678"), phone("+254712340001"), card("4000000000000119")]) {
        const { enquiry, outcome, states } = yield* course(details, "manual")
        expect(outcome).toEqual(answers("processing", "wait"))
        expect(states).toEqual([])
        expect(enquiry).toEqual(reports("processing"))
      }
    })
  )

  it.effect("each supports its own corridors", () =>
    Effect.gen(function* () {
      const simulators = new Map((yield* makeSimulators).map((simulator) => [simulator.name, simulator.supports]))
      const kes = "KES" as AnyCurrencyCode
      const serves = (simulator: BuiltInRail, currency: AnyCurrencyCode, method: PaymentMethod, flow: Flow) =>
        Either.isRight(
          simulators.get(simulator)!({ currency, method, flow, country: CountryCode.make("KE"), network: null })
        )
      const seen = [
        serves("fiat", kes, "card", "inbound"),
        serves("fiat", kes, "mobile_money", "outbound"),
        serves("fiat", "USDT", "card", "inbound"),
        serves("fiat", kes, "crypto", "inbound"),
        serves("fiat", kes, "bank_transfer", "external"),
        serves("crypto", "USDT", "crypto", "outbound"),
        serves("crypto", kes, "crypto", "inbound"),
        serves("crypto", "USDT", "crypto", "external"),
        serves("hybrid", "USDT", "crypto", "external"),
        serves("hybrid", kes, "crypto", "external"),
        serves("hybrid", kes, "crypto", "inbound"),
        serves("hybrid", kes, "card", "external"),
        serves("manual", kes, "wallet", "outbound")
      ]
      expect(seen).toEqual([true, true, false, false, false, true, false, false, true, true, false, false, true])
      expect([...simulators.keys()].toSorted()).toEqual([...builtInRails].toSorted())
    }).pipe(Effect.provide(SimulatorsOnMemory))
  )

  it.effect("none knows a reference that it never had, nor another simulator's", () =>
    Effect.gen(function* () {
      const [fiat, manual] = [yield* simulatorNamed("fiat"), yield* simulatorNamed("manual")]
      const order = yield* newOrder(card(GOOD_CARD))
      const asked = attemptAt(order.reference)
      expect(yield* fiat.enquire(asked)).toEqual(new Absent())
      yield* fiat.initiate(order)
      expect(yield* fiat.enquire(asked)).toEqual(reports("processing"))
      expect(yield* manual.enquire(asked)).toEqual(new Absent())
      expect(yield* manual.initiate(order)).toBeInstanceOf(Declined)
      expect(yield* fiat.enquire(attemptAt("no id at all"))).toEqual(new Absent())
    }).pipe(Effect.provide(SimulatorsOnMemory))
  )
})
