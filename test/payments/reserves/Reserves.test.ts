/** The rolling reserve and the payout delay of card payins: held, released, and spent by refunds and chargebacks. */
import { expect } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Option } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import type { ReserveRule } from "../../../src/domain/Reserve.ts"
import { Ids, type PaymentId } from "../../../src/domain/Ids.ts"
import { FeeRuleStore } from "../../../src/money/fees/Fees.ts"
import { Ledger } from "../../../src/money/ledger/Ledger.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { PaymentDecisions } from "../../../src/payments/read/PaymentDecisions.ts"
import { ReserveReleases } from "../../../src/payments/reserves/Reserves.ts"
import { Organizations } from "../../../src/people/organizations/Organizations.ts"
import { people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { backends } from "../../support/OnBothStores.ts"
import {
  ask,
  balanceOf,
  expectBooksInOrder,
  openAccount,
  transactionsOf
} from "../../treasury/accounts/AccountFixtures.ts"
import { act } from "../support/ActionCalls.ts"
import { resolve } from "../support/OperatorActions.ts"
import {
  attemptsOf,
  callBack,
  get,
  initiate,
  type Json,
  jsonOf,
  lookUp,
  ofKind,
  timelineOf
} from "../support/PaymentCalls.ts"
import { honouring, threeProviders, watched } from "../support/PayinBalances.ts"
import { payout, servedByOwn } from "../support/OwnAccount.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import type { MovableClock } from "../support/PaymentServices.ts"
import { byCard } from "../support/Requests.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import { came, payinAt, refunded, taken, reporter, won } from "../support/TransferReports.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"

const KES = CurrencyCode.make("KES")

/** 10 percent for 3 days. */
const tenPercent = { basis_points: 1000, reserve_days: 3 }

/** Lets days pass: the database has a clock of its own, so there the releases come closer instead. */
const daysPass = (clock: MovableClock, days: number) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isNone(sql)) return clock.move(Duration.days(days))
    const by = sql.value`make_interval(days => ${days})`
    yield* sql.value`update payments set release_at = release_at - ${by}, reserve = jsonb_set(reserve, '{parts}', (
        select jsonb_agg(part || jsonb_build_object('release_at', (part ->> 'release_at')::timestamptz - ${by}) order by nth)
        from jsonb_array_elements(reserve -> 'parts') with ordinality as x (part, nth)))
      where release_at is not null`
  })

