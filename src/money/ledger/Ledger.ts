/** The books as other features post to them, and as operators look after them. */
import { Context, Effect, Layer, Option } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import type { DateRange } from "../../domain/CalendarDate.ts"
import { Conflict, NotFound } from "../../domain/Failure.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import {
  type BalancesOfDay,
  balancesByDay,
  type CreditLimit,
  type PlatformBalance,
  type StoredBalance,
  LedgerStore,
  type NameWindow
} from "./LedgerStore.ts"
import type { LedgerReport } from "./LedgerCheck.ts"

/** For features, inside the transaction of the change that moves the money. */
type Posting = Pick<
  Context.Tag.Service<LedgerStore>,
  "post" | "balance" | "balances" | "balancesWithFloors" | "lockedBalance" | "lockedBalances" | "postings"
>

/** Balances of one payment's accounts. */
type OfPayment = Pick<Context.Tag.Service<LedgerStore>, "clearingOf" | "atProviders">

/** None: no limit of its own. */
export interface CreditLimitChange {
  readonly before: Option.Option<Money>
  readonly after: Option.Option<Money>
}

interface Operating {
  readonly check: (permit: Permit<"platform">) => Stored<LedgerReport>
  readonly balancesOf: (
    permit: Permit<"operations"> | Permit<"platform">,
    window?: NameWindow
  ) => Stored<ReadonlyArray<StoredBalance>>
  /** Of the platform: what providers hold, what waits in clearing, what is owed, fees and fx. */
  readonly platformBalances: (permit: Permit<"platform">) => Stored<ReadonlyArray<PlatformBalance>>
  /** At the end of each day: what can be paid out, or is owed. */
  readonly balancesByDay: (permit: Permit<"operations">, range: DateRange) => Stored<ReadonlyArray<BalancesOfDay>>
  readonly setCreditLimit: (
    permit: Permit<"platform">,
    limit: CreditLimit
  ) => Stored<CreditLimitChange, NotFound | Conflict>
}

const textOf = (limit: Option.Option<Money>): string | null =>
  Option.getOrNull(Option.map(limit, (money) => money.toNumericText()))

export class Ledger extends Context.Tag("corridor/Ledger")<Ledger, Posting & OfPayment & Operating>() {
  static readonly layer = Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const organizations = yield* Organizations
      const audit = yield* AuditLog
      const { atomically } = yield* Transactor

      const change = (permit: Permit<"platform">, limit: CreditLimit) =>
        Effect.gen(function* () {
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
          return { before, after }
        })

      return {
        post: store.post,
        balance: store.balance,
        balances: store.balances,
        balancesWithFloors: store.balancesWithFloors,
        lockedBalance: store.lockedBalance,
        lockedBalances: store.lockedBalances,
        postings: store.postings,
        clearingOf: store.clearingOf,
        atProviders: store.atProviders,
        check: Effect.fn("Ledger.check")(() => store.check),
        balancesOf: (permit, window) => store.balancesOf(permit.scope, window),
        platformBalances: Effect.fn("Ledger.platformBalances")(() => store.platformBalances),
        balancesByDay: Effect.fn("Ledger.balancesByDay")(function* (permit, range) {
          return balancesByDay(range, yield* store.settledAfter(permit.scope, range.from))
        }),
        setCreditLimit: Effect.fn("Ledger.setCreditLimit")((permit, limit) =>
          atomically(change(permit, limit)).pipe(
            Effect.catchTag("InsufficientFunds", ({ account }) =>
              Effect.flatMap(
                store.balance(account),
                (now) =>
                  new Conflict({
                    message: `The settlement balance is ${now.toString()} already: the credit limit cannot be less than that.`
                  })
              )
            )
          )
        )
      }
    })
  )
}
