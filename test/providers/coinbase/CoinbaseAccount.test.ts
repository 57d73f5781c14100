/** Which account at Coinbase is paid into and out of, where nobody says it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { coinbaseFake } from "../../../src/providers/coinbase/Fake.ts"
import { joined, NOW, payout } from "./Coinbase.ts"

const { account_id: _, ...unnamed } = coinbaseFake.credentials

describe("an account at Coinbase that is not named", () => {
  it.effect("is the one that the key opens, and is asked for once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { provider, wire } = joined(unnamed)
      expect(yield* provider.initiate(payout("10.00"))).toMatchObject({ _tag: "Accepted" })
      expect(yield* provider.initiate(payout("11.00"))).toMatchObject({ _tag: "Accepted" })
      const paths = wire.calls.map(({ method, path }) => `${method} ${path.split("?")[0]}`)
      expect(paths.filter((one) => one === "GET /v2/accounts")).toHaveLength(1)
      const sent = wire.calls.find(({ method }) => method === "POST")
      expect(sent?.body).toContain(coinbaseFake.credentials["account_id"])
    })
  )
})
