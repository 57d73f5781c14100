/** Gains and losses by rounding in the ledger check, on PostgreSQL. */
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { EventPublisher } from "../../../src/webhooks/EventPublisher.ts"
import { VirtualAccountStore, VirtualTransactionStore } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { checkAll } from "../../../src/cli/database/LocalMoney.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { type EntryKind, LedgerAccount, move } from "../../../src/domain/Ledger.ts"
import { stringifyWire } from "../../../src/domain/Decimal.ts"
import { Ledger } from "../../../src/money/ledger/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { Organizations } from "../../../src/people/organizations/Organizations.ts"
import type { Payment, RampFacts } from "../../../src/payments/store/Payment.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { RateLockStore } from "../../../src/money/rates/RateLockStore.ts"
import { makeAttempt, makePayment, newOwner } from "../../payments/support/NewPayment.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { BooksOnPostgres, onDatabase } from "./BooksOnPostgres.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { entryOf, fiatProvider, money, post } from "./Entries.ts"

type Owner = Effect.Effect.Success<typeof newOwner>

/** Outside gives `taken` and receives `given`, through `fx`. */
const through = (taken: string, given: string) => {
  const [source, target] = [money(taken), money(given)]
  return [
    ...move(fiatProvider(source.currency), LedgerAccount.fx(source.currency), source),
    ...move(LedgerAccount.fx(target.currency), fiatProvider(target.currency), target)
  ]
}

const transferred = (owner: Owner, rate: string | null, taken: string, given: string) =>
  Effect.gen(function* () {
    const currency = CurrencyCode.make(money(taken).currency)
    const account = yield* Effect.flatMap(Effect.all([VirtualAccountStore, nextId]), ([store, account_id]) =>
      store.insert({
        ...owner,
        account_id,
        customer_id: null,
        currency,
        virtual_account_name: "Initech",
        provider: null
      })
    )
    const transaction_id = yield* nextId
    const entry = yield* entryOf(owner.org_id, through(taken, given), { kind: "transfer", reference: transaction_id })
    yield* Effect.flatMap(VirtualTransactionStore, (store) =>
      store.insert([
        {
          ...{ ...owner, transaction_id, account_id: account.account_id, type: "debit", status: "completed" },
          ...{ amount: money(taken), fee: money(`0 ${currency}`), currency, description: null },
          ...{ payment_rail: "internal", reference: entry.entry_id, payment_id: null, rate }
        }
      ])
    )
    yield* post(entry)
    return entry.entry_id
  })

const lockOf = ({ org_id }: Owner, rate: string, from_currency: string, to_currency: string) =>
  Effect.gen(function* () {
    const locks = yield* RateLockStore
    const lock = { org_rate_id: yield* nextId, org_id, from_currency, to_currency, rate, amount: null }
    return yield* Effect.map(locks.insert(lock, Duration.minutes(15)), ({ org_rate_id }) => org_rate_id)
  })

const paid = (owner: Owner, amount: string, target: string, about: Partial<Payment>) =>
  Effect.gen(function* () {
    const payment = yield* makePayment(owner, { amount: money(amount), target: money(target), ...about })
    yield* Effect.flatMap(PaymentStore, (store) =>
      Effect.flatMap(makeAttempt(), (attempt) => store.create({ payment, attempt }))
    )
    return payment.payment_id
  })

const posted = (owner: Owner, payment_id: PaymentId, kind: EntryKind, taken: string, given: string) =>
  Effect.flatMap(entryOf(owner.org_id, through(taken, given), { kind, payment_id, reference: payment_id }), post)

const check = Effect.flatMap(LedgerStore, (store) => store.check)

const services = Effect.provide(
  Ledger.layer.pipe(
    Layer.provide(Organizations.layer.pipe(Layer.provide(EventPublisher.layer), Layer.provide(testSettings()))),
    Layer.provide(AuditLog.layer)
  )
)

const lossOf = (subject: string) =>
  Effect.map(check, ({ problems }) =>
    problems.flatMap((one) => (one.subject === subject ? [`${one.kind} ${one.message}`] : []))
  )

const totalIn = (code: string) =>
  Effect.map(check, ({ rounding }) => rounding.totals.find(({ currency }) => currency === code))

