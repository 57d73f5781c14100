/** An on-ramp whose customer takes the money back, at every moment: what was taken back is never spent. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, type Duration, Effect, Layer, Option } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { Absent, Declined } from "../../../src/domain/Outcome.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { RampPayoutWorker } from "../../../src/payments/dispatch/RampPayoutWorker.ts"
import { Ramps } from "../../../src/payments/ramps/Ramps.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { calledBack } from "../../providers/sandbox/SimulatorOrders.ts"
import { type Backend, backends } from "../../support/OnBothStores.ts"
import { everything } from "../../support/ListPages.ts"
import { actable } from "../support/ActionCalls.ts"
import { eventually, type SaidMovement } from "../support/PaymentCalls.ts"
import { newMovement, newOwner, newPayment, paidTo, shillings } from "../support/NewPayment.ts"
import { eventsOf, timePasses } from "../support/PaymentServices.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { onRampRequest } from "../support/RampCalls.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { accepts, declines, isLost, PROOF } from "../support/ScriptedProvider.ts"
import { ownersPermit, servicesIn, worldOn } from "../support/RestartableServices.ts"

const KES = CurrencyCode.make("KES")
const amina = operatorPermit("platform", "amina")

/** World with ramps that stripe collects and circle settles. */
const worldWithRamps = (backend: Backend) =>
  Effect.gen(function* () {
    const world = yield* worldOn(backend)
    const base = Layer.merge(world.stores, Ids.layer)
    yield* Effect.gen(function* () {
      yield* serveCountry("FI", ["stripe"], "bank_transfer", "inbound")
      yield* serveCountry("FI", ["circle"], "crypto", "outbound")
      const rates = yield* RateStore
      yield* rates.set([
        { from_currency: "KES", to_currency: "USD", rate: "0.0077" },
        { from_currency: "USD", to_currency: "USDT", rate: "1" }
      ])
    }).pipe(Effect.provide(base))
    const owner = yield* Effect.provide(newOwner, base)
    const stripe = actable("stripe")
    stripe.otherwise(accepts({ state: "pending", nextAction: "bank_transfer" }))
    const circle = actable("circle")
    circle.otherwise(accepts({ state: "completed" }))
    const services = servicesIn(world, stopAtStep(-1, "the step fails"), [stripe, circle])
    const permit = yield* ownersPermit(owner)
    const { ledger, store } = yield* Effect.provide(Effect.all({ ledger: LedgerStore, store: PaymentStore }), base)
    const balance = (account: LedgerAccount) => Effect.map(ledger.balance(account), (money) => money.toNumericText())

    const callsBack = (provider: typeof stripe, words: object) => {
      const body = Buffer.from(JSON.stringify(words))
      return Effect.flatMap(Callbacks, ({ receive }) =>
        receive(provider, calledBack(provider.name, { headers: PROOF, body }))
      ).pipe(Effect.provide(services), Effect.orDie)
    }

    let nth = 0
    const begin = Effect.gen(function* () {
      const request = yield* onRampRequest("FI")
      yield* Effect.flatMap(Ramps, ({ onRamp }) => onRamp(permit, request))
      const { paymentId, reference } = stripe.orders.at(-1)!
      return { paymentId, reference }
    }).pipe(Effect.provide(services), Effect.orDie)

    const ramp = Effect.gen(function* () {
      const { paymentId, reference } = yield* begin
      const reported = (state: string, kind: SaidMovement["kind"], id: string, amount: string) => {
        const movements = [{ kind, id: `${id} ${reference}`, amount: { amount, currency: "KES" }, state: "settled" }]
        return callsBack(stripe, { key: `event ${(nth += 1)}`, reference, state, movements })
      }
      const found = Effect.map(store.find(Option.none(), paymentId), Option.getOrThrow)
      const leg = Effect.map(store.attemptsOf(paymentId), (all) => all.find((one) => one.leg === "settlement"))
      const items = Effect.map(store.openItems(Option.some(owner.org_id), everything), (all) =>
        all.filter(({ payment_id }) => payment_id === paymentId)
      )
      const decide = (outcome: "completed" | "failed", item?: string) =>
        Effect.flatMap(Resolution, ({ resolve }) =>
          resolve(amina, paymentId, { outcome, reason: "seen at the bank", item })
        ).pipe(Effect.provide(services))
      return {
        paymentId,
        reference,
        record: found,
        leg,
        items,
        decide,
        paid: reported("completed", "collection", "paid", "13000.00"),
        contradicted: reported("completed", "collection", "paid", "12000.00"),
        takenBack: (amount = "13000.00") => reported("returned", "reversal", "dispute", amount),
        won: (amount = "13000.00") => reported("completed", "reinstatement", "won", amount),
        paidOutAfterAll: Effect.flatMap(leg, (second) =>
          callsBack(circle, { key: `event ${(nth += 1)}`, reference: second!.attempt_id, state: "completed" })
        ),
        clearing: Effect.map(ledger.clearingOf(paymentId), (all) => all.map(({ money }) => money.toString())),
        held: balance(LedgerAccount.ramp(paymentId, KES)),
        events: Effect.map(eventsOf(paymentId), (all) => all.map(({ event_type }) => event_type)).pipe(
          Effect.provide(world.stores)
        ),
        sentTimes: () => circle.timesAsked(paymentId)
      }
    })
    type Ramp = Effect.Effect.Success<typeof ramp>

    /** The worker has looked at everything that is due: another ramp, which is the newest of all, was sent. */
    const payoutWork = Effect.gen(function* () {
      const mark = yield* ramp
      yield* mark.paid
      yield* Effect.gen(function* () {
        yield* Effect.forkScoped(Effect.flatMap(RampPayoutWorker, ({ worker }) => worker))
        yield* eventually(Effect.sync(mark.sentTimes), (times) => times > 0)
      }).pipe(Effect.scoped, Effect.provide(services), Effect.orDie)
    })

    const until = (one: Ramp, status: string) =>
      Effect.gen(function* () {
        yield* Effect.forkScoped(Effect.flatMap(RampPayoutWorker, ({ worker }) => worker))
        yield* eventually(
          Effect.map(one.record, (payment) => payment.status),
          (now) => now === status
        )
      }).pipe(Effect.scoped, Effect.provide(services), Effect.orDie)

    const passes = (time: Duration.DurationInput) => timePasses(world.clock, time).pipe(Effect.provide(world.stores))
    const asks = Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(Effect.provide(services), Effect.orDie)

    /** The organisation has this much, from elsewhere. */
    const funded = (minor: bigint) =>
      Effect.gen(function* () {
        const amount = shillings(minor)
        const { attempt, payment } = yield* newPayment(owner, { status: "processing", amount, target: amount })
        const movements = [yield* newMovement(payment, attempt, { provider: "adyen" })]
        yield* store.apply(yield* paidTo(payment, attempt, { movements }))
      }).pipe(Effect.provide(base))

    /** Compares the providers' funds of all ramps with the books, and expects an item for all money that waits. */
    const inOrder = Effect.gen(function* () {
      for (const { name, funds } of [stripe, circle]) {
        for (const currency of [KES, "USDT" as const]) {
          const booked = (yield* ledger.balance(LedgerAccount.provider(name, currency))).negate().minor
          expect(booked, `${name} ${currency}`).toBe(funds.holdings().get(currency) ?? 0n)
        }
      }
      expect((yield* ledger.check).problems).toEqual([])
    })
    const settlement = balance(LedgerAccount.settlement(owner.org_id, KES))
    const receivable = balance(LedgerAccount.receivable(owner.org_id, KES))
    return { asks, circle, funded, inOrder, passes, ramp, receivable, settlement, payoutWork, until }
  })

