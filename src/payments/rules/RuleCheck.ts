/**
 * Checks a new payment: block and allow lists, sanctions screening, and risk rules. Rules are counted in the payment's
 * own transaction, under locks of what identifies its parties: of two payments at once, the second counts the first.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { AnyCurrencyCode } from "../../domain/Currency.ts"
import type { Busy, DatabaseFailure } from "../../domain/Failure.ts"
import type { Rate } from "../../domain/Exchange.ts"
import type { OrgId } from "../../domain/Ids.ts"
import { ruleLockPatience } from "../../domain/policies/PaymentPolicies.ts"
import {
  appliesTo,
  evaluate,
  type Identities,
  identitiesOf,
  type ListSubject,
  normalizeIp,
  normalizeName,
  type RiskRule,
  type RuleHit,
  ruleTitle,
  type Subject,
  subjects,
  subjectsOf,
  tidyName
} from "../../domain/RiskRules.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import type { Organization } from "../../people/organizations/OrganizationStore.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { catchRefusal, orDefect, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { makeKeyedLocks } from "../../platform/fibers/KeyedLocks.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import type { Card } from "../../providers/port/Provider.ts"
import type { Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { reviewLimitOf } from "../review/ReviewThreshold.ts"
import { type ListEntry, type NewRule, type Owner, type RiskConfig, RuleStore } from "./RuleStore.ts"
import { Screening } from "./Screening.ts"

/** Sentences on why a payment is stopped, or is let through with a note; each names its rule. */
export interface RuleResult {
  readonly refusals: ReadonlyArray<string>
  readonly holds: ReadonlyArray<string>
  readonly alerts: ReadonlyArray<string>
  /** A hold is the platform's: no reviewer of the organisation may release it. */
  readonly heldByPlatform: boolean
}

const noObjection: RuleResult = { refusals: [], holds: [], alerts: [], heldByPlatform: false }

export const joined = (a: RuleResult, b: RuleResult): RuleResult => ({
  refusals: [...a.refusals, ...b.refusals],
  holds: [...a.holds, ...b.holds],
  alerts: [...a.alerts, ...b.alerts],
  heldByPlatform: a.heldByPlatform || b.heldByPlatform
})

/** Result of the rules before the payment's transaction, and the counts to make in it. */
export interface Check {
  readonly result: RuleResult
  /** Undefined: no rule counts it. */
  readonly counting:
    | {
        /** Counts and records the payment; inside its transaction, before anything else. */
        readonly count: Stored<RuleResult>
        /** Around the transaction: one payer's payments wait here, and take one connection of the pool. */
        readonly inTurn: <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Busy, R>
      }
    | undefined
}

const unchecked: Check = { result: noObjection, counting: undefined }

interface CheckContext {
  readonly config: RiskConfig
  readonly organization: Option.Option<Organization>
  readonly card: Redacted.Redacted<Card> | null
  readonly ip: string | null
}

/** A key of its own, encrypted under the master key: rotating that key does not change what lists and counts have. */
const KEY_NAME = "keys of risk subjects"

const freshKey = Effect.sync(() => randomBytes(32).toString("hex"))

const HASH_LENGTH = 32

/** Whether a reviewer has seen that this rule held the payment for this subject, and let it go on. */
type IsApproved = (rule: RiskRule, subject: Subject) => boolean

const notApproved: IsApproved = () => false

const riskRuleOf = ({ org_id, ...terms }: NewRule): RiskRule => ({ ...terms, ofPlatform: org_id === null })

/** Currencies of amounts and the limits that they are compared with. */
export const readRates = (
  quotes: Context.Tag.Service<RateQuote>,
  pairs: ReadonlyArray<readonly [from: AnyCurrencyCode, to: AnyCurrencyCode]>
) => {
  const wanted = new Map(pairs.filter(([from, to]) => from !== to).map((pair) => [pair.join(" "), pair]))
  return Effect.map(
    Effect.forEach(wanted, ([key, [from, to]]) =>
      Effect.map(
        catchRefusal(quotes.base(from, to), () => Effect.succeedNone),
        (rate): readonly [string, Option.Option<Rate>] => [key, rate]
      )
    ),
    (read) => {
      const rates = new Map(read)
      return (from: AnyCurrencyCode, to: AnyCurrencyCode) => rates.get(`${from} ${to}`) ?? Option.none<Rate>()
    }
  )
}