layer(BooksOnPostgres(), onDatabase)("The check of exchanges", (it) => {
  it.effect("names a transfer that gave more than it took is worth, and what `fx` lost by it", () =>
    Effect.gen(function* () {
      const owner = yield* newOwner
      const fair = yield* transferred(owner, "0.000511811023622", "19.54 NGN", "0.01 GBP")
      const loss = yield* transferred(owner, "0.000511811023622", "9.77 NGN", "0.01 GBP")
      expect(yield* lossOf(fair)).toEqual([])
      expect(yield* lossOf(loss)).toEqual([
        `fx_loss fx/GBP lost 0.00499960629921306 by ${loss}: it gave 0.01 for 9.77 NGN at 0.000511811023622.`
      ])
      expect(yield* totalIn("GBP")).toEqual({
        currency: "GBP",
        exchanges: 2,
        given_away: "0.00499960629921306",
        kept: "0.00000078740157388"
      })
      const reported = yield* services(checkAll)
      expect(reported.failure).toBe("The books are not in order (1 found).")
      expect(reported.text).toContain(
        "\nRounding of 2 exchanges into GBP gave away 0.00499960629921306 and kept 0.00000078740157388.\n"
      )
      expect(reported.text).toContain(`\nfx/GBP lost 0.00499960629921306 by ${loss}: it gave 0.01 for 9.77 NGN`)
      expect(stringifyWire(reported.data)).toContain('"given_away":0.00499960629921306,"kept":0.00000078740157388}')
    })
  )

  it.effect("lets an initiation lose half a unit and half a percent of its target, and shows the sum", () =>
    Effect.gen(function* () {
      const owner = yield* newOwner
      const org_rate_id = yield* lockOf(owner, "0.0071", "KES", "EUR")
      const pays = (amount: string, target: string) =>
        Effect.tap(paid(owner, amount, target, { org_rate_id }), (id) => posted(owner, id, "payin", amount, target))
      // 10.0056 and 10.0044: rounded half-even.
      const up = yield* pays("1409.24 KES", "10.01 EUR")
      const down = yield* pays("1409.07 KES", "10.00 EUR")
      expect([yield* lossOf(up), yield* lossOf(down)]).toEqual([[], []])
      expect(yield* totalIn("EUR")).toEqual({ currency: "EUR", exchanges: 2, given_away: "0.004396", kept: "0.004397" })
      // Worth 0.0071, and worth 99.4.
      const tiny = yield* pays("1.00 KES", "0.01 EUR")
      const wrong = yield* pays("14000.00 KES", "99.41 EUR")
      expect(yield* lossOf(tiny)).toEqual([`fx_loss fx/EUR lost 0.0029 by ${tiny}: it gave 0.01 for 1 KES at 0.0071.`])
      expect(yield* lossOf(wrong)).toEqual([
        `fx_loss fx/EUR lost 0.01 by ${wrong}: it gave 99.41 for 14000 KES at 0.0071.`
      ])
    })
  )

  it.effect("lets it lose as much again where more of it was kept, and no more", () =>
    Effect.gen(function* () {
      const owner = yield* newOwner
      const org_rate_id = yield* lockOf(owner, "28.4558823529", "KES", "UGX")
      const pays = (more: string) =>
        Effect.tap(paid(owner, "4.06 KES", "116 UGX", { org_rate_id }), (id) =>
          Effect.zipRight(
            posted(owner, id, "payin", "4.06 KES", "116 UGX"),
            posted(owner, id, "adjustment", "4.06 KES", more)
          )
        )
      // Converted twice; each time is worth 115.53.
      expect(yield* lossOf(yield* pays("116 UGX"))).toEqual([])
      expect(yield* lossOf(yield* pays("117 UGX"))).toHaveLength(1)
    })
  )

  it.effect("sees a payment as a whole: what came back is taken off on both sides", () =>
    Effect.gen(function* () {
      const owner = yield* newOwner
      const org_rate_id = yield* lockOf(owner, "0.0071", "KES", "CHF")
      const reversed = yield* paid(owner, "1409.07 KES", "10.00 CHF", { org_rate_id })
      yield* posted(owner, reversed, "payout", "1409.07 KES", "10.00 CHF")
      const back = through("1409.07 KES", "10.00 CHF").map(({ account, amount }) => ({
        account,
        amount: amount.negate()
      }))
      const about = { kind: "payout_return", payment_id: reversed } as const
      yield* Effect.flatMap(entryOf(owner.org_id, back, about), post)
      expect(yield* lossOf(reversed)).toEqual([])
      expect(yield* totalIn("CHF")).toEqual({ currency: "CHF", exchanges: 1, given_away: "0", kept: "0" })
      const partly = yield* paid(owner, "1000.00 KES", "7.10 CHF", { org_rate_id })
      yield* posted(owner, partly, "payin", "1000.00 KES", "7.10 CHF")
      // 500.00 KES are worth 3.55, and only 3.50 was taken for them.
      yield* posted(owner, partly, "refund", "3.50 CHF", "500.00 KES")
      expect(yield* lossOf(partly)).toEqual([
        `fx_loss fx/CHF lost 0.05 by ${partly}: it gave 3.6 for 500 KES at 0.0071.`
      ])
    })
  )

  it.effect("lets a ramp lose nothing, since the service computed it", () =>
    Effect.gen(function* () {
      const owner = yield* newOwner
      const ramp: RampFacts = {
        ...{ direction: "on_ramp", network: "BITCOIN", wallet_address: null },
        ...{ collection: "bank_transfer", settlement: "crypto", collected: null },
        ...{ rate: "0.000014652014652", client_rate: "0.000014652014652" },
        ...{ customer_type: "retail", business_id: null, business_name: null }
      }
      const ramped = (target: string) =>
        Effect.tap(paid(owner, "100.00 USD", target, { direction: "external", payment_method: "crypto", ramp }), (id) =>
          posted(owner, id, "ramp_settle", "100.00 USD", target)
        )
      expect(yield* lossOf(yield* ramped("0.00146520 BTC"))).toEqual([])
      const up = yield* ramped("0.00146521 BTC")
      expect(yield* lossOf(up)).toEqual([
        `fx_loss fx/BTC lost 0.0000000085348 by ${up}: it gave 0.00146521 for 100 USD at 0.000014652014652.`
      ])
    })
  )

  it.effect("counts exchanges without a stored rate", () =>
    Effect.gen(function* () {
      const owner = yield* newOwner
      const before = (yield* check).rounding.unchecked
      const old = yield* transferred(owner, null, "9.77 NGN", "0.01 GBP")
      expect(yield* lossOf(old)).toEqual([])
      expect((yield* check).rounding.unchecked).toBe(before + 1)
    })
  )
})
