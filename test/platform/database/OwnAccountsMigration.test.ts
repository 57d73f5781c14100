/** Books from before accounts that configurations bring were kept apart: their providers' side is moved, and nothing else. */
import { expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { migrateTo } from "../../../src/platform/database/Migrations.ts"
import { EmptyDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"

const idOf = (nth: number) => `00000000-0000-7000-8000-0000000000${String(nth).padStart(2, "0")}`

const [ORG, USER, CONFIG] = [idOf(1), idOf(2), idOf(3)]

const LAST = 23

const onDatabase = { excludeTestServices: true, timeout: "60 seconds" } as const

layer(EmptyDatabase.pipe(Layer.provide(testSettings())), onDatabase)("books of before", (it) => {
  it.effect("have what lies in each account of a provider on an account of its own", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrateTo(LAST - 1)
      yield* sql`insert into organizations ${sql.insert({ org_id: ORG, name: "Acme", country: "KE", currency: "KES", email: "a@b.example" })}`
      yield* sql`insert into users ${sql.insert({ user_id: USER, subject: "idp|x", email: "x@b.example" })}`
      const paid = (nth: number, account: string | null, amount: string) =>
        Effect.gen(function* () {
          const payment_id = idOf(nth)
          yield* sql`insert into payments ${sql.insert({
            ...{
              payment_id,
              transaction_id: idOf(nth + 1),
              org_id: ORG,
              user_id: USER,
              status: "completed",
              version: 2
            },
            ...{ direction: "inbound", payment_method: "card", country: "KE", provider: "stripe" },
            ...{ amount, currency: "KES", target_amount: amount, target_currency: "KES" },
            ...{ created_at: new Date(0), updated_at: new Date(0) }
          })}`
          yield* sql`insert into attempts ${sql.insert({
            ...{ attempt_id: idOf(nth + 2), payment_id, org_id: ORG, leg: "payment", provider: "stripe" },
            ...{ account, outcome: "accepted", started_at: new Date(0) }
          })}`
          const posting = { entry_id: idOf(nth + 3), org_id: ORG, currency: "KES", kind: "payin", payment_id }
          yield* sql`insert into ledger_postings ${sql.insert([
            { ...posting, account: "provider/stripe/KES", amount: `-${amount}` },
            { ...posting, account: `settlement/${ORG}/KES`, amount }
          ])}`
        })
      yield* paid(10, null, "100")
      yield* paid(20, CONFIG, "70")
      yield* paid(30, CONFIG, "5")
      yield* migrateTo(LAST)
      const sums = yield* sql<{ account: string; amount: string }>`select account, sum(amount)::text as amount
        from ledger_postings group by account order by account`
      expect(Object.fromEntries(sums.map(({ account, amount }) => [account, Number(amount)]))).toEqual({
        "provider/stripe/KES": -100,
        [`provider/stripe/${CONFIG}/KES`]: -75,
        [`settlement/${ORG}/KES`]: 175
      })
      const payments = yield* sql`select payment_id, account from payments order by payment_id`
      expect(payments).toEqual([
        { payment_id: idOf(10), account: null },
        { payment_id: idOf(20), account: CONFIG },
        { payment_id: idOf(30), account: CONFIG }
      ])
      expect(yield* sql`select distinct own from attempts`).toEqual([{ own: false }])
    })
  )
})
