/** The books as operators look after them, and what `corridor ledger` makes of it. */
import { expect } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { EventPublisher } from "../../../src/webhooks/EventPublisher.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { balancesOf, checkAll, setLimit, wantedLimit } from "../../../src/cli/database/LocalMoney.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { stringifyWire } from "../../../src/domain/Decimal.ts"
import { Ledger } from "../../../src/money/ledger/Ledger.ts"
import { Organizations } from "../../../src/people/organizations/Organizations.ts"
import { everything } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { code, fiatProvider, money, moved, newBooks } from "./Entries.ts"
import { nilId } from "../../support/AnyId.ts"

const services = Effect.provide(
  Ledger.layer.pipe(
    Layer.provideMerge(Organizations.layer.pipe(Layer.provide(EventPublisher.layer), Layer.provide(testSettings()))),
    Layer.provideMerge(AuditLog.layer)
  )
)

const permit = operatorPermit("platform", "olga")

const limit = (org_id: string, amount: string, currency = "KES") =>
  Effect.flatMap(wantedLimit({ currency, amount }), (wanted) => setLimit(org_id, wanted))

const audited = (org_id: OrgId) =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    const scope = operatorPermit("audit", "olga", Option.some(org_id))
    const rows = yield* log.list(scope, { action: "credit_limit.set" }, everything)
    return rows.map(({ actor_type, detail, subject_id, subject_type }) => ({
      who: actor_type,
      subject: [subject_type, subject_id],
      detail
    }))
  })

onBothStores("Ledger", (it) => {
  it.effect("sets a credit limit with its audit row", () =>
    Effect.gen(function* () {
      const { org_id, settlement } = yield* newBooks()
      const first = yield* limit(org_id, "250.5")
      expect(first.text).toBe("Credit limit in KES: 250.50 KES (before: none of its own).")
      expect(stringifyWire(first.data)).toBe(
        `{"org_id":"${org_id}","currency":"KES","credit_limit":250.50,"previous_credit_limit":null}`
      )
      yield* moved(org_id, settlement, fiatProvider(), "250.50 KES")
      const again = yield* limit(org_id, "300")
      expect(again.text).toBe("Credit limit in KES: 300.00 KES (before: 250.50 KES).")
      const subject = ["ledger_account", settlement]
      const rows = yield* audited(org_id)
      expect(rows).toHaveLength(2)
      expect(rows).toContainEqual({ who: "operator", subject, detail: { currency: "KES", old: null, new: "250.50" } })
      expect(rows).toContainEqual({
        ...{ who: "operator", subject },
        detail: { currency: "KES", old: "250.50", new: "300.00" }
      })
    }).pipe(services)
  )

  it.effect("refuses a limit below the debt, for an unknown organisation, or without an amount, unaudited", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const { org_id, settlement } = yield* newBooks()
      yield* limit(org_id, "100")
      yield* moved(org_id, settlement, fiatProvider(), "80 KES")
      const rows = yield* audited(org_id)
      for (const tooLow of ["79.99", "none"]) {
        const refused = yield* Effect.flip(limit(org_id, tooLow))
        expect(refused).toMatchObject({ _tag: "Conflict", message: expect.stringContaining("is -80.00 KES already") })
      }
      const missing = { org_id: nilId, currency: code("KES"), credit_limit: money("1 KES") }
      expect(yield* Effect.flip(ledger.setCreditLimit(permit, missing))).toMatchObject({ _tag: "NotFound" })
      for (const [amount, currency, why] of [
        ["-1", "KES", "--amount is below zero"],
        ["1.001", "KES", "--amount has more than 2 fraction digits"],
        ["ten", "KES", "--amount is not a decimal number such as 5000"],
        ["1e3", "KES", "--amount is not a decimal number"],
        ["1234567890123456", "UGX", "--amount has more than 15 significant digits"],
        ["1", "kes", "--currency is neither"]
      ] as const) {
        expect(yield* Effect.flip(wantedLimit({ amount, currency }))).toMatchObject({
          ...{ _tag: "Invalid", message: expect.stringContaining(why) }
        })
      }
      expect(yield* Effect.flip(limit("none", "1"))).toMatchObject({ _tag: "Invalid" })
      expect(yield* audited(org_id)).toEqual(rows)
      expect((yield* checkAll).failure).toBeUndefined()
    }).pipe(services)
  )

  it.effect("shows an organisation's balances and floors", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* newBooks(), yield* newBooks({ sandbox: true })]
      expect((yield* balancesOf(mine.org_id)).text).toBe("Nothing has been posted for this organisation yet.")
      yield* moved(mine.org_id, fiatProvider(), mine.first, "12.5 KES")
      yield* moved(theirs.org_id, theirs.settlement, fiatProvider(), "3 KES")
      const own = yield* balancesOf(mine.org_id)
      expect(own.text).toMatch(new RegExp(`^ACCOUNT +BALANCE +FLOOR\n${mine.first} +12\\.50 KES +0\\.00$`))
      expect(stringifyWire(own.data)).toBe(
        `[{"account":"${mine.first}","org_id":"${mine.org_id}","currency":"KES","balance":12.50,"floor":0.00}]`
      )
      const free = yield* balancesOf(theirs.org_id)
      expect(free.text).toMatch(/-3\.00 KES +none$/)
      expect(free.data).toMatchObject([{ account: theirs.settlement, floor: null }])
      expect(yield* Effect.flip(balancesOf("none"))).toMatchObject({ _tag: "Invalid" })
    }).pipe(services)
  )

  it.effect("says that books are in order", () =>
    Effect.gen(function* () {
      const { first, org_id } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "1 KES")
      const { data, failure, text } = yield* checkAll
      expect(failure).toBeUndefined()
      expect(data.problems).toEqual([])
      expect(data.postings).toBe(data.entries * 2)
      expect(text).toBe(
        `The books are in order: ${data.postings} postings of ${data.entries} entries on ${data.accounts} accounts, ${data.balances} balances compared.`
      )
    }).pipe(services)
  )
})