const prefix = { refuse: "Refused by", hold: "Held by", alert: "Alert of" } as const

const resultOf = (hits: ReadonlyArray<Omit<RuleHit, "rule">>): RuleResult => {
  const sentences = (action: RuleHit["action"]) => [
    ...new Set(hits.filter((hit) => hit.action === action).map(({ reason }) => `${prefix[action]} ${reason}`))
  ]
  const heldByPlatform = hits.some(({ action, ofPlatform }) => action === "hold" && ofPlatform)
  return { refusals: sentences("refuse"), holds: sentences("hold"), alerts: sentences("alert"), heldByPlatform }
}

const NOT_AVAILABLE = "sanctions screening, which is not available"

const downAction = { hold: "hold", refuse: "refuse", allow: "alert" } as const

const blockReason = ({ org_id, subject }: ListEntry): string =>
  `the ${org_id === null ? "platform's " : ""}block list, which has the ${subject.replace("_", " ")} of this payment.`

const blockedBy = (entries: ReadonlyArray<ListEntry>): RuleResult =>
  resultOf(
    entries
      .filter(({ list }) => list === "block")
      .map((entry) => ({ action: "refuse", ofPlatform: entry.org_id === null, reason: blockReason(entry) }))
  )

const noIdentities: Identities = {
  phone: [],
  email: [],
  card: [],
  ip_address: [],
  wallet_address: [],
  beneficiary: [],
  name: []
}

