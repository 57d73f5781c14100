import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { manualOrigin, RateStore } from "../../../src/money/rates/RateStore.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

const usd = (to_currency: string, rate: string) => ({ from_currency: "USD", to_currency, rate })

onBothStores("RateStore", (it) => {
  it.effect("keeps every digit of a rate, in order of its currencies", () =>
    Effect.gen(function* () {
      const store = yield* RateStore
      const rates = [usd("BTC", "0.0000146520146520"), usd("IDR", "16012.3456789"), usd("USDT", "1")]
      yield* store.set(rates.toReversed().map((one) => ({ ...one, rate: one.rate.replace(/(\.\d*?)0+$/, "$1") })))
      const listed = yield* store.list
      expect(listed.map(({ rate, to_currency }) => [to_currency, rate])).toEqual([
        ["BTC", "0.000014652014652"],
        ["IDR", "16012.3456789"],
        ["USDT", "1"]
      ])
      for (const { updated_at } of listed) expect(updated_at).toBeInstanceOf(Date)
    })
  )

  it.effect("replaces a pair, each direction for itself", () =>
    Effect.gen(function* () {
      const store = yield* RateStore
      yield* store.set([usd("KES", "129"), { from_currency: "KES", to_currency: "USD", rate: "0.0077" }])
      yield* store.set([usd("KES", "130.5")])
      const kept = (yield* store.list).filter((one) => one.from_currency === "KES" || one.to_currency === "KES")
      expect(kept.map(({ from_currency, rate }) => [from_currency, rate])).toEqual([
        ["KES", "0.0077"],
        ["USD", "130.5"]
      ])
    })
  )

  it.effect("keeps one proposal for a pair, the last one, until it is dropped", () =>
    Effect.gen(function* () {
      const store = yield* RateStore
      const ofPair = Effect.map(store.proposals, (all) => all.filter(({ to_currency }) => to_currency === "CLP"))
      yield* store.propose({ ...usd("CLP", "950"), proposed_by: "ada" })
      const last = yield* store.propose({ ...usd("CLP", "960.25"), proposed_by: "grace" })
      expect(last).toMatchObject({ ...usd("CLP", "960.25"), proposed_by: "grace" })
      expect(yield* ofPair).toEqual([last])
      yield* store.dropProposal("USD", "CLP")
      expect(yield* ofPair).toEqual([])
    })
  )

  it.effect("finds a pair in its own direction", () =>
    Effect.gen(function* () {
      const store = yield* RateStore
      yield* store.set([usd("GHS", "15.5")])
      const found = Option.getOrThrow(yield* store.findForUpdate("USD", "GHS"))
      expect(found).toEqual({
        ...usd("GHS", "15.5"),
        ...manualOrigin,
        updated_at: expect.any(Date),
        compared_rate: "15.5"
      })
      expect(yield* store.findForUpdate("GHS", "USD")).toEqual(Option.none())
    })
  )

  it.effect("keeps the rate that later ones are compared with, until one is confirmed", () =>
    Effect.gen(function* () {
      const store = yield* RateStore
      const compared = Effect.map(store.findForUpdate("USD", "TZS"), (row) => Option.getOrThrow(row).compared_rate)
      yield* store.set([usd("TZS", "2500")])
      yield* store.set([usd("TZS", "2600")])
      expect(yield* compared).toBe("2500")
      const listed = (yield* store.listForUpdate).find(({ to_currency }) => to_currency === "TZS")
      expect(listed).toMatchObject({ rate: "2600", compared_rate: "2500" })
      yield* store.set([usd("TZS", "2900")], manualOrigin, true)
      expect(yield* compared).toBe("2900")
    })
  )

  it.effect("takes an empty list for what it is", () =>
    Effect.gen(function* () {
      const store = yield* RateStore
      const before = yield* store.list
      yield* store.set([])
      expect(yield* store.list).toEqual(before)
    })
  )
})
