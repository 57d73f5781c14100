import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { coinbase } from "../../../src/providers/coinbase/CoinbaseAdapter.ts"
import { coinbaseFake } from "../../fakes/CoinbaseFake.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { NOW } from "../support/CryptoOrders.ts"
import { payout } from "./CoinbaseTestOrders.ts"

const unnamed = { credentials: ({ account_id: _, ...rest }: Readonly<Record<string, string>>) => rest }

describe("an account at Coinbase that is not named", () => {
  it.scoped("is the one that the key opens, and is asked for once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { calls, provider } = yield* againstFake(coinbase, coinbaseFake, unnamed)
      expect(yield* provider.initiate(payout("10.00"))).toMatchObject({ _tag: "Accepted" })
      expect(yield* provider.initiate(payout("11.00"))).toMatchObject({ _tag: "Accepted" })
      const paths = calls.map(({ method, path }) => `${method} ${path.split("?")[0]}`)
      expect(paths.filter((one) => one === "GET /v2/accounts")).toHaveLength(1)
      const sent = calls.find(({ method }) => method === "POST")
      expect(sent?.body).toContain(coinbaseFake.credentials["account_id"])
    })
  )
})