for (const backend of backends) {
  const accounts = new Map<string, Provider>()
  const made = { ...threeProviders(), accounts }
  const { clock, stripe } = made

  onPaymentServer("Reserves", backend, made, (it) => {
    const setRule = (rule: Partial<ReserveRule>) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const organizations = yield* Organizations
        return yield* organizations.setReserve(operatorPermit("platform", "olga"), acme.org_id, {
          ...{ payment_method: "card", basis_points: 0, reserve_days: 0, delay_days: 0 },
          ...{ minimum_amount: null, minimum_currency: null },
          ...rule
        })
      })

    /** Starts with a rule and nothing of the test before left to be released. */
    const fresh = (rule: Partial<ReserveRule>) =>
      Effect.gen(function* () {
        yield* setRule({})
        yield* daysPass(clock, 10)
        yield* released
        const set = yield* setRule(rule)
        expect(set.after).toMatchObject(rule)
        return yield* watched
      })

    const released = Effect.flatMap(ReserveReleases, ({ runOnce }) => runOnce)

    const after = (days: number) => Effect.zipRight(daysPass(clock, days), released)

    /** A payin of 1500. */
    const paidIn = Effect.tap(payinAt(stripe), ({ says }) => says(came(1500)))

    const reserves = Effect.gen(function* () {
      const { acme } = yield* people
      return jsonOf(yield* get(`/organizations/${acme.org_id}/reserves`))["data"] as {
        readonly rules: ReadonlyArray<Json>
        readonly releases: ReadonlyArray<{ readonly amount: number; readonly currency: string }>
      }
    })

    const upcoming = Effect.map(reserves, ({ releases }) => releases.map(({ amount }) => amount))

    /** Effect of the first possible decision on the organisation's balance. */
    const firstDecision = (payment_id: PaymentId) =>
      Effect.gen(function* () {
        const decisions = yield* PaymentDecisions
        const [item] = yield* decisions.about(operatorPermit("platform", "amina"), payment_id)
        const balance = item!.decisions[0]!.balance!
        return { balance, moves: Number(balance.after.minor - balance.before.minor) / 100 }
      })

    it.effect("are set by a platform admin alone, off by default, shown and removed", () =>
      Effect.gen(function* () {
        const { acme, admin } = yield* people
        expect(yield* reserves).toEqual({ rules: [], releases: [] })
        const put = (body: object, headers: object) =>
          send(`/v1/organizations/${acme.org_id}/reserves`, {
            method: "PUT",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify(body)
          })
        const rule = { payment_method: "card", ...tenPercent, delay_days: 2 }
        expect((yield* put(rule, acme.key)).status).toBe(403)
        const none = { minimum_amount: null, minimum_currency: null }
        expect(jsonOf(yield* put(rule, admin))).toMatchObject({ message: "Reserve set", data: { ...rule, ...none } })
        expect((yield* reserves).rules).toEqual([{ ...rule, ...none }])
        for (const [wrong, field] of [
          [{ ...rule, basis_points: 10_001 }, "basis_points"],
          [{ ...rule, reserve_days: 0 }, "reserve_days"],
          [{ ...rule, delay_days: 91 }, "delay_days"],
          [{ ...rule, minimum_amount: 10 }, "minimum_currency"],
          [{ ...rule, minimum_amount: 0.001, minimum_currency: "KES" }, "minimum_amount"],
          [{ payment_method: "card", minimum_amount: 10, minimum_currency: "KES" }, "minimum_amount"],
          [{ payment_method: "cash" }, "payment_method"]
        ] as const) {
          const answer = yield* put(wrong, admin)
          expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field)])
        }
        expect(jsonOf(yield* put({ payment_method: "card" }, admin))).toMatchObject({ data: null })
        expect(yield* reserves).toEqual({ rules: [], releases: [] })
        const log = jsonOf(yield* get(`/audit-log?action=reserve.set&org_id=${acme.org_id}`, admin))
        expect(log["data"]).toHaveLength(2)
      })
    )

    it.effect(
      "hold a share of each payin and release it once, with the changes of the rule for later payins only",
      () =>
        Effect.gen(function* () {
          const { acme } = yield* people
          const books = yield* fresh(tenPercent)
          const first = yield* paidIn
          expect(yield* books.gained).toEqual({ settlement: 1350, reserve: 150, stripe: -1500 })
          yield* setRule({ basis_points: 2000, reserve_days: 6 })
          yield* paidIn
          expect(yield* books.gained).toEqual({ settlement: 2550, reserve: 450, stripe: -3000 })
          expect(yield* upcoming).toEqual([150, 300])
          const balances = jsonOf(yield* get(`/organizations/${acme.org_id}/balances`))["data"] as ReadonlyArray<Json>
          expect(balances.find(({ kind }) => kind === "reserve")).toMatchObject({
            balance: 450,
            currency: "KES",
            floor: 0
          })
          yield* expectBooksInOrder
          yield* after(2)
          expect(yield* books.gained).toMatchObject({ reserve: 450 })
          yield* after(2)
          yield* released
          expect(yield* books.gained).toEqual({ settlement: 2700, reserve: 300, stripe: -3000 })
          expect(yield* upcoming).toEqual([300])
          yield* after(3)
          expect(yield* books.gained).toEqual({ settlement: 3000, stripe: -3000 })
          expect(yield* upcoming).toEqual([])
          const reported = ofKind(yield* timelineOf(first.payment_id), "reserve")
          expect(reported.map(({ amount, change }) => [change, amount])).toEqual([
            ["held", 150],
            ["released", 150]
          ])
          yield* expectBooksInOrder
        })
    )

    it.effect("pay refunds first, and get back what a failed refund had taken", () =>
      Effect.gen(function* () {
        const books = yield* fresh(tenPercent)
        const { refund } = yield* paidIn
        yield* refund(100)
        expect(yield* books.gained).toEqual({ settlement: 1350, reserve: 50, stripe: -1400 })
        const open = yield* refund(200, "processing")
        expect(yield* books.gained).toEqual({ settlement: 1200, held: 200, stripe: -1400 })
        yield* open.callsBack("failed")
        expect(yield* books.gained).toEqual({ settlement: 1350, reserve: 50, stripe: -1400 })
        expect(yield* upcoming).toEqual([50])
        yield* expectBooksInOrder
        yield* after(4)
        expect(yield* books.gained).toEqual({ settlement: 1400, stripe: -1400 })
        yield* refund(1400)
        expect(yield* books.gained).toEqual({})
        yield* expectBooksInOrder
      })
    )

    it.effect("pay a refund in full that the settlement balance alone could not", () =>
      Effect.gen(function* () {
        const books = yield* fresh({ delay_days: 3 })
        const { refund } = yield* paidIn
        expect(yield* books.gained).toEqual({ reserve: 1500, stripe: -1500 })
        expect((yield* refund(1500)).status).toBe(200)
        expect(yield* books.gained).toEqual({})
        expect(yield* upcoming).toEqual([])
        yield* after(4)
        expect(yield* books.gained).toEqual({})
        yield* expectBooksInOrder
      })
    )

    it.effect("bear a chargeback before settlement does, and are refilled when the dispute is won", () =>
      Effect.gen(function* () {
        const books = yield* fresh(tenPercent)
        const { payment_id, says } = yield* paidIn
        yield* says(taken(400))
        expect(yield* books.gained, "nothing moves before a decision").toMatchObject({ settlement: 1350, reserve: 150 })
        yield* after(4)
        expect(yield* books.gained, "nor is anything released").toMatchObject({ settlement: 1350, reserve: 150 })
        expect(yield* firstDecision(payment_id)).toMatchObject({ balance: { owes: { minor: 0n } }, moves: -250 })
        yield* resolve(payment_id, "completed", "lost")
        expect(yield* books.gained).toEqual({ settlement: 1100, stripe: -1100 })
        yield* says(won(400))
        expect(yield* books.gained).toEqual({ settlement: 1350, reserve: 150, stripe: -1500 })
        yield* expectBooksInOrder
        yield* after(1)
        expect(yield* books.gained).toEqual({ settlement: 1500, stripe: -1500 })
        yield* expectBooksInOrder
      })
    )

    it.effect("leave a chargeback after the release to the settlement balance", () =>
      Effect.gen(function* () {
        const books = yield* fresh(tenPercent)
        const { payment_id, says } = yield* paidIn
        const other = yield* paidIn
        yield* after(4)
        yield* says(taken(1500))
        yield* resolve(payment_id, "completed", "lost")
        expect(yield* books.gained).toEqual({ settlement: 1500, stripe: -1500 })
        yield* says(won(1500))
        yield* other.says(refunded(100, "by hand"))
        yield* resolve(other.payment_id, "completed", "refunded in the dashboard")
        expect(yield* books.gained).toEqual({ settlement: 2900, stripe: -2900 })
        yield* expectBooksInOrder
      })
    )

    it.effect("pay what they can of a chargeback that the organisation owes", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const books = yield* fresh(tenPercent)
        const ledger = yield* Ledger
        const permit = operatorPermit("platform", "tester", Option.none())
        const { payment_id, says } = yield* paidIn
        yield* serveCountry("DE", ["stripe"], "bank_transfer", "outbound")
        stripe.otherwise(accepts({ state: "completed" }))
        const has = yield* ledger.balance(LedgerAccount.settlement(acme.org_id, KES))
        expect((yield* payout("DE", "all of it", Number(has.minor) / 100)).status).toBe(200)
        const limit = { org_id: acme.org_id, currency: KES }
        yield* ledger.setCreditLimit(permit, { ...limit, credit_limit: moneyOf("0", KES) })
        const owed = yield* watched
        yield* says(taken(1500))
        const reported = { before: { minor: 0n }, after: { minor: 0n }, owes: { minor: 135_000n } }
        expect(yield* firstDecision(payment_id)).toMatchObject({ balance: reported })
        yield* resolve(payment_id, "completed", "lost")
        expect(yield* owed.gained).toEqual({ reserve: -150, receivable: -1350, stripe: 1500 })
        yield* expectBooksInOrder
        yield* says(won(1500))
        expect(yield* owed.gained).toEqual({})
        yield* ledger.setCreditLimit(permit, { ...limit, credit_limit: null })
        yield* after(4)
        expect(yield* books.gained).toMatchObject({ settlement: 150 - Number(has.minor) / 100 + 1350 })
        yield* expectBooksInOrder
      })
    )

    it.effect("come after fees, with a delay for the rest, and never leave less than the minimum", () =>
      Effect.gen(function* () {
        const { org_id } = yield* fresh({})
        const rules = yield* FeeRuleStore
        const fee_rule_id = yield* Effect.flatMap(Ids, (ids) => ids.next)
        yield* rules.put({
          ...{ fee_rule_id, org_id, payment_method: "card", direction: "inbound" },
          ...{ basis_points: 333, fixed: null }
        } as const)
        yield* setRule({
          basis_points: 1000,
          reserve_days: 6,
          delay_days: 2,
          minimum_amount: "200",
          minimum_currency: KES
        })
        const books = yield* watched
        yield* paidIn
        expect(yield* books.gained).toEqual({ reserve: 1450.05, fees: 49.95, stripe: -1500 })
        expect(yield* upcoming).toEqual([1300.05, 150])
        yield* paidIn
        yield* after(3)
        expect(yield* books.gained).toMatchObject({ settlement: 2600.1, reserve: 300 })
        yield* after(5)
        expect(yield* books.gained, "150 would be less than the minimum").toMatchObject({ reserve: 300 })
        yield* setRule({ ...tenPercent, minimum_amount: "150", minimum_currency: KES })
        yield* after(1)
        expect(yield* books.gained).toMatchObject({ settlement: 2750.1, reserve: 150 })
        yield* setRule({})
        yield* after(1)
        expect(yield* books.gained).toEqual({ settlement: 2900.1, fees: 99.9, stripe: -3000 })
        yield* rules.remove(fee_rule_id)
        yield* expectBooksInOrder
      })
    )

    it.effect("are held and released in the currency that the organisation is credited in", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* fresh(tenPercent)
        yield* serveCountry("PT", ["stripe"])
        stripe.otherwise(accepts())
        const { org_rate_id, target_amount } = yield* lookUp("KES", "USD", 1500)
        const { payment_id } = yield* initiate({
          ...byCard(),
          ...{ country: "PT", org_rate_id, target_amount, target_currency: "USD" }
        })
        const reserve = LedgerAccount.reserve(acme.org_id, CurrencyCode.make("USD"))
        const held = Effect.flatMap(Ledger, (ledger) =>
          Effect.map(ledger.balance(reserve), ({ minor }) => Number(minor))
        )
        yield* reporter(stripe, String((yield* attemptsOf(payment_id))[0]?.["attempt_id"]))(came(1500))
        expect(yield* held).toBeGreaterThan(0)
        expect(Math.abs((yield* held) - Number(target_amount) * 10)).toBeLessThanOrEqual(0.5)
        stripe.will({ refund: accepts({ state: "completed" }) })
        expect((yield* act(payment_id, { action: "refund", amount: 75 })).status).toBe(200)
        expect(yield* held).toBeLessThan(Number(target_amount) * 6)
        yield* expectBooksInOrder
        yield* after(4)
        expect(yield* held).toBe(0)
        yield* expectBooksInOrder
      })
    )

    it.effect("apply to payins that credit a virtual account, and are released to it", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const books = yield* fresh(tenPercent)
        const { account_id } = yield* openAccount(acme.key, {
          ...{ org_id: acme.org_id, user_id: acme.userId("staff"), currency: "KES" }
        })
        yield* serveCountry("IT", ["stripe"])
        stripe.otherwise(accepts())
        const { payment_id } = yield* initiate({ ...byCard(), country: "IT", virtual_account_id: account_id })
        const says = reporter(stripe, String((yield* attemptsOf(payment_id))[0]?.["attempt_id"]))
        yield* says(came(1500))
        expect(yield* balanceOf(acme.key, account_id)).toBe(1350)
        expect(yield* books.gained).toEqual({ reserve: 150, stripe: -1500 })
        const withdrawn = { from_account_id: account_id, to_account_id: "settlement", amount: 1400 }
        expect((yield* ask(acme.key, "/transfer", withdrawn)).status).toBe(409)
        expect((yield* ask(acme.key, "/transfer", { ...withdrawn, amount: 1350 })).status).toBe(200)
        yield* says(taken(1000))
        yield* resolve(payment_id, "completed", "lost")
        expect(yield* balanceOf(acme.key, account_id), "the reserve pays its part, the rest is owed").toBe(0)
        expect(yield* books.gained).toEqual({ settlement: 500, stripe: -500 })
        const lines = (yield* transactionsOf(acme.key, account_id)).map(({ amount, type }) =>
          type === "credit" ? amount : -amount
        )
        expect(lines.toReversed()).toEqual([1500, -150, -1350, -150, 150])
        yield* after(4)
        expect(yield* books.gained).toEqual({ settlement: 500, stripe: -500 })

        const second = yield* initiate({ ...byCard(), country: "IT", virtual_account_id: account_id })
        yield* reporter(stripe, String((yield* attemptsOf(second.payment_id))[0]?.["attempt_id"]))(came(1500))
        yield* after(4)
        expect(yield* balanceOf(acme.key, account_id)).toBe(1500)
        yield* expectBooksInOrder
      })
    )

    it.effect("get back what they bore if a dispute is won, and the settlement balance what it bore", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const books = yield* fresh(tenPercent)
        const { account_id } = yield* openAccount(acme.key, {
          ...{ org_id: acme.org_id, user_id: acme.userId("staff"), currency: "KES" }
        })
        yield* serveCountry("IT", ["stripe"])
        stripe.otherwise(accepts())
        const { payment_id } = yield* initiate({ ...byCard(), country: "IT", virtual_account_id: account_id })
        const says = reporter(stripe, String((yield* attemptsOf(payment_id))[0]?.["attempt_id"]))
        yield* says(came(1500))
        const spent = { from_account_id: account_id, to_account_id: "settlement", amount: 1350 }
        expect((yield* ask(acme.key, "/transfer", spent)).status).toBe(200)
        yield* says(taken(1000))
        yield* resolve(payment_id, "completed", "lost")
        expect(yield* books.gained).toEqual({ settlement: 500, stripe: -500 })
        yield* says(won(400, "w1"))
        expect(yield* books.gained, "the debt is given back first").toEqual({ settlement: 900, stripe: -900 })
        yield* says(won(600, "w2"))
        expect(yield* books.gained).toEqual({ settlement: 1350, reserve: 150, stripe: -1500 })
        expect(yield* balanceOf(acme.key, account_id)).toBe(0)
        yield* expectBooksInOrder
        yield* after(4)
        expect(yield* books.gained).toEqual({ settlement: 1350, stripe: -1500 })
        expect(yield* balanceOf(acme.key, account_id)).toBe(150)
        yield* expectBooksInOrder
      })
    )

    it.effect("bear the chargeback of a payin that was paid twice, and get back what is won", () =>
      Effect.gen(function* () {
        const books = yield* fresh(tenPercent)
        const { payment_id, says } = yield* paidIn
        yield* says(came(1500, "c2"))
        yield* resolve(payment_id, "completed", "the second one is theirs too")
        expect(yield* books.gained).toEqual({ settlement: 2850, reserve: 150, stripe: -3000 })
        yield* says(taken(400))
        expect(yield* firstDecision(payment_id)).toMatchObject({ moves: -250 })
        yield* resolve(payment_id, "completed", "lost")
        expect(yield* books.gained).toEqual({ settlement: 2600, stripe: -2600 })
        yield* says(won(400))
        expect(yield* books.gained).toEqual({ settlement: 2850, reserve: 150, stripe: -3000 })
        yield* expectBooksInOrder
      })
    )

    it.effect("do not apply to the organisation's own provider accounts", () =>
      Effect.gen(function* () {
        const books = yield* fresh(tenPercent)
        const own = honouring("stripe")
        own.otherwise(accepts())
        const account = yield* servedByOwn(accounts, own, { country: "GR" })
        const { payment_id } = yield* initiate({ ...byCard(), country: "GR" })
        const reference = String((yield* attemptsOf(payment_id))[0]?.["attempt_id"])
        yield* callBack("stripe", { key: "GR", reference, state: "completed" }, { account })
        expect(jsonOf(yield* get(`/payments/${payment_id}`))["status"]).toBe("completed")
        expect(yield* books.gained).toEqual({})
        expect(yield* upcoming).toEqual([])
        yield* expectBooksInOrder
      })
    )

    it.effect("are reserved of what an operator accepts as the whole payment", () =>
      Effect.gen(function* () {
        const books = yield* fresh(tenPercent)
        const { payment_id, says } = yield* payinAt(stripe)
        yield* says(came(1000))
        expect(yield* firstDecision(payment_id)).toMatchObject({ moves: 900 })
        yield* resolve(payment_id, "completed", "good enough")
        expect(yield* books.gained).toEqual({ settlement: 900, reserve: 100, stripe: -1000 })
        yield* expectBooksInOrder
      })
    )

    it.effect("are released once, however many look at them at one time", () =>
      Effect.gen(function* () {
        const books = yield* fresh(tenPercent)
        yield* Effect.replicateEffect(paidIn, 5)
        yield* daysPass(clock, 4)
        yield* Effect.replicateEffect(released, 8, { concurrency: "unbounded" })
        expect(yield* books.gained).toEqual({ settlement: 7500, stripe: -7500 })
        yield* expectBooksInOrder
      })
    )
  })
}
