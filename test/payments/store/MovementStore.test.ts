/** Movements and allocations in the stores: written with their payment, and what waits because of them. */
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import type { NewFee } from "../../../src/domain/Fee.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { OPERATOR_ID } from "../../../src/domain/Movement.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import type { Change } from "../../../src/payments/store/Change.ts"
import type { Allocation, Attempt, Payment, RampFacts } from "../../../src/payments/store/Payment.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { storedFees } from "../../money/fees/StoredFees.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { backends } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import {
  changeTo,
  makeAttempt,
  newMovement,
  newOwner,
  newPayment,
  now,
  paidTo,
  shillings
} from "../support/NewPayment.ts"
import { movableClock, openStoresOn } from "../support/PaymentServices.ts"

type Owner = Effect.Effect.Success<typeof newOwner>
type Of = Pick<Attempt, "attempt_id">

const settlementOf = ({ org_id }: Pick<Payment, "org_id">) => LedgerAccount.settlement(org_id, shillings(0n).currency)

const newAllocation = (payment: Payment, { attempt_id }: Of, minor: bigint, about: Partial<Allocation> = {}) =>
  Effect.gen(function* () {
    const allocation: Allocation = {
      allocation_id: yield* nextId,
      attempt_id,
      from: "clearing",
      amount: shillings(minor),
      account: settlementOf(payment),
      accountAmount: shillings(minor),
      note: "found at the bank",
      by: "amina",
      at: yield* now,
      ...about
    }
    return allocation
  })

const known = ({ attempt_id }: Of) =>
  Effect.flatMap(PaymentStore, (store) => Effect.flatten(store.findAttempt(attempt_id, null)))

/** Writes a change on what is known. */
const apply = (attempt: Of, about: Partial<Change>, status?: Payment["status"]) =>
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const { allocations, movements, payment } = yield* known(attempt)
    const change = yield* changeTo(payment, status ?? payment.status, {
      booksBefore: { allocations, movements },
      ...about
    })
    return yield* store.apply(change)
  })

const balance = (account: LedgerAccount) =>
  Effect.map(
    Effect.flatMap(LedgerStore, (ledger) => ledger.balance(account)),
    ({ minor }) => minor
  )

const inClearing = ({ payment_id }: Payment, { attempt_id }: Of) =>
  balance(LedgerAccount.clearing(payment_id, attempt_id, shillings(0n).currency))

const itemsIn = ({ org_id }: Pick<Payment, "org_id">) =>
  Effect.flatMap(PaymentStore, (store) => store.openItems(Option.some(org_id), everything))

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

/** A ramp whose money was collected, and whose second leg waits to be sent. */
const collectedRamp = (owner: Owner) =>
  Effect.gen(function* () {
    const target = new Money({ currency: "USDT", minor: 10_000_000n })
    const about = { direction: "external", payment_method: "crypto", status: "pending", ramp: facts, target } as const
    const { attempt, payment } = yield* newPayment(owner, about, { leg: "collection" })
    const second = yield* makeAttempt({ leg: "settlement", provider: "circle", enquire_in: null })
    yield* apply(
      attempt,
      {
        patch: {
          taken_by: attempt.attempt_id,
          payout_id: second.attempt_id,
          ramp: { ...facts, collected: payment.amount.toNumericText() }
        },
        movements: [yield* newMovement(payment, attempt)],
        nextAttempt: second
      },
      "processing"
    )
    return { attempt, payment, second }
  })

const claimed = ({ attempt_id }: Of) =>
  Effect.flatMap(PaymentStore, (store) =>
    Effect.map(store.claimUnsent([{ provider: "circle", room: 1000 }]), (all) =>
      all.some(({ attempt }) => attempt.attempt_id === attempt_id)
    )
  )

