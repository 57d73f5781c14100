/** A rate that a reviewer accepted belongs to its payment: freed, it must not be a lock of 24 hours for the organisation. */
import { expect } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { people } from "../../support/TestCredentials.ts"
import { get, initiate, type Json, jsonOf } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { movableClock, timePasses } from "../support/PaymentServices.ts"
import { byPhone } from "../support/Requests.ts"
import { act, setThreshold } from "../support/ActionCalls.ts"

onDatabasePaymentServer(
  "A rate that a reviewer accepted",
  () => ({ clock: movableClock() }),
  (it, { clock }) => {
    const setRate = (rate: string) =>
      Effect.flatMap(RateStore, (rates) => rates.set([{ from_currency: "KES", to_currency: "USD", rate }]))

    it.effect("is no lock for another payment when its own was declined", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* setRate("0.0078")
        const path = "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USD&amount=2000"
        const { org_rate_id, target_amount } = jsonOf(yield* get(path))["data"] as Json
        const body = { ...byPhone("+254700000001"), amount: 2000, target_amount, target_currency: "USD", org_rate_id }
        yield* setThreshold(acme.org_id, "1000")
        const { payment_id } = yield* Effect.ensuring(initiate(body), setThreshold(acme.org_id, null))
        yield* setRate("0.0077")
        const reviewed = yield* act(payment_id, { action: "review", accept_rate: 0.0077 }, acme.token("staff"))
        expect(reviewed.status).toBe(502)
        const sql = Option.getOrThrow(yield* Effect.serviceOption(SqlClient.SqlClient))
        const [row] = yield* sql<{
          org_rate_id: string
        }>`select org_rate_id from payments where payment_id = ${payment_id}`
        const freed = row!.org_rate_id
        expect(freed).not.toBe(org_rate_id)
        // Hours after RATE_LOCK_TTL (15 minutes), with a live rate that is 1.3 percent worse.
        yield* timePasses(clock, "20 hours")
        yield* setRate("0.0076")
        const again = yield* initiate({
          ...byPhone(),
          amount: 2000,
          target_amount: 15.4,
          target_currency: "USD",
          org_rate_id: freed
        })
        expect([again.status, again.body["code"]], `${String(freed)} ${again.text}`).toEqual([400, "RATE_MISMATCH"])
      })
    )
  }
)
