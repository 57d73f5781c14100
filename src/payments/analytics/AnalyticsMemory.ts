/** The counts behind analytics, in memory. */
import { Array as Arr, Effect, Layer, Option } from "effect"
import { dateOf } from "../../domain/CalendarDate.ts"
import { uuidv7 } from "../../domain/Ids.ts"
import { Money } from "../../domain/Money.ts"
import { userTables } from "../../people/users/UserMemory.ts"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { paymentTables } from "../store/AttemptQueueMemory.ts"
import type { Payment } from "../store/Payment.ts"
import { AnalyticsStore, type DayInCurrency, failures, successes } from "./Analytics.ts"

const lineOf = (payments: Arr.NonEmptyReadonlyArray<Payment>): DayInCurrency => {
  const completed = payments.filter(({ status }) => successes.includes(status))
  return {
    date: dateOf(payments[0].created_at.getTime()),
    count: payments.length,
    completed: completed.length,
    failed: payments.filter(({ status }) => failures.includes(status)).length,
    volume: new Money({
      currency: payments[0].amount.currency,
      minor: completed.reduce((sum, { amount }) => sum + amount.minor, 0n)
    })
  }
}

export const analyticsStoreMemory = Layer.effect(
  AnalyticsStore,
  Effect.map(openTables({ ...userTables, ...paymentTables }), ({ attempts, memberships, payments, users }) => {
    const visible = (scope: Scope) =>
      users.all(({ user_id }) =>
        Option.match(scope, {
          onNone: () => true,
          onSome: (orgId) => memberships.all().some((row) => row.org_id === orgId && row.user_id === user_id)
        })
      )
    return {
      answerCounts: (since) =>
        Effect.sync(() => {
          const first = uuidv7(since.getTime(), new Uint8Array(10))
          const asked = attempts.all(({ attempt_id }) => attempt_id >= first)
          const groups = Arr.groupBy(asked, ({ outcome, provider }) => `${provider} ${outcome ?? "none"}`)
          return Object.keys(groups)
            .toSorted()
            .map((name) => {
              const [{ outcome, provider }] = groups[name]!
              return { provider, outcome: outcome ?? ("none" as const), count: groups[name]!.length }
            })
        }),
      usersByCountry: (scope) =>
        Effect.sync(() => {
          const groups = Arr.groupBy(visible(scope), ({ country }) => country ?? "")
          return Object.entries(groups)
            .map(([country, all]) => ({ country: country === "" ? null : country, users: all.length }))
            .sort((a, b) => b.users - a.users || ((a.country ?? "~") < (b.country ?? "~") ? -1 : 1))
        }),
      days: (scope, { from, to }) =>
        Effect.sync(() => {
          const rows = payments.all(({ created_at, org_id }) => {
            const date = dateOf(created_at.getTime())
            return (Option.isNone(scope) || org_id === scope.value) && date >= from && date <= to
          })
          const keyOf = (row: Payment) => `${dateOf(row.created_at.getTime())} ${row.amount.currency}`
          const groups = Object.entries(Arr.groupBy(rows, keyOf))
          return groups.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, all]) => lineOf(all))
        }),
      // Every report counts anew.
      closeDays: Effect.succeed(0)
    }
  })
)
