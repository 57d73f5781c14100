/** The books as other features post to them, and as operators look after them. */
import { Context, Effect, Layer, Option, Clock } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { type DateRange, dateOf, recentRange } from "../../domain/CalendarDate.ts"
import { Conflict, NotFound } from "../../domain/Failure.ts"
import { LedgerAccount, kindOf } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import {
  balancesByDay,
  type CreditLimit,
  LedgerStore,
  type NameWindow,
  type BalancesOfDay,
  type PlatformBalance as Summed,
  type StoredBalance
} from "./LedgerStore.ts"
import type { Balance, BalancesApi, BalanceTrends, PlatformBalance } from "../../contract/api/BalancesApi.ts"
import { success, report } from "../../contract/api/Envelope.ts"
import { type Handlers, WholeList } from "../../platform/http/Handlers.ts"
import { makeOrderedCamelPages } from "../../platform/pagination/Pagination.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** None: no limit of its own. */
interface CreditLimitChange {
  readonly before: Option.Option<Money>
  readonly after: Option.Option<Money>
}

const textOf = (limit: Option.Option<Money>): string | null =>
  Option.getOrNull(Option.map(limit, (money) => money.toNumericText()))

const make = Effect.gen(function* () {
  const store = yield* LedgerStore
  const organizations = yield* Organizations
  const audit = yield* AuditLog
  const { atomically } = yield* Transactor

  const change = Effect.fnUntraced(function* (permit: Permit<"platform">, limit: CreditLimit) {
    const { credit_limit, currency, org_id } = limit
    if (Option.isNone(yield* organizations.find(org_id))) {
      return yield* new NotFound({ message: "There is no such organisation." })
    }
    const before = yield* store.setLimit(limit)
    const after = Option.fromNullable(credit_limit)
    yield* audit.record(permit, {
      action: "credit_limit.set",
      org: org_id,
      subject: ["ledger_account", LedgerAccount.settlement(org_id, currency)],
      detail: { currency, old: textOf(before), new: textOf(after) }
    })
    return { before, after } satisfies CreditLimitChange
  }, atomically)

  // For features, inside the transaction of the change that moves the money.
  const { balance, balances, balancesWithFloors, lockedBalance, lockedBalances, post, postings } = store
  const { atProviders, clearingOf } = store

  return {
    ...{ balance, balances, balancesWithFloors, lockedBalance, lockedBalances, post, postings },
    ...{ atProviders, clearingOf },
    check: traced("Ledger.check")((_permit: Permit<"platform">) => store.check),
    balancesOf: (permit: Permit<"reports"> | Permit<"platform">, window?: NameWindow) =>
      store.balancesOf(permit.scope, window),
    /** Balances of the platform: at providers, in clearing, owed, fees and fx. */
    platformBalances: traced("Ledger.platformBalances")((_permit: Permit<"platform">) => store.platformBalances),
    /** At the end of each day: what can be paid out, or is owed. */
    balancesByDay: traced("Ledger.balancesByDay")(function* (permit: Permit<"reports">, range: DateRange) {
      return balancesByDay(range, yield* store.settlementChangesAfter(permit.scope, range.from))
    }),
    setCreditLimit: traced("Ledger.setCreditLimit")((permit: Permit<"platform">, limit: CreditLimit) =>
      Effect.catchTag(change(permit, limit), "InsufficientFunds", ({ account }) =>
        Effect.flatMap(store.balance(account), (now) => {
          const message = `The settlement balance is ${now.toString()} already: the credit limit cannot be less than that.`
          return new Conflict({ message })
        })
      )
    )
  }
})

export class Ledger extends Context.Tag("corridor/Ledger")<Ledger, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Ledger, make)
}

const shown = ({ account, balance, floor }: StoredBalance): typeof Balance.Type => ({
  account,
  // A balance is kept only for these.
  kind: kindOf(account) as (typeof Balance.Type)["kind"],
  currency: balance.currency,
  balance: balance.toShown(),
  floor: floor === null ? null : floor.toShown()
})

const shownDay = ({ balances, date }: BalancesOfDay): (typeof BalanceTrends.Type)["days"][number] => ({
  date,
  balances: balances.map((balance) => ({ currency: balance.currency, balance: balance.toShown() }))
})

const shownSum = (sum: Summed): typeof PlatformBalance.Type => ({
  ...sum,
  currency: sum.balance.currency,
  balance: sum.balance.toShown()
})

const MESSAGE = "Balances"

export const balancesHandlers = Effect.map(
  Effect.all([Ledger, makeOrderedCamelPages]),
  ([ledger, pages]): Handlers<typeof BalancesApi> => ({
    list: ({ permit, route, urlParams }) => {
      const { lastEvaluatedKey, limit = lastEvaluatedKey === undefined ? undefined : 10 } = urlParams
      const fetch = (after: Option.Option<string>, take: number) =>
        Effect.map(ledger.balancesOf(permit, { after, take }), (rows) => rows.map(shown))
      if (limit === undefined) {
        const fields = { status: "success", message: MESSAGE }
        return Effect.succeed(new WholeList(fields, (last, take) => fetch(Option.fromNullable(last?.account), take)))
      }
      const page = pages(
        { permit, route, urlParams: { limit, lastEvaluatedKey } },
        {
          message: MESSAGE,
          fetch: ({ after, take }) =>
            fetch(
              Option.map(after, ([, account]) => account),
              take
            ),
          positionOf: ({ account }) => ["", account]
        }
      )
      return Effect.map(page, (found) => ({ ...found, count: found.data.length }))
    },
    platform: ({ permit }) => Effect.map(ledger.platformBalances(permit), (all) => success(MESSAGE, all.map(shownSum))),
    trends: traced("BalancesHttp.trends")(function* ({ permit, urlParams }) {
      const now = yield* Clock.currentTimeMillis
      const range = yield* recentRange(urlParams, now)
      const days = yield* ledger.balancesByDay(permit, range)
      // Balances of days in the future are not known.
      const begun = days.filter(({ date }) => date <= dateOf(now))
      return report({ date_from: range.from, date_to: range.to, days: begun.map(shownDay) })
    })
  })
)
