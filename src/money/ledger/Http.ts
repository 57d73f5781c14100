import { Clock, Effect } from "effect"
import type { Balance, BalancesApi, BalanceTrends } from "../../contract/api/Balances.ts"
import { report } from "../../contract/api/Report.ts"
import { dateOf } from "../../domain/CalendarDate.ts"
import { recentRange } from "../../domain/DateRange.ts"
import { kindOf } from "../../domain/Ledger.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import type { BalancesOfDay } from "./BalanceDays.ts"
import type { StoredBalance } from "./Books.ts"
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

export const balancesHandlers = Effect.map(Ledger, (ledger): Handlers<typeof BalancesApi> => ({
  list: ({ permit }) =>
    Effect.map(ledger.balancesOf(permit), (all) => ({
      status: "success",
      message: "Balances",
      data: all.map(shown),
      count: all.length
    })),
  trends: Effect.fn("BalancesHttp.trends")(function* ({ permit, urlParams }) {
    const now = yield* Clock.currentTimeMillis
    const range = yield* recentRange(urlParams, now)
    const days = yield* ledger.balancesByDay(permit, range)
    // What there will be on a day that has not begun nobody knows.
    const begun = days.filter(({ date }) => date <= dateOf(now))
    return report({ date_from: range.from, date_to: range.to, days: begun.map(shownDay) })
  })
}))
