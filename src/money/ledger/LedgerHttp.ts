import { Clock, Effect, Option } from "effect"
import type { Balance, BalancesApi, BalanceTrends, PlatformBalance } from "../../contract/api/BalancesApi.ts"
import { success, report } from "../../contract/api/Envelope.ts"
import { dateOf, recentRange } from "../../domain/CalendarDate.ts"
import { kindOf } from "../../domain/Ledger.ts"
import { type Handlers, WholeList } from "../../platform/http/Handlers.ts"
import { makeOrderedCamelPages } from "../../platform/pagination/Pagination.ts"
import type { BalancesOfDay, PlatformBalance as Summed, StoredBalance } from "./LedgerStore.ts"
import { Ledger } from "./Ledger.ts"

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
    trends: Effect.fn("BalancesHttp.trends")(function* ({ permit, urlParams }) {
      const now = yield* Clock.currentTimeMillis
      const range = yield* recentRange(urlParams, now)
      const days = yield* ledger.balancesByDay(permit, range)
      // Balances of days in the future are not known.
      const begun = days.filter(({ date }) => date <= dateOf(now))
      return report({ date_from: range.from, date_to: range.to, days: begun.map(shownDay) })
    })
  })
)
