/** Payouts to escrow parties in both stores. */
import { expect } from "@effect/vitest"
import { BigDecimal, Duration, Effect, Option } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { VirtualAccountStore } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import {
  type ClaimedPayout,
  type NewPayout,
  EscrowPayoutStore
} from "../../../src/treasury/escrow/EscrowPayoutStore.ts"
import { EscrowStore } from "../../../src/treasury/escrow/EscrowStore.ts"
import { newMember, newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"

const KES = CurrencyCode.make("KES")
const money = (minor: bigint) => new Money({ currency: KES, minor })
const later = Duration.hours(1)
const room = (most: number) => ({ most, ofOne: 1000, busy: {} })

const fourIds = Effect.all([nextId, nextId, nextId, nextId])

/** An escrow with one party, and payouts to it. */
const newOwner = Effect.gen(function* () {
  const store = yield* EscrowPayoutStore
  const { atomically } = yield* Transactor
  const { org_id } = yield* newOrganization()
  const { user_id } = yield* newMember(org_id, "org-admin")
  const [account_id, escrow_id, party_id, milestone_id] = yield* fourIds
  yield* Effect.flatMap(VirtualAccountStore, (accounts) =>
    accounts.insert({
      account_id,
      org_id,
      user_id,
      customer_id: null,
      currency: KES,
      virtual_account_name: "A KES",
      provider: null
    })
  )
  const splits = [{ party_id, split_type: "fixed" as const, split_value: BigDecimal.unsafeFromString("100") }]
  yield* Effect.flatMap(EscrowStore, (escrows) =>
    atomically(
      escrows.insert({
        escrow_id,
        org_id,
        name: "Clinic",
        currency: KES,
        account_id,
        status: "active",
        total: money(10_000n),
        funded: money(0n),
        disbursed: money(0n),
        parties: [{ party_id, name: "Builder", beneficiary_id: null, account_id: null, email: null }],
        milestones: [
          {
            milestone_id,
            label: "All",
            sequence: 1,
            expected: money(10_000n),
            status: "pending",
            description: null,
            due_date: null,
            contract_reference: null,
            contract_submitted_at: null,
            disbursed_at: null,
            splits
          }
        ]
      })
    )
  )
  const drafted = Effect.gen(function* () {
    const [payout_id, payment_id, transaction_id, beneficiary_id] = yield* fourIds
    const initiator = { kind: "api_key", id: "k1", name: "Till", user_id, role: "org-admin" } as const
    const payout: NewPayout = {
      payout_id,
      org_id,
      escrow_id,
      milestone_id,
      party_id,
      beneficiary_id,
      amount: money(2_500n),
      description: "Clinic: All",
      payment_id,
      transaction_id,
      initiator
    }
    return payout
  })
  const make = (count: number) => Effect.tap(Effect.replicateEffect(drafted, count), (payouts) => store.insert(payouts))
  /** Claims all that is due anywhere, and answers with what is this organisation's. */
  const claimAll = Effect.map(store.claim(room(1000)), (rows) => rows.filter((row) => row.org_id === org_id))
  return { store, org_id, scope: Option.some(org_id), escrow_id, party_id, make, claimAll }
})

const claimedOf = (rows: ReadonlyArray<ClaimedPayout>, { payout_id }: Pick<NewPayout, "payout_id">) =>
  rows.find((row) => row.payout_id === payout_id)!

const block = (store: EscrowPayoutStore["Type"], claimed: ClaimedPayout, reason = "No route.") =>
  store.change(claimed, { status: "blocked", reason, dueIn: null })

onBothStores("EscrowPayoutStore", (it) => {
  it.effect("gives back what was put in, to one worker at a time", () =>
    Effect.gen(function* () {
      const { claimAll, escrow_id, make, scope, store } = yield* newOwner
      const [payout] = yield* make(1)
      const [claimed] = yield* claimAll
      expect(claimed).toMatchObject({ ...payout, status: "waiting", reason: null, sends: 0, sent_at: null, tries: 1 })
      expect(yield* claimAll, "leased").toEqual([])
      const found = Option.getOrThrow(yield* store.find(scope, escrow_id, payout!.payout_id))
      expect(found).toMatchObject({ ...payout, status: "waiting" })
      const { org_id: other } = yield* newOrganization()
      expect(yield* store.find(Option.some(other), escrow_id, payout!.payout_id)).toEqual(Option.none())
    })
  )

  it.effect("gives each row to one of many workers that ask at one moment", () =>
    Effect.gen(function* () {
      const { make, org_id, store } = yield* newOwner
      const made = yield* make(20)
      const claims = yield* Effect.all(
        Array.from({ length: 6 }, () => store.claim(room(5))),
        { concurrency: "unbounded" }
      )
      const rest = yield* store.claim(room(1000))
      const taken = [...claims.flat(), ...rest].filter((row) => row.org_id === org_id)
      expect(taken.map(({ payout_id }) => payout_id).toSorted()).toEqual(
        made.map(({ payout_id }) => payout_id).toSorted()
      )
    })
  )

  it.effect("takes turns among organisations, however long a backlog is", () =>
    Effect.gen(function* () {
      const [busy, quiet] = yield* Effect.all([newOwner, newOwner])
      yield* busy.claimAll
      yield* busy.make(30)
      yield* quiet.make(1)
      const orgs: ReadonlyArray<OrgId> = (yield* busy.store.claim(room(4))).map(({ org_id }) => org_id)
      expect(orgs).toContain(quiet.org_id)
      yield* busy.claimAll
    })
  )

  it.effect("leaves room beside an organisation whose payouts wait for a slow provider", () =>
    Effect.gen(function* () {
      const [slow, other] = yield* Effect.all([newOwner, newOwner])
      yield* slow.claimAll
      yield* slow.make(30)
      yield* other.make(6)
      const countsOf = (rows: ReadonlyArray<ClaimedPayout>) =>
        [slow, other].map(({ org_id }) => rows.filter((row) => row.org_id === org_id).length)
      const claim = (busy: Record<string, number>) => slow.store.claim({ most: 1000, ofOne: 4, busy })
      expect(countsOf(yield* claim({}))).toEqual([4, 4])
      expect(countsOf(yield* claim({ [slow.org_id]: 4, [other.org_id]: 3 }))).toEqual([0, 1])
      expect(countsOf(yield* claim({ [slow.org_id]: 9 })), "more than the limit, after it was lowered").toEqual([0, 1])
      yield* slow.claimAll
      yield* other.claimAll
    })
  )

  it.effect("goes to the organisation with the fewest in work, as room comes back one by one", () =>
    Effect.gen(function* () {
      const [crowd, other] = yield* Effect.all([newOwner, newOwner])
      yield* crowd.claimAll
      yield* crowd.make(3)
      yield* other.make(1)
      const claimed = yield* crowd.store.claim({ most: 1, ofOne: 4, busy: { [crowd.org_id]: 3 } })
      expect(claimed.map(({ org_id }) => org_id)).toEqual([other.org_id])
      yield* crowd.claimAll
    })
  )

  it.effect("is marked as sent by the lease that holds it, once", () =>
    Effect.gen(function* () {
      const { claimAll, escrow_id, make, scope, store } = yield* newOwner
      const [payout] = yield* make(1)
      const [claimed] = yield* claimAll
      const stranger = { ...claimed!, lease_token: payout!.payment_id }
      expect(yield* store.markSent(stranger, later)).toBe(false)
      expect(yield* store.change(stranger, { status: "blocked", reason: "No.", dueIn: null })).toBe(false)
      expect(yield* store.markSent(claimed!, later)).toBe(true)
      expect(yield* store.markSent(claimed!, later), "not twice").toBe(false)
      const sent = Option.getOrThrow(yield* store.find(scope, escrow_id, payout!.payout_id))
      expect(sent).toMatchObject({ status: "sent", sends: 1, payment_id: payout!.payment_id })
      expect(sent.sent_at).toBeInstanceOf(Date)
      expect(yield* store.change(claimed!, { status: "sent", reason: null, dueIn: Duration.zero })).toBe(true)
      const [followed] = yield* claimAll
      expect(followed).toMatchObject({ status: "sent", tries: 2 })
      expect(yield* store.change(claimed!, { status: "paid", reason: null, dueIn: null }), "an old lease").toBe(false)
      expect(yield* store.change(followed!, { status: "paid", reason: null, dueIn: null })).toBe(true)
      expect(yield* block(store, followed!), "what is paid stays so").toBe(false)
    })
  )

  it.effect("waits again with another payment, by the worker or by an operator", () =>
    Effect.gen(function* () {
      const { claimAll, make, store } = yield* newOwner
      yield* make(1)
      const [claimed] = yield* claimAll
      yield* store.markSent(claimed!, later)
      const [first, second, third, fourth] = yield* fourIds
      const ids = { payment_id: first, transaction_id: second }
      yield* store.change(claimed!, { status: "waiting", reason: null, dueIn: Duration.zero, ids })
      const [again] = yield* claimAll
      expect(again).toMatchObject({ ...ids, status: "waiting", sends: 1, sent_at: null })
      expect(yield* store.retry(again!, ids), "only what is blocked").toEqual(Option.none())
      yield* block(store, again!)
      expect(yield* claimAll).toEqual([])
      const next = { payment_id: third, transaction_id: fourth }
      const retried = Option.getOrThrow(yield* store.retry(again!, next))
      expect(retried).toMatchObject({ ...next, status: "waiting", reason: null })
      expect(yield* claimAll).toMatchObject([{ ...next, tries: 1 }])
    })
  )

  it.effect("is blocked again when its payment comes back, however long after it was paid", () =>
    Effect.gen(function* () {
      const { claimAll, make, org_id, store } = yield* newOwner
      yield* make(1)
      const [claimed] = yield* claimAll
      const { payment_id } = claimed!
      const reopen = store.reopen(org_id, payment_id, "sent back")
      expect(yield* reopen, "only what was sent").toEqual(Option.none())
      yield* store.markSent(claimed!, later)
      yield* store.change(claimed!, { status: "paid", reason: null, dueIn: null })
      const other = yield* newOwner
      expect(yield* other.store.reopen(other.org_id, payment_id, "sent back")).toEqual(Option.none())
      expect(Option.getOrThrow(yield* reopen)).toMatchObject({ status: "blocked", reason: "sent back" })
      expect(yield* reopen, "once").toEqual(Option.none())
    })
  )

  it.effect("reserves what waits of a party, and lists what is blocked until it is closed", () =>
    Effect.gen(function* () {
      const { claimAll, make, org_id, party_id, scope, store } = yield* newOwner
      const payouts = yield* make(4)
      const reserved = store.reserved(org_id, party_id, money(0n))
      expect(yield* reserved).toEqual(money(10_000n))
      const ids = payouts.map(({ payout_id }) => payout_id)
      expect(yield* store.waitingAmong(org_id, ids)).toEqual(new Set(ids))
      const rows = yield* claimAll
      const [one, two, three, four] = payouts.map((payout) => claimedOf(rows, payout))
      yield* atOneMoment(block(store, one!))
      yield* atOneMoment(Effect.all([block(store, two!), block(store, three!)]))
      expect(yield* reserved).toEqual(money(2_500n))
      expect(yield* store.waitingAmong(org_id, ids)).toEqual(new Set([four!.payout_id]))
      const listed = yield* store.blocked(scope, everything)
      expect(listed.map(({ payout_id }) => payout_id)).toEqual([three, two, one].map((row) => row!.payout_id))
      expect(listed[0]).toMatchObject({
        org_id,
        party_id,
        escrow_name: "Clinic",
        party_name: "Builder",
        reason: "No route.",
        amount: money(2_500n)
      })
      yield* expectWindows(
        listed,
        (window) => store.blocked(scope, window),
        ({ payout_id }) => payout_id
      )
      const closed = Option.getOrThrow(yield* store.close(one!, "Paid in cash."))
      expect(closed).toMatchObject({ status: "closed", reason: "Paid in cash." })
      expect(yield* store.close(one!, "Again.")).toEqual(Option.none())
      yield* store.closeBlocked(org_id, party_id, "Paid out by another.")
      expect(yield* store.blocked(scope, everything)).toEqual([])
      expect(yield* reserved, "what waits is left alone").toEqual(money(2_500n))
    })
  )
})