for (const backend of backends) {
  const clock = movableClock()
  const services = openStoresOn(backend).pipe(
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(testSettings()),
    Layer.provideMerge(Layer.setClock(clock))
  )
  layer(services, { excludeTestServices: true, timeout: "60 seconds" })(`Books of payments on ${backend}`, (it) => {
    it.effect("are known with their payment, exactly as they were written", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const { attempt, payment } = yield* newPayment(owner, { status: "processing" })
        const other = yield* newPayment(owner, { status: "processing" })
        const movement = yield* newMovement(payment, attempt, {
          account: yield* nextId,
          amount: shillings(200_000n),
          source: "enquiry"
        })
        const allocation = yield* newAllocation(payment, attempt, 50_000n, { by: null, note: "a 'quoted' note" })
        expect(
          yield* apply(
            attempt,
            { movements: [movement], allocations: [allocation], patch: { taken_by: attempt.attempt_id } },
            "completed"
          )
        ).toBe(true)
        const books = { movements: [movement], allocations: [allocation] }
        expect(yield* known(attempt)).toMatchObject(books)
        expect(yield* store.history(payment)).toMatchObject(books)
        expect(yield* known(other.attempt)).toMatchObject({ movements: [], allocations: [] })
        expect(yield* balance(settlementOf(owner))).toBe(200_000n)
        expect(yield* inClearing(payment, attempt)).toBe(0n)
      })
    )

    it.effect("are not written by a change that is not", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const { attempt, payment } = yield* newPayment(owner, { status: "processing" })
        const movements = [yield* newMovement(payment, attempt)]
        const outdated = yield* changeTo({ ...payment, version: payment.version + 1 }, "completed", { movements })
        expect(yield* store.apply(outdated)).toBe(false)
        const bears = { allocations: [yield* newAllocation(payment, attempt, -150_000n)] }
        expect(yield* Effect.flip(apply(attempt, { movements, ...bears }))).toMatchObject({
          _tag: "InsufficientFunds"
        })
        expect(yield* known(attempt)).toMatchObject({ movements: [], allocations: [], payment: { version: 1 } })
        expect(yield* itemsIn(owner)).toEqual([])
        expect(yield* inClearing(payment, attempt)).toBe(0n)
      })
    )

    it.effect("keep one row of a movement that advances or grows", () =>
      Effect.gen(function* () {
        const owner = yield* newOwner
        const { attempt, payment } = yield* newPayment(owner, { status: "processing" })
        const pending = yield* newMovement(payment, attempt, { state: "pending", amount: shillings(1n) })
        yield* apply(attempt, { movements: [pending] })
        expect(yield* inClearing(payment, attempt)).toBe(0n)
        const settled = { ...pending, state: "settled" as const, amount: shillings(1000n), is_total: true }
        yield* apply(attempt, { movements: [settled] })
        expect(yield* inClearing(payment, attempt)).toBe(1000n)
        yield* apply(attempt, { movements: [{ ...settled, amount: shillings(1500n) }] })
        expect(yield* inClearing(payment, attempt)).toBe(1500n)
        const { heard_at: _, ...grown } = { ...settled, amount: shillings(1500n) }
        const { movements } = yield* known(attempt)
        expect(movements).toHaveLength(1)
        expect(movements).toMatchObject([grown])
      })
    )

    it.effect("forget what an operator stated once its provider names the transfer", () =>
      Effect.gen(function* () {
        const owner = yield* newOwner
        const { attempt, payment } = yield* newPayment(owner, { status: "processing" })
        const stated = yield* newMovement(payment, attempt, {
          movement_id: `${OPERATOR_ID}${attempt.attempt_id}`,
          source: "operator"
        })
        yield* apply(attempt, { movements: [stated] })
        const { replaces: _, ...named } = {
          ...stated,
          movement_id: yield* nextId,
          source: "callback" as const,
          replaces: ""
        }
        yield* apply(attempt, { movements: [{ ...named, replaces: stated.movement_id }] })
        const { movements } = yield* known(attempt)
        expect(movements).toHaveLength(1)
        expect(movements).toMatchObject([named])
        expect(yield* inClearing(payment, attempt)).toBe(payment.amount.minor)
      })
    )

    it.effect("refuse a movement of another payment, and leave it with that", () =>
      Effect.gen(function* () {
        const owner = yield* newOwner
        const first = yield* newPayment(owner, { status: "processing" })
        const second = yield* newPayment(owner, { status: "processing" })
        const movement = yield* newMovement(first.payment, first.attempt)
        yield* apply(first.attempt, { movements: [movement] })
        const stolen = { ...movement, attempt_id: second.attempt.attempt_id }
        expect(Exit.isFailure(yield* Effect.exit(apply(second.attempt, { movements: [stolen] })))).toBe(true)
        expect((yield* known(first.attempt)).movements).toMatchObject([movement])
        expect((yield* known(second.attempt)).movements).toEqual([])
        const sameId = { ...stolen, kind: "reversal" as const }
        expect(yield* apply(second.attempt, { movements: [sameId] }), "of another kind it is another one").toBe(true)
      })
    )

    it.effect("list what waits until it has a place, to its organisation only", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const { attempt, payment } = yield* newPayment(owner, { status: "processing" })
        yield* store.apply(yield* paidTo(payment, attempt))
        expect(yield* itemsIn(owner), "what is paid in full has a place").toEqual([])
        yield* apply(attempt, { movements: [yield* newMovement(payment, attempt, { amount: shillings(700n) })] })
        const [item, ...others] = yield* itemsIn(owner)
        expect(others).toEqual([])
        expect(item).toMatchObject({
          kind: "suspense",
          org_id: owner.org_id,
          payment_id: payment.payment_id,
          attempt_id: attempt.attempt_id
        })
        expect(item?.detail).toContain("7.00 KES")
        const taken = (minor: bigint) =>
          Effect.flatMap(newMovement(payment, attempt, { kind: "reversal", amount: shillings(minor) }), (movement) =>
            apply(attempt, { movements: [movement] })
          )
        yield* taken(200n)
        expect(yield* itemsIn(owner), "as long as any of it waits").toMatchObject([{ item_id: item?.item_id }])
        yield* taken(800n)
        const [gone, ...more] = yield* itemsIn(owner)
        expect(more).toEqual([])
        expect(gone?.item_id, "what is gone is not what came").not.toBe(item?.item_id)
        expect((yield* itemsIn(owner))[0]?.detail).toContain("3.00 KES")
        const { org_id } = yield* newOrganization()
        expect(yield* itemsIn({ org_id })).toEqual([])
        yield* apply(attempt, { allocations: [yield* newAllocation(payment, attempt, -300n)] })
        expect(yield* itemsIn(owner)).toEqual([])
        expect(yield* balance(settlementOf(owner))).toBe(payment.amount.minor - 300n)
      })
    )

    it.effect("list what a ramp that has ended still holds, and nothing while it goes on", () =>
      Effect.gen(function* () {
        const owner = yield* newOwner
        const { attempt, payment, second } = yield* collectedRamp(owner)
        expect(yield* itemsIn(owner)).toEqual([])
        yield* apply(second, {}, "failed")
        expect(yield* itemsIn(owner)).toMatchObject([{ kind: "suspense", attempt_id: attempt.attempt_id }])
        const amount = payment.amount.minor
        yield* apply(second, { allocations: [yield* newAllocation(payment, attempt, amount, { from: "ramp" })] })
        expect(yield* itemsIn(owner)).toEqual([])
        expect(yield* balance(settlementOf(owner))).toBe(amount)
      })
    )

    it.effect("list what waits newest first and page by page, among the other items", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const waits = Effect.gen(function* () {
          const { attempt, payment } = yield* newPayment(owner, { status: "failed" })
          yield* apply(attempt, { movements: [yield* newMovement(payment, attempt)] })
          return payment.payment_id
        })
        const asked = Effect.gen(function* () {
          const { attempt, payment } = yield* newPayment(owner, { status: "failed" })
          const item = {
            item_id: yield* nextId,
            org_id: owner.org_id,
            kind: "unknown_outcome" as const,
            payment_id: payment.payment_id,
            attempt_id: attempt.attempt_id,
            detail: "no answer",
            opened_at: yield* now
          }
          yield* apply(attempt, { openItems: [item] })
          return payment.payment_id
        })
        const first = yield* atOneMoment(Effect.replicateEffect(waits, 3))
        const second = yield* atOneMoment(Effect.zipWith(asked, Effect.replicateEffect(waits, 2), (a, b) => [a, ...b]))
        // Changes one payment later: it is listed as of then.
        const [moved] = first
        const { attempts } = yield* store.history(Option.getOrThrow(yield* store.find(Option.none(), moved!)))
        const [attempt] = attempts
        const more = yield* newMovement({ amount: shillings(1n) }, attempt!)
        yield* apply(attempt!, { movements: [more] })
        const all = yield* itemsIn(owner)
        expect(all.map(({ payment_id }) => payment_id)[0]).toBe(moved)
        expect(new Set(all.slice(1, 4).map(({ payment_id }) => payment_id))).toEqual(new Set(second))
        expect(new Set(all.map(({ payment_id }) => payment_id))).toEqual(new Set([...first, ...second]))
        yield* expectWindows(
          all.map((item) => ({ ...item, created_at: item.opened_at })),
          (window) =>
            Effect.map(store.openItems(Option.some(owner.org_id), window), (items) =>
              items.map((item) => ({ ...item, created_at: item.opened_at }))
            ),
          (item) => item.item_id
        )
      })
    )

    it.effect("let a second leg be claimed once, and not while its money was taken back", () =>
      Effect.gen(function* () {
        const owner = yield* newOwner
        const { attempt, payment, second } = yield* collectedRamp(owner)
        const taken = yield* newMovement(payment, attempt, { kind: "reversal", amount: shillings(1n) })
        yield* apply(attempt, { movements: [taken] })
        expect(yield* claimed(second), "what was taken back is not sent").toBe(false)
        const back = yield* newMovement(payment, attempt, { kind: "reinstatement", amount: shillings(1n) })
        yield* apply(attempt, { movements: [back] })
        expect(yield* claimed(second), "it is there again").toBe(true)
        expect(yield* claimed(second), "it was sent").toBe(false)

        const borne = yield* collectedRamp(owner)
        const { payment: paid } = yield* collectedRamp(owner)
        yield* apply(borne.attempt, {
          movements: [yield* newMovement(payment, borne.attempt, { kind: "reversal", amount: shillings(100n) })]
        })
        expect(yield* claimed(borne.second)).toBe(false)
        const { attempt: payin, payment: own } = yield* newPayment(owner, { status: "processing" })
        yield* Effect.flatMap(paidTo(own, payin), (change) =>
          Effect.flatMap(PaymentStore, (store) => store.apply(change))
        )
        yield* apply(borne.attempt, { allocations: [yield* newAllocation(borne.payment, borne.attempt, -100n)] })
        expect(yield* claimed(borne.second), "the organisation bears it").toBe(true)
        expect(paid.org_id).toBe(owner.org_id)
      })
    )

    it.effect("stop a second leg that was not sent, and none that was", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const [stopped, sent] = [yield* collectedRamp(owner), yield* collectedRamp(owner)]
        expect(yield* store.stopUnsent(stopped.second.attempt_id, "no more")).toBe(true)
        expect(yield* store.stopUnsent(stopped.second.attempt_id, "again")).toBe(false)
        expect(yield* known(stopped.second)).toMatchObject({ attempt: { outcome: "declined", reason: "no more" } })
        const due = yield* store.claimUnsent([{ provider: "circle", room: 1000 }])
        const ids = due.map(({ attempt }) => attempt.attempt_id)
        expect([stopped, sent].map(({ second }) => ids.includes(second.attempt_id))).toEqual([false, true])
        expect(yield* store.stopUnsent(sent.second.attempt_id, "too late")).toBe(false)
        expect(yield* known(sent.second)).toMatchObject({ attempt: { outcome: null, sends: 1 } })
      })
    )

    it.effect("replace the fees of one payment, and of no other", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const fee = (minor: bigint) =>
          Effect.map(Effect.all([nextId, nextId]), ([fee_id, fee_rule_id]): NewFee => ({
            fee_id,
            fee_rule_id,
            amount: shillings(minor)
          }))
        const [one, other] = [yield* newPayment(owner), yield* newPayment(owner)]
        const [kept, dropped, others] = [yield* fee(100n), yield* fee(200n), yield* fee(300n)]
        yield* store.replaceFees(one.payment, [kept, dropped])
        yield* store.replaceFees(other.payment, [others])
        yield* store.replaceFees(one.payment, [{ ...kept, amount: shillings(90n) }])
        const feesOf = ({ payment }: typeof one) => storedFees(payment.payment_id)
        expect(yield* feesOf(one)).toMatchObject([{ fee_id: kept.fee_id, amount: "0.90" }])
        expect(yield* feesOf(other)).toMatchObject([{ fee_id: others.fee_id, amount: "3.00" }])
        yield* store.replaceFees(one.payment, [])
        expect(yield* feesOf(one)).toEqual([])
      })
    )
  })
}
