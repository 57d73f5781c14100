/** Tries a rule on the payments of the last 30 days, before it is switched on. */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { AnyCurrencyCode } from "../../domain/Currency.ts"
import { Money } from "../../domain/Money.ts"
import { ruleWindowMax, triedPayments, triedShown } from "../../domain/policies/PaymentPolicies.ts"
import {
  appliesTo,
  type Counted,
  evaluate,
  identitiesOf,
  type RatesTo,
  type ReviewLimit,
  type RiskRule,
  type RuleHit,
  type Subject,
  subjectsOf
} from "../../domain/RiskRules.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { reviewLimitOf } from "../review/ReviewThreshold.ts"
import { readRates } from "./RuleCheck.ts"
import { type PastPayment, RuleStore, uncountedStatuses } from "./RuleStore.ts"
import { Rules, type RulesPermit, type WantedTerms } from "./Rules.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Payments of one identity within the window, added up as they come and go. */
class Sliding {
  private readonly payments: Array<{ readonly at: number; readonly amount: Money }> = []
  private first = 0
  private readonly sums = new Map<AnyCurrencyCode, bigint>()

  private change({ currency, minor }: Money, sign: 1n | -1n): void {
    this.sums.set(currency, (this.sums.get(currency) ?? 0n) + sign * minor)
  }

  add(at: number, amount: Money): void {
    this.payments.push({ at, amount })
    this.change(amount, 1n)
  }

  countedAfter(time: number): Counted {
    while (this.first < this.payments.length && this.payments[this.first]!.at <= time) {
      this.change(this.payments[this.first]!.amount, -1n)
      this.first += 1
    }
    return {
      count: this.payments.length - this.first,
      sums: [...this.sums].map(([currency, minor]) => new Money({ currency, minor }))
    }
  }
}

const valuesOf = (payment: PastPayment, subject: Subject): ReadonlyArray<string> =>
  subject === "card" || subject === "ip_address"
    ? payment.recorded.filter((one) => one.subject === subject).map(({ key }) => key)
    : identitiesOf(payment, { card: null, ip: null })[subject]

/** Fields of a payment that a rule reads. */
interface TriedPayment extends Pick<PastPayment, "amount" | "created_at" | "org_id" | "payment_id" | "status"> {
  /** By the rule's subjects; none if the rule does not apply. */
  readonly values: ReadonlyArray<readonly [Subject, string]>
}

const triedPayment =
  (rule: RiskRule) =>
  (payment: PastPayment): TriedPayment => {
    const { amount, created_at, direction, org_id, payment_id, status } = payment
    const values = appliesTo(rule, direction)
      ? subjectsOf(rule).flatMap((subject) => valuesOf(payment, subject).map((value) => [subject, value] as const))
      : []
    return { amount, created_at, org_id, payment_id, status, values }
  }

/** Payments that are read, or tried, before other requests have their turn. */
const PAGE = 100

const letOthersIn = Effect.sleep(0)

interface Tried {
  readonly rule: RiskRule
  readonly limitOf: (payment: TriedPayment) => ReviewLimit | undefined
  readonly rates: RatesTo
}

interface TriedHit {
  readonly payment: TriedPayment
  readonly reason: string
}

/** Hits, oldest first. `payments`: oldest first. */
const tryRule = Effect.fnUntraced(function* (payments: ReadonlyArray<TriedPayment>, { limitOf, rates, rule }: Tried) {
  const seen = new Map<string, Sliding>()
  const hits: Array<TriedHit> = []
  const seconds = rule.window_seconds
  for (const [index, payment] of payments.entries()) {
    if (index % PAGE === 0) yield* letOthersIn
    const at = payment.created_at.getTime()
    const limit = limitOf(payment)
    const lines = payment.values.map(([subject, value]) => {
      // The review threshold is the organisation's, so the payments of one are added up.
      const key = `${rule.kind === "structuring" ? payment.org_id : ""} ${subject} ${value}`
      const line = seen.get(key) ?? new Sliding()
      seen.set(key, line)
      return { line, subject }
    })
    const found = lines.flatMap(({ line, subject }): Array<RuleHit> => {
      const hit = evaluate(rule, subject, payment.amount, line.countedAfter(at - seconds * 1000), limit, rates)
      return hit === undefined ? [] : [hit]
    })
    if (found[0] !== undefined) hits.push({ payment, reason: found[0].reason })
    const isRefused = found.some(({ action }) => action === "refuse")
    if (!isRefused && !uncountedStatuses.some((status) => status === payment.status)) {
      for (const { line } of lines) line.add(at, payment.amount)
    }
  }
  return hits
})

const make = Effect.gen(function* () {
  const rules = yield* Rules
  const store = yield* RuleStore
  const organizations = yield* Organizations
  const quotes = yield* RateQuote

  const read = Effect.fnUntraced(function* (owner: Parameters<typeof store.past>[0], rule: RiskRule) {
    const found: Array<TriedPayment> = []
    const seconds = Duration.toSeconds(ruleWindowMax)
    let last: PastPayment | undefined
    while (found.length < triedPayments) {
      const after =
        last === undefined ? Option.none() : Option.some([last.created_at.toISOString(), last.payment_id] as const)
      const page = yield* store.past(owner, seconds, { after, take: PAGE })
      found.push(...page.map(triedPayment(rule)))
      last = page.at(-1)
      if (page.length < PAGE) return { payments: found.toReversed(), is_complete: true }
      yield* letOthersIn
    }
    return { payments: found.toReversed(), is_complete: false }
  })

  return {
    attempt: traced("RuleTrial.attempt")(function* (permit: RulesPermit, wanted: WantedTerms) {
      const { organization, terms } = yield* rules.checkTerms(permit, wanted)
      const owner = Option.getOrNull(Option.map(organization, ({ org_id }) => org_id))
      const rule: RiskRule = { ...terms, name: "trial", ofPlatform: owner === null }
      const { is_complete, payments } = yield* read(owner, rule)
      const orgs = terms.kind === "structuring" ? new Set(payments.map(({ org_id }) => org_id)) : []
      const limits = new Map(
        yield* Effect.forEach(orgs, (orgId) =>
          Effect.map(
            organizations.find(orgId),
            (found) => [orgId, Option.getOrUndefined(Option.flatMap(found, reviewLimitOf))] as const
          )
        )
      )
      const targets = new Set(
        [terms.max_amount?.currency, ...[...limits.values()].map((limit) => limit?.currency)].filter(
          (currency): currency is AnyCurrencyCode => currency !== undefined
        )
      )
      const currencies = new Set(payments.map(({ amount }) => amount.currency))
      const rates = yield* readRates(
        quotes,
        [...targets].flatMap((to) => [...currencies].map((from) => [from, to] as const))
      )
      const now = new Date(yield* Clock.currentTimeMillis)
      const hits = yield* tryRule(payments, { rule, rates, limitOf: ({ org_id }) => limits.get(org_id) })
      return {
        from: payments[0]?.created_at ?? now,
        payments: payments.length,
        is_complete,
        hits: hits.length,
        examples: hits
          .toReversed()
          .slice(0, triedShown)
          .map(({ payment: { amount, created_at, payment_id, status }, reason }) => ({
            payment_id,
            status,
            amount: amount.toShown(),
            currency: amount.currency,
            reason,
            created_at
          }))
      }
    })
  }
})

export class RuleTrial extends Context.Tag("corridor/RuleTrial")<RuleTrial, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(RuleTrial, make)
}
