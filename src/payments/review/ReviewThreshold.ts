/** Which payments wait for a second pair of eyes: those that reach what their organisation allows without one. */
import { BigDecimal, Context, Effect, Layer, Option } from "effect"
import { fromPlainText } from "../../domain/Decimal.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import { isAnyCurrencyCode } from "../../domain/Currency.ts"
import type { ReviewLimit } from "../../domain/RiskRules.ts"
import type { Organization } from "../../people/organizations/OrganizationStore.ts"
import type { OperatorItem, Payment } from "../store/Payment.ts"
import { catchRefusal, type Stored } from "../../platform/database/DatabaseFailure.ts"

export const reviewLimitOf = ({ currency, review_threshold }: Organization): Option.Option<ReviewLimit> =>
  Option.fromNullable(review_threshold).pipe(
    Option.flatMap(fromPlainText),
    Option.filter(BigDecimal.isPositive),
    Option.map((threshold) => ({ threshold, currency }))
  )

export class ReviewThreshold extends Context.Tag("corridor/ReviewThreshold")<
  ReviewThreshold,
  /** Reason why a payment is held, if it is. An amount that cannot be compared is held. */
  (payment: Pick<Payment, "amount">, organization: Option.Option<Organization>) => Stored<Option.Option<string>>
>() {
  static readonly layer = Layer.effect(
    ReviewThreshold,
    Effect.gen(function* () {
      const rates = yield* RateQuote
      return Effect.fnUntraced(function* ({ amount }, organization) {
        const reviewed = Option.flatMap(organization, reviewLimitOf)
        if (Option.isNone(organization) || Option.isNone(reviewed)) return Option.none<string>()
        const { currency, review_threshold } = organization.value
        const limit = `the review threshold of ${review_threshold} ${currency}`
        const rate = isAnyCurrencyCode(currency)
          ? yield* catchRefusal(rates.base(amount.currency, currency), () => Effect.succeedNone)
          : Option.none()
        if (Option.isNone(rate))
          return Option.some(`${amount.toString()} cannot be compared with ${limit}: there is no rate.`)
        return BigDecimal.lessThan(BigDecimal.multiply(amount.toDecimal(), rate.value), reviewed.value.threshold)
          ? Option.none()
          : Option.some(`${amount.toString()} reaches ${limit}.`)
      })
    })
  )
}

export const reviewItem = (
  item_id: string,
  { created_at, org_id, payment_id }: Payment,
  detail: string,
  by_platform = false
): OperatorItem => ({
  item_id,
  org_id,
  kind: "review",
  payment_id,
  attempt_id: null,
  detail,
  by_platform,
  opened_at: created_at
})

/** An initiation under way has an attempt and asks nothing of anyone; a held one waits. */
export const isHeldForReview = ({ next_action, status }: Payment): boolean =>
  status === "initiated" && next_action === "wait"

/** Whether a reviewed payment waits for its card at the hosted checkout. */
export const awaitsCard = ({ next_action, payment_method, provider, status }: Payment): boolean =>
  status === "pending" && payment_method === "card" && next_action === "redirect" && provider === null
