import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { AccountId } from "../../../src/domain/Ids.ts"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { IncomingTransferStore, type NewTransfer } from "../../../src/treasury/accounts/IncomingTransferStore.ts"
import { BooksOnPostgres, onDatabase } from "../../money/ledger/BooksOnPostgres.ts"
import { money } from "../../money/ledger/Entries.ts"
import { newOwner } from "../../payments/support/NewPayment.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

const first = (take: number) => ({ after: Option.none(), take })

const transfer = (about: Partial<NewTransfer> = {}) =>
  Effect.map(nextId, (transfer_id): NewTransfer => ({
    ...{ transfer_id, provider: "paystack", account: null, kind: "collection", movement_id: transfer_id },
    ...{ issuer_reference: "CUS_1", amount: money("12.50 KES"), sender: "Ada", org_id: null, account_id: null },
    ...{ state: "suspense", reason: "It names no account.", decided_by: null },
    ...about
  }))

onBothStores("Incoming transfers at rest", (it) => {
  it.effect("are kept once for a provider, its account, a kind and an id", () =>
    Effect.gen(function* () {
      const store = yield* IncomingTransferStore
      const one = yield* transfer()
      expect(yield* store.insert(one)).toBe(true)
      const { movement_id } = one
      expect(yield* store.insert(yield* transfer({ movement_id, amount: money("1 KES") }))).toBe(false)
      expect(yield* store.insert(yield* transfer({ movement_id, kind: "reversal" }))).toBe(true)
      expect(yield* store.insert(yield* transfer({ movement_id, provider: "stripe" }))).toBe(true)
      expect(yield* store.lock(one.transfer_id)).toMatchObject(Option.some({ amount: money("12.50 KES") }))
      expect(yield* store.lock(yield* nextId)).toEqual(Option.none())
    })
  )

  it.effect("are open until they are resolved, within their scope", () =>
    Effect.gen(function* () {
      const store = yield* IncomingTransferStore
      const { org_id } = yield* newOwner
      const other = yield* newOwner
      const [unknown, mine] = [yield* transfer(), yield* transfer({ org_id })]
      yield* store.insert(unknown)
      yield* store.insert(mine)
      const open = (scope: Parameters<typeof store.open>[0]) =>
        Effect.map(store.open(scope, first(100)), (all) => all.map(({ transfer_id }) => transfer_id))
      expect(yield* open(Option.none())).toEqual(expect.arrayContaining([unknown.transfer_id, mine.transfer_id]))
      expect(yield* open(Option.some(org_id))).toEqual([mine.transfer_id])
      expect(yield* open(Option.some(other.org_id))).toEqual([])
      const decided = { org_id, account_id: null, reason: "theirs", decided_by: "olga", state: "resolved" } as const
      expect(yield* store.resolve(mine.transfer_id, decided)).toMatchObject(decided)
      expect(yield* open(Option.some(org_id))).toEqual([])
    })
  )

  it.effect("are paid for by their account, the oldest first, and only what it owes", () =>
    Effect.gen(function* () {
      const store = yield* IncomingTransferStore
      const { org_id } = yield* newOwner
      const [account_id, other] = [AccountId.make(yield* nextId), AccountId.make(yield* nextId)]
      const owing = { kind: "reversal", state: "receivable", org_id, account_id } as const
      yield* store.insert(yield* transfer({ ...owing, amount: money("10 KES") }))
      yield* store.insert(yield* transfer({ ...owing, amount: money("5 KES") }))
      yield* store.insert(yield* transfer({ ...owing, account_id: other, amount: money("7 KES") }))
      yield* store.insert(yield* transfer({ ...owing, state: "credited", amount: money("3 KES") }))
      const pays = (amount: string) => store.payOwed(org_id, account_id, money(amount))
      expect((yield* store.payOwed((yield* newOwner).org_id, account_id, money("1 KES"))).isZero).toBe(true)
      expect(yield* pays("4 KES")).toEqual(money("4 KES"))
      expect(yield* pays("8.50 KES")).toEqual(money("8.50 KES"))
      expect(yield* pays("8.50 KES")).toEqual(money("2.50 KES"))
      expect((yield* pays("1 KES")).isZero).toBe(true)
      const decided = { org_id, account_id, reason: "theirs", decided_by: "olga", state: "receivable" } as const
      const late = yield* transfer({ kind: "reversal", amount: money("2 KES") })
      yield* store.insert(late)
      yield* store.resolve(late.transfer_id, decided)
      expect(yield* pays("9 KES")).toEqual(money("2 KES"))
    })
  )

  it.effect("are undone by a later transfer of the same amount, of the same account or by their id", () =>
    Effect.gen(function* () {
      const store = yield* IncomingTransferStore
      const issuer_reference = yield* nextId
      const [one, two] = [yield* transfer({ issuer_reference }), yield* transfer({ issuer_reference })]
      yield* store.insert(one)
      yield* store.insert(two)
      const back = yield* transfer({ issuer_reference, kind: "reversal" })
      const undone = (about: Partial<NewTransfer> = {}, of: string | null = null) =>
        Effect.map(store.undoneBy({ ...back, ...about }, of), (found) =>
          Option.getOrUndefined(Option.map(found, ({ transfer_id }) => transfer_id))
        )
      expect(yield* undone()).toBe(one.transfer_id)
      expect(yield* undone({}, two.movement_id)).toBe(two.transfer_id)
      for (const about of [
        { kind: "reinstatement" },
        { amount: money("12.51 KES") },
        { amount: money("12.50 USD") },
        { issuer_reference: null },
        { provider: "stripe" }
      ] as const) {
        expect(yield* undone(about)).toBeUndefined()
      }
      const decided = { org_id: null, account_id: null, reason: "back", decided_by: null, state: "resolved" } as const
      yield* store.resolve(one.transfer_id, decided)
      expect(yield* undone()).toBe(two.transfer_id)
    })
  )

  it.effect("get the provider's id once, if an operator stated them, and note another amount once", () =>
    Effect.gen(function* () {
      const store = yield* IncomingTransferStore
      const issuer_reference = yield* nextId
      const movement_id = `operator:${yield* nextId}`
      const stated = yield* transfer({ issuer_reference, kind: "reversal", state: "resolved", movement_id })
      yield* store.insert(stated)
      const reported = yield* transfer({ issuer_reference, kind: "reversal" })
      expect(yield* store.nameStated({ ...reported, kind: "collection" })).toBe(false)
      expect(yield* store.nameStated(reported)).toBe(true)
      expect(yield* store.nameStated(reported)).toBe(false)
      expect(yield* store.insert(reported)).toBe(false)
      expect(yield* store.contradict(reported)).toBe(false)
      const other = { ...reported, amount: money("13 KES") }
      expect([yield* store.contradict(other), yield* store.contradict(other)]).toEqual([true, false])
      const { movement_id: named } = Option.getOrThrow(yield* store.lock(stated.transfer_id))
      expect(named).toBe(reported.movement_id)
    })
  )

  it.effect("are listed by one worker at a time, from the end of the last list", () =>
    Effect.gen(function* () {
      const store = yield* IncomingTransferStore
      const began = Option.getOrThrow(yield* store.claimList("circle"))
      expect(yield* store.claimList("circle")).toEqual(Option.none())
      yield* store.listed("circle", Duration.zero)
      expect(yield* store.claimList("circle")).toEqual(Option.some(began))
      const until = new Date(began.getTime() + 60_000)
      yield* store.listed("circle", Duration.hours(1), until)
      expect(yield* store.claimList("circle")).toEqual(Option.none())
      yield* store.listSoon("circle")
      expect(yield* store.claimList("circle")).toEqual(Option.some(until))
    })
  )

  it.effect("are listed once more if one was announced while they were being listed", () =>
    Effect.gen(function* () {
      const store = yield* IncomingTransferStore
      const began = Option.getOrThrow(yield* store.claimList("paystack"))
      // A callback comes after the provider has answered the list, and before that is noted.
      yield* store.listSoon("paystack")
      yield* store.listed("paystack", Duration.minutes(5), began)
      expect(Option.isSome(yield* store.claimList("paystack")), "the list is due again").toBe(true)
    })
  )

  it.effect("wait for their next time also if the list took longer than its lease", () =>
    Effect.gen(function* () {
      const store = yield* IncomingTransferStore
      const began = Option.getOrThrow(yield* store.claimList("stripe"))
      const leaseEnded = store.listed("stripe", Duration.zero, began)
      yield* leaseEnded
      yield* store.listed("stripe", Duration.minutes(5), began)
      expect(yield* store.claimList("stripe")).toEqual(Option.none())
    })
  )
})

layer(BooksOnPostgres(), onDatabase)("A list that is to be read soon", (it) => {
  it.scoped("is announced to the workers", () =>
    Effect.gen(function* () {
      const store = yield* IncomingTransferStore
      const { attach } = yield* WorkQueues
      const announced: Array<readonly [string, number]> = []
      yield* attach((queue, inMillis) => announced.push([queue, inMillis]))
      yield* store.listSoon("circle")
      expect(announced).toEqual([["account_details", 0]])
    })
  )
})
