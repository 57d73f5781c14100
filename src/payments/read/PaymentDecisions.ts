/** Reads what a person can decide about a payment, with the balances of the moment. */
import { Context, Effect, Layer } from "effect"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Permit } from "../../domain/Access.ts"
import { totalOf } from "../../domain/Fee.ts"
import type { NotFound } from "../../domain/Failure.ts"
import type { DecidableItem as ShownItem } from "../../contract/api/ResolutionsApi.ts"
import type { PaymentId } from "../../domain/Ids.ts"
import { Fees } from "../../money/fees/Fees.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { refundsHonoured } from "../../providers/port/ResendPermit.ts"
import { accountsFor, itemsWithOptions, type ItemWithOptions } from "../settlement/ResolutionOptions.ts"
import { moverOf, type UnallocatedSum, unallocatedSums } from "../store/UnallocatedMoney.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import { orNotFound, PaymentStore } from "../store/PaymentStore.ts"
import { traced } from "../../platform/observability/Spans.ts"
import { acceptedTarget } from "../settlement/ResolutionRules.ts"

export const shownItem = ({ decisions, money, ...item }: ItemWithOptions): typeof ShownItem.Type => ({
  ...item,
  amount: money?.toShown() ?? null,
  currency: money?.currency ?? null,
  decisions: decisions.map(({ balance, corrects, ...decision }) => ({
    ...decision,
    movement_id: corrects?.movement_id ?? null,
    account: balance?.account ?? null,
    currency: balance?.before.currency ?? corrects?.amount.currency ?? null,
    before: balance?.before.toShown() ?? null,
    after: balance?.after.toShown() ?? null,
    owes: balance?.owes.toShown() ?? null
  }))
})

export class PaymentDecisions extends Context.Tag("corridor/PaymentDecisions")<
  PaymentDecisions,
  {
    readonly about: (
      permit: Permit<"platform">,
      paymentId: PaymentId
    ) => Stored<ReadonlyArray<ItemWithOptions>, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    PaymentDecisions,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const ledger = yield* Ledger
      const fees = yield* Fees
      const providers = yield* Providers

      const feeOf = Effect.fnUntraced(function* (payment: Payment, sum: UnallocatedSum) {
        const target = acceptedTarget(payment, sum)
        if (target === undefined || payment.total_fees === null) return null
        const { direction, org_id, payment_method } = payment
        const charged = yield* fees.charge({ org_id, payment_method, direction, amount: sum.money, target })
        return totalOf(charged.map(({ amount }) => amount))
      })

      const canRefund = ({ account, provider }: Attempt) =>
        Effect.map(
          providers.find(provider, account),
          (found) => found?.refund !== undefined && refundsHonoured(found) !== false
        )

      return {
        about: traced("PaymentDecisions.about")(function* ({ scope }, id) {
          const payment = yield* orNotFound(store.find(scope, id))
          const history = yield* store.history(payment)
          const sums = unallocatedSums(payment, history)
          const found = yield* ledger.balancesWithFloors(payment.org_id, accountsFor(payment, history))
          const balances = new Map(found.map((one) => [one.account, one]))
          const charged = new Map(
            yield* Effect.forEach(sums, (sum) => Effect.map(feeOf(payment, sum), (fee) => [sum.item_id, fee] as const))
          )
          const movers = sums.flatMap((sum) => moverOf(history.attempts, sum) ?? [])
          const refunding = new Map(
            yield* Effect.forEach(movers, (one) => Effect.map(canRefund(one), (can) => [one.attempt_id, can] as const))
          )
          return itemsWithOptions(payment, history, {
            balanceOf: (account) => balances.get(account)!,
            canRefund: ({ attempt_id }) => refunding.get(attempt_id) === true,
            feeOf: ({ item_id }) => charged.get(item_id) ?? null
          })
        })
      }
    })
  )
}
