import { expect } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { IncomingTransferStore, type NewTransfer } from "../../../src/treasury/accounts/IncomingTransferStore.ts"
import { money } from "../../money/ledger/Entries.ts"
import { newOwner } from "../../payments/support/NewPayment.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/Stores.ts"

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
      const decided = { org_id, account_id: null, reason: "theirs", decided_by: "olga" }
      expect(yield* store.resolve(mine.transfer_id, decided)).toMatchObject({ ...decided, state: "resolved" })
      expect(yield* open(Option.some(org_id))).toEqual([])
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
})
