import { expect } from "@effect/vitest"
import { BigDecimal, Effect, Option } from "effect"
import { VirtualAccountStore } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { nilId } from "../../support/AnyId.ts"
import { Money } from "../../../src/domain/Money.ts"
import {
  type Escrow,
  type Milestone,
  type NewEscrow,
  type PartySplit,
  EscrowStore
} from "../../../src/treasury/escrow/EscrowStore.ts"
import { newMember, newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

const KES = CurrencyCode.make("KES")
const money = (minor: bigint) => new Money({ currency: KES, minor })

const newOwner = Effect.gen(function* () {
  const accounts = yield* VirtualAccountStore
  const store = yield* EscrowStore
  const { atomically } = yield* Transactor
  const { org_id } = yield* newOrganization()
  const { user_id } = yield* newMember(org_id, "org-admin")
  const newAccount = Effect.flatMap(nextId, (account_id) =>
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
  const { account_id } = yield* newAccount

  const drafted = (about: Partial<NewEscrow> = {}) =>
    Effect.gen(function* () {
      const [a, b, first, second, escrow_id] = yield* Effect.replicateEffect(nextId, 5)
      const split = (party_id: string, split_type: PartySplit["split_type"], value: string): PartySplit => ({
        party_id,
        split_type,
        split_value: BigDecimal.unsafeFromString(value)
      })
      const milestone: Milestone = {
        milestone_id: first!,
        label: "Foundation",
        sequence: 1,
        expected: money(10_001n),
        status: "pending",
        description: "Laid & dry",
        due_date: "2026-04-30",
        contract_reference: null,
        contract_submitted_at: null,
        disbursed_at: null,
        splits: [split(b!, "percentage", "33.333333333333"), split(a!, "percentage", "66.666666666667")]
      }
      const escrow: NewEscrow = {
        escrow_id: escrow_id!,
        org_id,
        name: "Clinic in Zürich",
        currency: KES,
        account_id,
        status: "active",
        total: money(30_001n),
        funded: money(0n),
        disbursed: money(0n),
        parties: [
          { party_id: b!, name: "Builder", beneficiary_id: null, account_id, email: "b@builder.example" },
          { party_id: a!, name: "Ärchitect", beneficiary_id: nilId, account_id: null, email: null }
        ],
        milestones: [
          milestone,
          {
            ...milestone,
            milestone_id: second!,
            sequence: 7,
            expected: money(20_000n),
            description: null,
            due_date: null,
            splits: [split(a!, "fixed", "200.00")]
          }
        ]
      }
      return { ...escrow, ...about }
    })

  const make = (about: Partial<NewEscrow> = {}) =>
    Effect.flatMap(drafted(about), (escrow) => atomically(store.insert(escrow)))

  return { org_id, scope: Option.some(org_id), account_id, newAccount, drafted, make, store, atomically }
})

const changedIn = (escrow: Escrow): Escrow => {
  const [first, second] = escrow.milestones
  return {
    ...escrow,
    status: "active",
    funded: money(20_000n),
    disbursed: money(10_001n),
    milestones: [
      { ...first!, status: "disbursed", disbursed_at: new Date("2026-04-01T10:00:00.123Z") },
      {
        ...second!,
        status: "contract_submitted",
        contract_reference: "C 'ö'",
        contract_submitted_at: new Date("2026-03-01T10:00:00.000Z"),
        splits: second!.splits.map((one) => ({ ...one, split_value: BigDecimal.unsafeFromString("199.50") }))
      }
    ]
  }
}

onBothStores("EscrowStore", (it) => {
  it.effect("gives back what was put in, parties and milestones in order", () =>
    Effect.gen(function* () {
      const { drafted, scope, store } = yield* newOwner
      const escrow = yield* drafted()
      const made = yield* atOneMoment(store.insert(escrow))
      expect(made).toEqual({ ...escrow, created_at: made.created_at, updated_at: made.updated_at })
      expect(made.created_at).toBeInstanceOf(Date)
      for (const look of [store.find, store.lock]) {
        expect(yield* look(scope, made.escrow_id)).toEqual(Option.some(made))
      }
      expect(yield* store.list(scope, {}, everything)).toEqual([made])
    })
  )

  it.effect("writes how far one has come, and nothing of its neighbours", () =>
    Effect.gen(function* () {
      const { atomically, make, scope, store } = yield* newOwner
      const [made, neighbour] = [yield* make(), yield* make()]
      const wanted = changedIn(made)
      const changed = yield* atomically(store.update({ ...wanted, name: "stays as it was made" }))
      expect(changed.updated_at.getTime()).toBeGreaterThanOrEqual(made.updated_at.getTime())
      const found = Option.getOrThrow(yield* store.find(scope, made.escrow_id))
      expect(found).toEqual({ ...wanted, updated_at: changed.updated_at })
      expect(yield* store.find(scope, neighbour.escrow_id)).toEqual(Option.some(neighbour))
    })
  )

  it.effect("finds the one that pays a party", () =>
    Effect.gen(function* () {
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const [made, other] = [yield* mine.make(), yield* theirs.make()]
      yield* mine.make()
      const { org_id, store } = mine
      for (const { party_id } of made.parties) {
        expect(yield* store.findByParty(org_id, party_id)).toEqual(Option.some(made))
      }
      expect(yield* store.findByParty(org_id, other.parties[0]!.party_id)).toEqual(Option.none())
      expect(yield* store.findByParty(org_id, nilId)).toEqual(Option.none())
    })
  )

  it.effect("shows only what is in scope", () =>
    Effect.gen(function* () {
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const made = yield* theirs.make()
      const { store } = mine
      expect(yield* store.find(mine.scope, made.escrow_id)).toEqual(Option.none())
      expect(yield* store.lock(mine.scope, made.escrow_id)).toEqual(Option.none())
      expect(yield* store.list(mine.scope, {}, everything)).toEqual([])
      expect(yield* store.find(Option.none(), made.escrow_id)).toEqual(Option.some(made))
      expect(yield* store.list(Option.none(), {}, everything)).toContainEqual(made)
      expect(yield* store.find(theirs.scope, nilId)).toEqual(Option.none())
    })
  )

  it.effect("lists newest first, page by page, by account and status", () =>
    Effect.gen(function* () {
      const { drafted, make, newAccount, scope, store } = yield* newOwner
      const { account_id } = yield* newAccount
      const three = Effect.flatMap(Effect.replicateEffect(drafted(), 3), (all) =>
        atOneMoment(Effect.forEach(all, (one) => store.insert(one)))
      )
      const made = [...(yield* three), ...(yield* three), yield* make()]
      yield* expectWindows(
        made,
        (window) => store.list(scope, {}, window),
        (row) => row.escrow_id
      )
      const other = yield* make({ account_id, status: "canceled" })
      expect(yield* store.list(scope, { account_id }, everything)).toEqual([other])
      expect(yield* store.list(scope, { status: "canceled" }, everything)).toEqual([other])
      expect(yield* store.list(scope, { status: "completed" }, everything)).toEqual([])
      expect(yield* store.list(scope, { status: "active" }, everything)).toHaveLength(made.length)
    })
  )
})