describe.each(backends)("an on-ramp that is charged back, on %s", (backend) => {
  const unsentAndTaken = (amount?: string) =>
    Effect.gen(function* () {
      const here = yield* worldWithRamps(backend)
      const one = yield* here.ramp
      yield* one.paid
      yield* one.takenBack(amount)
      yield* here.payoutWork
      expect(yield* one.leg, "what was taken back is not sent").toMatchObject({ sends: 0, outcome: null })
      expect(one.sentTimes()).toBe(0)
      expect(yield* one.record).toMatchObject({ status: "processing" })
      expect(yield* one.items).toMatchObject([{ kind: "suspense" }])
      return { here, one }
    })

  it.live("before its second leg: an operator stops the leg, and nothing is left", () =>
    Effect.gen(function* () {
      const { here, one } = yield* unsentAndTaken()
      expect(yield* one.clearing).toEqual(["-13000.00 KES"])
      yield* one.decide("failed")
      expect(yield* one.record).toMatchObject({ status: "failed", failure: { code: "RESOLVED_AS_FAILED" } })
      expect([yield* one.clearing, yield* one.items, yield* one.held]).toEqual([[], [], "0.00"])
      expect(yield* one.leg).toMatchObject({ outcome: "declined", sends: 0 })
      expect(yield* one.events).toContain("payment.failed")
      yield* here.payoutWork
      expect(one.sentTimes()).toBe(0)
      yield* here.inOrder
    }).pipe(Effect.scoped)
  )

  it.live("before its second leg: the organisation bears it, and the leg goes on", () =>
    Effect.gen(function* () {
      const { here, one } = yield* unsentAndTaken()
      yield* here.funded(2_000_000n)
      const [item] = yield* one.items
      yield* one.decide("completed", item!.item_id)
      expect(yield* here.settlement).toBe("7000.00")
      expect(yield* one.items).toEqual([])
      yield* here.until(one, "completed")
      expect([one.sentTimes(), yield* one.clearing, yield* one.held]).toEqual([1, [], "0.00"])
      yield* here.inOrder
    }).pipe(Effect.scoped)
  )

  it.live("before its second leg: an organisation that has too little owes it, and the leg goes on", () =>
    Effect.gen(function* () {
      const { here, one } = yield* unsentAndTaken()
      const [item] = yield* one.items
      yield* one.decide("completed", item!.item_id)
      expect([yield* here.settlement, yield* here.receivable]).toEqual(["0.00", "-13000.00"])
      yield* here.until(one, "completed")
      expect([one.sentTimes(), yield* one.items]).toEqual([1, []])
      yield* here.inOrder
    }).pipe(Effect.scoped)
  )

  it.live("before its second leg: what is said of a question about the collection is about the collection", () =>
    Effect.gen(function* () {
      const here = yield* worldWithRamps(backend)
      const one = yield* here.ramp
      yield* one.paid
      yield* one.contradicted
      const [question] = yield* one.items
      expect(question).toMatchObject({ kind: "unknown_outcome" })
      yield* one.decide("failed", question!.item_id)
      expect(yield* one.clearing, "its provider has it back").toEqual(["-13000.00 KES"])
      expect(yield* one.items).toMatchObject([{ kind: "suspense" }])
      expect(yield* one.leg).toMatchObject({ sends: 0, outcome: null })
      yield* here.payoutWork
      expect(one.sentTimes()).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.live("before its second leg: a dispute that is won lets the leg go on by itself", () =>
    Effect.gen(function* () {
      const { here, one } = yield* unsentAndTaken()
      yield* one.won()
      expect(yield* one.items).toEqual([])
      yield* here.until(one, "completed")
      expect([one.sentTimes(), yield* one.clearing]).toEqual([1, []])
      yield* here.inOrder
    }).pipe(Effect.scoped)
  )

  it.live("of a part: the leg is stopped, and the rest goes back or to the organisation", () =>
    Effect.gen(function* () {
      for (const end of ["back", "organisation"] as const) {
        const { here, one } = yield* unsentAndTaken("1000.00")
        yield* one.decide("failed")
        expect([yield* one.clearing, yield* one.held]).toEqual([[], "12000.00"])
        expect(yield* one.items).toMatchObject([{ kind: "suspense" }])
        if (end === "organisation") {
          yield* one.decide("completed")
          expect(yield* here.settlement).toBe("12000.00")
          yield* here.inOrder
        } else {
          yield* one.decide("failed")
          expect(yield* one.record).toMatchObject({ refunds: [{ amount: shillings(1_200_000n), state: "completed" }] })
        }
        expect([yield* one.items, yield* one.held, one.sentTimes()]).toEqual([[], "0.00", 0])
      }
    }).pipe(Effect.scoped)
  )

  it.live("before its payment is reported: nothing is settled, and nothing waits", () =>
    Effect.gen(function* () {
      const here = yield* worldWithRamps(backend)
      const one = yield* here.ramp
      yield* one.takenBack()
      yield* one.paid
      yield* here.payoutWork
      expect(yield* one.record).toMatchObject({ status: "failed" })
      expect([yield* one.items, yield* one.clearing, yield* one.leg]).toEqual([[], [], undefined])
      yield* here.inOrder
    }).pipe(Effect.scoped)
  )

  it.live("while its second leg is being sent: it completes, and an operator says who bears it", () =>
    Effect.gen(function* () {
      const here = yield* worldWithRamps(backend)
      const one = yield* here.ramp
      const [asked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      here.circle.otherwise(() =>
        Deferred.succeed(asked, undefined).pipe(
          Effect.zipRight(Deferred.await(goOn)),
          Effect.as(accepts({ state: "completed" }))
        )
      )
      yield* one.paid
      const sending = yield* Effect.fork(here.until(one, "completed"))
      yield* Deferred.await(asked)
      yield* one.takenBack()
      expect(yield* Effect.flip(one.decide("failed")), "it is on its way").toMatchObject({ _tag: "Conflict" })
      yield* Deferred.succeed(goOn, undefined)
      yield* sending
      expect(yield* one.clearing).toEqual(["-13000.00 KES"])
      expect(yield* one.items).toMatchObject([{ kind: "suspense" }])
      yield* one.decide("completed")
      expect([yield* one.items, yield* here.receivable]).toEqual([[], "-13000.00"])
      yield* here.inOrder
    }).pipe(Effect.scoped)
  )

  it.live("after its second leg: the organisation bears it", () =>
    Effect.gen(function* () {
      const here = yield* worldWithRamps(backend)
      const one = yield* here.ramp
      yield* one.paid
      yield* here.until(one, "completed")
      yield* here.funded(1_300_000n)
      yield* one.takenBack()
      expect(yield* one.record).toMatchObject({ status: "completed" })
      expect(yield* one.clearing).toEqual(["-13000.00 KES"])
      yield* one.decide("completed")
      expect([yield* one.items, yield* here.settlement, yield* here.receivable]).toEqual([[], "0.00", "0.00"])
      yield* here.inOrder
    }).pipe(Effect.scoped)
  )

  it.live("while its payout provider is down: the leg is not sent once it is back, and can be stopped", () =>
    Effect.gen(function* () {
      const here = yield* worldWithRamps(backend)
      const one = yield* here.ramp
      here.circle.otherwise(new Declined({ reason: "no instance is running", unsent: "unreachable" }))
      yield* one.paid
      yield* here.payoutWork
      yield* eventually(one.leg, (second) => second?.sends === 0 && second.outcome === null)
      const before = one.sentTimes()
      yield* one.takenBack()
      here.circle.otherwise(accepts({ state: "completed" }))
      yield* here.passes("1 hour")
      yield* here.payoutWork
      expect(one.sentTimes()).toBe(before)
      yield* one.decide("failed")
      expect(yield* one.record).toMatchObject({ status: "failed" })
      expect([yield* one.items, yield* one.held]).toEqual([[], "0.00"])
      yield* here.inOrder
    }).pipe(Effect.scoped)
  )

  it.live("while the outcome of the settlement is unknown: it is not sent again", () =>
    Effect.gen(function* () {
      const here = yield* worldWithRamps(backend)
      const one = yield* here.ramp
      here.circle.otherwise(isLost())
      yield* one.paid
      yield* here.payoutWork
      yield* eventually(one.leg, (second) => second?.outcome === "unknown")
      yield* one.takenBack()
      here.circle.says((yield* one.leg)!.attempt_id, new Absent())
      here.circle.otherwise(accepts({ state: "completed" }))
      for (let n = 0; n < 6; n++) {
        yield* here.passes("2 hours")
        yield* here.asks
      }
      expect(one.sentTimes(), "it was asked once").toBe(1)
      expect(yield* one.record).toMatchObject({ status: "failed" })
      expect([yield* one.items, yield* one.clearing, yield* one.held]).toEqual([[], [], "0.00"])
      yield* here.inOrder
    }).pipe(Effect.scoped)
  )
})

describe.each(backends)("a payout provider that refuses and then completes, on %s", (backend) => {
  const refused = Effect.gen(function* () {
    const here = yield* worldWithRamps(backend)
    const one = yield* here.ramp
    here.circle.otherwise(declines("sanctioned address"))
    yield* one.paid
    yield* here.until(one, "failed")
    expect(yield* one.record).toMatchObject({ failure: { code: "NOT_SETTLED" } })
    expect([yield* one.held, (yield* one.items).length]).toEqual(["13000.00", 1])
    return { here, one }
  })
  const ofSettler = (one: Effect.Effect.Success<typeof refused>["one"]) =>
    Effect.gen(function* () {
      const second = yield* one.leg
      return (yield* one.items).find(({ attempt_id }) => attempt_id === second!.attempt_id)!.item_id
    })

  it.live(
    "leaves the ramp failed until an operator says that it was settled: then it is completed, with its events",
    () =>
      Effect.gen(function* () {
        const { here, one } = yield* refused
        yield* one.paidOutAfterAll
        yield* one.paidOutAfterAll
        expect(yield* one.record).toMatchObject({ status: "failed" })
        const { target } = yield* one.record
        expect(yield* one.clearing).toEqual([target.negate().toString()])
        expect(yield* one.items).toHaveLength(2)
        const unnamed = yield* Effect.flip(one.decide("completed"))
        expect(unnamed, "one verdict does not fit both").toMatchObject({ _tag: "Conflict" })
        yield* one.decide("completed", yield* ofSettler(one))
        expect(yield* one.record).toMatchObject({ status: "completed", failure: null })
        expect([yield* one.items, yield* one.clearing, yield* one.held]).toEqual([[], [], "0.00"])
        expect((yield* one.events).filter((type) => type === "payment.completed")).toHaveLength(1)
        yield* here.inOrder
      }).pipe(Effect.scoped)
  )

  it.live("sends nothing where the money has gone back meanwhile: the organisation bears what was settled", () =>
    Effect.gen(function* () {
      const { one } = yield* refused
      yield* one.decide("failed")
      expect([yield* one.held, yield* one.items]).toEqual(["0.00", []])
      yield* one.paidOutAfterAll
      yield* one.decide("completed", yield* ofSettler(one))
      expect(yield* one.record).toMatchObject({ status: "failed" })
      expect([yield* one.items, yield* one.clearing, yield* one.held]).toEqual([[], [], "0.00"])
    }).pipe(Effect.scoped)
  )

  it.live("strands the money until it goes back", () =>
    Effect.gen(function* () {
      const { one } = yield* refused
      yield* one.decide("failed")
      expect([yield* one.held, yield* one.items]).toEqual(["0.00", []])
      expect(yield* one.record).toMatchObject({
        status: "failed",
        refunds: [{ state: "completed", amount: shillings(1_300_000n), of: { from: "ramp" } }]
      })
    }).pipe(Effect.scoped)
  )

  it.live("strands the money until the organisation gets it", () =>
    Effect.gen(function* () {
      const { here, one } = yield* refused
      yield* one.decide("completed")
      expect([yield* one.held, yield* one.items, yield* here.settlement]).toEqual(["0.00", [], "13000.00"])
      expect(yield* one.record).toMatchObject({ status: "failed" })
      yield* here.inOrder
    }).pipe(Effect.scoped)
  )
})