const make = Effect.gen(function* () {
  const store = yield* RuleStore
  const quotes = yield* RateQuote
  const screening = yield* Screening
  const payments = yield* PaymentStore
  const secret = yield* orDefect(Effect.flatMap(Secrets, ({ getOrMake }) => getOrMake(KEY_NAME, freshKey)))
  const { screening: settings } = yield* Settings
  const inTurnOf = makeKeyedLocks(ruleLockPatience)
  const { atomically } = yield* Transactor

  const hmac = (data: string): string => createHmac("sha256", secret).update(data).digest("hex")

  const hashOf = (card: Redacted.Redacted<Card>): string => hmac(`card number ${Redacted.value(card).number}`)

  /** Keyed hashes of identities; those of two owners never coincide. */
  const keyOf = (owner: Owner, subject: Subject, value: string): string =>
    hmac(`${owner ?? "platform"} ${subject} ${value}`).slice(0, HASH_LENGTH)

  /** Tells a card from others within an organisation; null without a number. */
  const fingerprint = (orgId: OrgId, card: Redacted.Redacted<Card> | null): string | null =>
    card === null ? null : keyOf(orgId, "card", hashOf(card))

  /** Form in which a list stores a value. Cards are stored as a fingerprint of each owner's own. */
  const listed = (owner: Owner, subject: ListSubject, value: string): string => {
    if (subject === "card") return keyOf(owner, "card", value)
    return subject === "name" ? normalizeName(value) : value
  }

  const entriesFor = Effect.fnUntraced(function* (orgId: OrgId, identities: Identities) {
    const values = (Object.keys(identities) as ReadonlyArray<ListSubject>).flatMap((subject) =>
      identities[subject].flatMap((value) =>
        [...new Set([listed(orgId, subject, value), listed(null, subject, value)])].map((text) => ({
          subject,
          value: text
        }))
      )
    )
    return values.length === 0 ? [] : yield* store.matching(orgId, values)
  })

  const isAllowed = (entries: ReadonlyArray<ListEntry>, owner: Owner, subject: ListSubject, value: string) =>
    entries.some(
      (entry) =>
        entry.list === "allow" &&
        (entry.org_id === owner || entry.org_id === null) &&
        entry.subject === subject &&
        entry.value === listed(entry.org_id, subject, value)
    )

  const screenOne = (name: string) =>
    Option.match(screening, {
      onNone: () => Effect.succeed(noObjection),
      onSome: ({ screen }) =>
        Effect.match(screen(name), {
          onSuccess: Option.match({
            onNone: () => noObjection,
            onSome: ({ list, name: match, score }) => {
              const reason = `sanctions screening: "${name}" matches "${match}" of ${list}, score ${score.toFixed(2)}.`
              return resultOf([{ action: "hold", ofPlatform: true, reason }])
            }
          }),
          onFailure: ({ reason }) =>
            resultOf([
              {
                action: downAction[settings.ifDown],
                ofPlatform: true,
                reason: `${NOT_AVAILABLE}: ${reason}.`
              }
            ])
        })
    })

  /** Only the platform can clear a name: an organisation must not switch off its own screening. */
  const screened = Effect.fnUntraced(function* (entries: ReadonlyArray<ListEntry>, { name }: Identities) {
    const byName = new Map(name.map((one) => [normalizeName(one), one]))
    const names = [...byName.values()].filter((one) => !isAllowed(entries, null, "name", one))
    const results = yield* Effect.forEach(names, screenOne, { concurrency: "unbounded" })
    return results.reduce(joined, noObjection)
  })

  const countingOf = (
    payment: Pick<Payment, "amount" | "direction" | "org_id" | "payment_id">,
    { config, organization }: CheckContext,
    identities: Identities,
    entries: ReadonlyArray<ListEntry>,
    isApproved: IsApproved
  ): Check["counting"] => {
    const { amount, direction, org_id } = payment
    const limit = Option.getOrUndefined(Option.flatMap(organization, reviewLimitOf))
    const watched = config.rules.filter((rule) => appliesTo(rule, direction))
    // Inactive rules are recorded too: once on, they know the payments since they were set.
    const recorded = [null, org_id].flatMap((owner) => {
      const used = new Set(watched.filter((rule) => rule.org_id === owner).flatMap(subjectsOf))
      return subjects.flatMap((subject) =>
        used.has(subject)
          ? identities[subject].map((value) => ({ key: keyOf(owner, subject, value), owner, subject }))
          : []
      )
    })
    if (recorded.length === 0) return undefined
    const asked = watched
      .filter(({ is_active, kind }) => is_active && (kind === "velocity" || limit !== undefined))
      .flatMap((rule) =>
        subjectsOf(rule).flatMap((subject) =>
          identities[subject]
            .filter((value) => !isAllowed(entries, rule.org_id, subject, value))
            .map((value) => ({
              rule: riskRuleOf(rule),
              subject,
              key: keyOf(rule.org_id, subject, value),
              // The review threshold is the organisation's, so the payments of one are added up.
              owner: rule.kind === "structuring" ? org_id : rule.org_id,
              seconds: rule.window_seconds,
              direction: rule.direction
            }))
        )
      )
    const keys = [...new Set(asked.map(({ key }) => key))].toSorted()
    const count = Effect.gen(function* () {
      if (keys.length > 0) yield* store.lock(keys)
      const counts = yield* store.count(
        asked.map(({ direction: flow, key, owner, seconds }) => ({ key, owner, seconds, direction: flow })),
        payment,
        recorded
      )
      const limitOf = ({ kind, max_amount }: RiskRule) =>
        kind === "structuring" ? (limit?.currency as AnyCurrencyCode | undefined) : max_amount?.currency
      const rates = yield* readRates(
        quotes,
        asked.flatMap(({ rule }, at) => {
          const to = limitOf(rule)
          return to === undefined ? [] : [amount, ...counts[at]!.sums].map(({ currency }) => [currency, to] as const)
        })
      )
      return resultOf(
        asked.flatMap(({ rule, subject }, at) => {
          const hit = evaluate(rule, subject, amount, counts[at]!, limit, rates)
          return hit === undefined || (hit.action === "hold" && isApproved(rule, subject)) ? [] : [hit]
        })
      )
    })
    const inTurn = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E | Busy, R> =>
      keys.reduceRight<Effect.Effect<A, E | Busy, R>>((inner, key) => inTurnOf(key, inner), transaction)
    return { count, inTurn }
  }

  const checkAll = Effect.fnUntraced(function* (
    payment: Payment,
    context: CheckContext,
    identities: Identities,
    isApproved: IsApproved
  ): Effect.fn.Return<Check, DatabaseFailure> {
    const { config } = context
    const entries = config.hasLists ? yield* entriesFor(payment.org_id, identities) : []
    const blocked = blockedBy(entries)
    if (blocked.refusals.length > 0) return { result: blocked, counting: undefined }
    const result = yield* screened(entries, identities)
    return { result, counting: countingOf(payment, context, identities, entries, isApproved) }
  })

  /** Whether the organisation has no rules and no lists, and names are not screened. */
  const isUnchecked = ({ hasLists, rules }: RiskConfig): boolean =>
    rules.length === 0 && !hasLists && Option.isNone(screening)

  /** Reasons of the holds that a reviewer has approved. */
  const approvedReasons = (payment: Payment) =>
    Effect.map(payments.history(payment), ({ items }) =>
      items.flatMap(({ closed_at, detail, kind }) => (kind === "review" && closed_at !== null ? [detail] : []))
    )

  return {
    /** Rules and lists for the payments of an organisation. */
    configOf: store.configOf,
    fingerprint,
    check: (payment: Payment, context: CheckContext): Stored<Check> => {
      if (isUnchecked(context.config)) return Effect.succeed(unchecked)
      const card = context.card === null ? null : hashOf(context.card)
      return checkAll(payment, context, identitiesOf(payment, { card, ip: context.ip }), notApproved)
    },
    /**
     * Checks what the payer of an approved payment brings to the hosted checkout: card, holder and IP address. A hold
     * that the reviewer approved passes. Any other refuses, since the card may not be kept for a review.
     */
    checkEntered: Effect.fnUntraced(function* (payment: Payment, given: Omit<CheckContext, "config">) {
      const { card, ip } = given
      const config = yield* store.configOf(payment.org_id)
      if (isUnchecked(config)) return { alerts: [], refusal: Option.none<string>(), isLater: false }
      const reasons = yield* approvedReasons(payment)
      const isSameCard = payment.card_details["fingerprint"] === fingerprint(payment.org_id, card)
      const isApproved: IsApproved = (rule, subject) =>
        (subject !== "card" || isSameCard) &&
        reasons.some((reason) => reason.includes(`${prefix.hold} ${ruleTitle(rule)}:`))
      const holder = card === null ? null : Redacted.value(card).holder
      const identities: Identities = {
        ...noIdentities,
        card: card === null ? [] : [hashOf(card)],
        ip_address: ip === null ? [] : [normalizeIp(ip)],
        name: holder === null ? [] : [tidyName(holder)]
      }
      const { counting, result } = yield* checkAll(payment, { ...given, config }, identities, isApproved)
      const counted = counting === undefined ? noObjection : yield* counting.inTurn(atomically(counting.count))
      const isNew = (hold: string) => !reasons.some((reason) => reason.includes(hold))
      const { alerts, holds, refusals } = joined({ ...result, holds: result.holds.filter(isNew) }, counted)
      const objections = [...refusals, ...holds]
      return {
        alerts,
        refusal: Option.fromNullable(objections[0]),
        /** Only the screening's absence stops it: the payer may try again. */
        isLater: objections.length > 0 && objections.every((one) => one.startsWith(`${prefix.hold} ${NOT_AVAILABLE}`))
      }
    })
  }
})

export class RuleCheck extends Context.Tag("corridor/RuleCheck")<RuleCheck, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(RuleCheck, make)
}
