/** Creates a planned payment: routes it, charges fees, and holds it for review or commits and dispatches it. */
import { Array as Arr, Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { type OrgId, PaymentId, TransactionId, Ids } from "../../domain/Ids.ts"
import { Settings } from "../../platform/config/Settings.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { atConfigVersion } from "../../platform/database/Batcher.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { type Access, organizationOf, type Permit } from "../../domain/Access.ts"
import { type InsufficientFunds, type RateLimited, RefusedByRule } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { ruleFor } from "../../domain/Reserve.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import { Fees } from "../../money/fees/Fees.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import { stillRunning } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { type LockRefused, lockRefusal } from "../../money/rates/RateLockStore.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import type { Organization } from "../../people/organizations/OrganizationStore.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { isHeldForReview, reviewItem, ReviewThreshold } from "../review/ReviewThreshold.ts"
import { type Check, joined, RuleCheck, type RuleResult } from "../rules/RuleCheck.ts"
import type { RiskConfig } from "../rules/RuleStore.ts"
import { PaymentCommand, paymentIds } from "../settlement/PaymentCommand.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { mergePayment, type Payment } from "../store/Payment.ts"
import { type NewFee, totalOf } from "../../domain/Fee.ts"
import { holdAfter } from "../store/PaymentPostings.ts"
import type { PaymentPlan } from "./PaymentPlan.ts"
import { PhonePrompts, type PromptedBy } from "../prompts/PhonePrompts.ts"
import { type Candidates, PaymentRouter, allProvidersFailed, noRoute } from "../route/PaymentRouter.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { CheckoutUrl, type PaidLeg, buildOrder } from "../route/BuildOrder.ts"
import type { Browser } from "../../providers/port/Provider.ts"
import type { NewPayment } from "../store/Change.ts"
import { extend } from "../../domain/Merge.ts"

export interface CreateOptions<E = never> {
  readonly key?: NewKey | undefined
  /** The payer's browser, on a hosted page. */
  readonly browser?: Browser
  /** Ids that are committed already; default: new ones. */
  readonly ids?: Pick<Payment, "payment_id" | "transaction_id"> | undefined
  /** Ledger account that funds it; default: the organisation's settlement account. */
  readonly funding?: LedgerAccount
  /** Time in which its customer may pay; default: PAYIN_EXPIRY. */
  readonly expiresIn?: Duration.Duration
  /** Cause of a prompt on the customer's phone, if it is no API caller. */
  readonly promptedBy?: PromptedBy
  /** Further writes in the payment's transaction; their failure rolls it back. */
  readonly inSameTransaction?: (payment: Payment) => Stored<void, InsufficientFunds | E>
}

/** A planned payment with its candidates, not stored yet. */
interface RoutedPayment extends Omit<PaymentPlan, "payment"> {
  /** As `newPayment` made it. */
  readonly initialPayment: Payment
  readonly candidates: Candidates
  readonly leg: PaidLeg
  readonly fees: ReadonlyArray<NewFee>
  readonly organization: Option.Option<Organization>
  /** Default: read when the payment starts. */
  readonly risk?: RiskConfig
  /** Expiry, computed when a provider is called. A payment held for review has none yet. */
  readonly expiry?: Stored<Date>
}

type Described = PaymentPlan["payment"] & Partial<Pick<Payment, "funding" | "ramp" | "expires_at" | "reserve">>

/** Terms of the organisation's reserve for a payin. Later changes of them do not apply to it. */
const reserveTermsOf = (
  described: PaymentPlan["payment"],
  organization: Option.Option<Organization>
): Payment["reserve"] => {
  const rule = ruleFor(Option.isNone(organization) ? [] : organization.value.reserves, described)
  if (rule === undefined) return null
  const { basis_points, delay_days, reserve_days } = rule
  return { basis_points, delay_days, reserve_days, parts: [] }
}

/** Drops the card number if the first candidate does not take it: the payer enters the card on the provider's page. */
const withoutUnusedCard = ({ card, payment, ...planned }: PaymentPlan, candidates: Candidates): PaymentPlan =>
  card === null || candidates[0].takesCardNumbers
    ? { card, payment, ...planned }
    : { ...planned, card: null, payment: { ...payment, card_details: {} } }

export const organizationFor = (permit: Permit<Access>) =>
  organizationOf(permit, "org_id: say which organisation this is for: the credential names none.")

/** A payment as it is first stored. */
export const newPayment = Effect.fnUntraced(function* (
  ids: Context.Tag.Service<Ids>,
  permit: Permit<Access>,
  orgId: OrgId,
  described: Described,
  charged: ReadonlyArray<NewFee>,
  chosen?: CreateOptions["ids"]
) {
  const user = yield* Effect.orDie(permit.actor.userId)
  const at = new Date(yield* Clock.currentTimeMillis)
  const payment_id = chosen?.payment_id ?? (yield* ids.make(PaymentId))
  const transaction_id = chosen?.transaction_id ?? (yield* ids.make(TransactionId))
  // Field by field: an object that is spread and extended is slow to create and to copy.
  const payment: Payment = {
    payment_id,
    transaction_id,
    org_id: orgId,
    user_id: user,
    status: "initiated",
    version: 1,
    direction: described.direction,
    payment_method: described.payment_method,
    country: described.country,
    amount: described.amount,
    target: described.target,
    org_rate_id: described.org_rate_id,
    client_reference: described.client_reference,
    description: described.description,
    beneficiary_id: described.beneficiary_id,
    payer_details: described.payer_details,
    mobile_money_details: described.mobile_money_details,
    card_details: described.card_details,
    bank_account: described.bank_account,
    recipient_info: described.recipient_info,
    metadata: described.metadata,
    user_metadata: { user_id: user, role: permit.role },
    webhook_metadata: {},
    return_url: described.return_url,
    provider: null,
    account: null,
    provider_payment_id: null,
    provider_status: null,
    provider_data: {},
    next_action: null,
    action_data: {},
    comments: null,
    failure: null,
    refunds: [],
    refunded: Money.zero(described.amount.currency),
    taken_by: null,
    payout_id: null,
    otp_failures: 0,
    fee_ids: charged.map(({ fee_id }) => fee_id),
    total_fees: totalOf(charged.map(({ amount }) => amount)),
    reserve: described.reserve ?? null,
    funding: described.funding ?? null,
    holds: false,
    ramp: described.ramp ?? null,
    expires_at: described.expires_at ?? null,
    created_at: at,
    updated_at: at
  }
  return payment
})

const lockRefused = ({ lock, payment }: NewPayment, refused: LockRefused) => {
  const { amount, org_id, target } = payment
  const message = `An organisation is at its limit of gains by locked rates: ${amount.toString()} to ${target.currency} was refused.`
  const ids = { org_id, org_rate_id: lock?.org_rate_id ?? null, gain_usd: lock?.gain ?? null }
  const alerted = refused.why === "gain" ? alertOperator("rate_gain_limit", message, ids) : Effect.void
  return Effect.zipRight(alerted, lockRefusal(refused))
}

const isStopped = ({ holds, refusals }: RuleResult): boolean => refusals.length + holds.length > 0

const sentence = (reasons: ReadonlyArray<string>): string | null => (reasons.length === 0 ? null : reasons.join(" "))

/** Fails with the rejection once the rejected payment is written. */
const orRefused = (payment: Payment): Effect.Effect<Payment, RefusedByRule> =>
  payment.status === "rejected"
    ? Effect.fail(new RefusedByRule({ message: payment.failure?.message ?? "Refused.", ...paymentIds(payment) }))
    : Effect.succeed(payment)

const make = Effect.gen(function* () {
  const store = yield* PaymentStore
  const dispatch = yield* Dispatch
  const organizations = yield* Organizations
  const fees = yield* Fees
  const ids = yield* Ids
  const router = yield* PaymentRouter
  const threshold = yield* ReviewThreshold
  const rules = yield* RuleCheck
  const command = yield* PaymentCommand
  const checkoutUrl = yield* CheckoutUrl
  const prompts = yield* PhonePrompts
  const runDetached = yield* makeRunDetached
  const { atomically } = yield* Transactor
  const { payinExpiry } = yield* Settings

  /** Expiry for the provider's page, which then closes by itself even if our call to close it fails. */
  const endOfPayin = ({ created_at, direction }: Payment): Date | null =>
    direction === "inbound" ? new Date(created_at.getTime() + Duration.toMillis(payinExpiry)) : null

  /** Rejects a payment in the transaction that creates it, as a reviewer would. */
  const reject = (payment: Payment, refusals: ReadonlyArray<string>) => {
    const message = refusals.join(" ")
    return command
      .write(payment, {
        status: "rejected",
        patch: { next_action: null, failure: { code: "REJECTED", message, provider: null } },
        cause: message
      })
      .pipe(Effect.catchTags({ VersionConflict: Effect.die, Conflict: Effect.die }))
  }

  /** Creates the payment as the rules' result requires, in one transaction with the counts of rules. */
  const create = Effect.fnUntraced(function* <E = never>(
    open: (result: RuleResult) => NewPayment,
    { counting, result: known }: Check,
    { inSameTransaction, key }: CreateOptions<E>
  ) {
    const written = Effect.gen(function* () {
      const result = counting === undefined ? known : joined(known, yield* counting.count)
      const opening = open(result)
      const { payment } = opening
      const created = yield* store
        .create(key === undefined ? opening : { ...opening, key })
        .pipe(Effect.catchTag("LockRefused", (refused) => lockRefused(opening, refused)))
      if (!created) return yield* stillRunning()
      if (inSameTransaction !== undefined) yield* inSameTransaction(payment)
      return result.refusals.length === 0 ? payment : yield* reject(payment, result.refusals)
    })
    const isOneStatement = inSameTransaction === undefined && counting === undefined && known.refusals.length === 0
    const all = isOneStatement ? written : atomically(written)
    const payment = yield* counting === undefined ? all : counting.inTurn(all)
    const { comments, org_id, payment_id } = payment
    if (comments !== null) yield* alertOperator("rule_alert", comments, { org_id, payment_id })
    return payment
  })

  /**
   * Payment held for review. Its card is dropped, since card numbers may not be stored. The money of a payout is held for
   * the first candidate, so that it cannot be spent twice.
   */
  const heldPayment =
    ({ candidates, initialPayment, fees: charged, lock }: RoutedPayment, itemId: string) =>
    ({ alerts, heldByPlatform, holds, refusals }: RuleResult): NewPayment => {
      const payment: Payment = {
        ...initialPayment,
        ...holdAfter(initialPayment, initialPayment.status, candidates[0]),
        next_action: "wait",
        comments: sentence(alerts)
      }
      const item = refusals.length > 0 ? {} : { item: reviewItem(itemId, payment, holds.join(" "), heldByPlatform) }
      return { payment, attempt: null, fees: charged, lock, ...item }
    }

  /** Review threshold, lists, screening and rules. */
  const checked = Effect.fnUntraced(function* (routed: RoutedPayment, browser: Browser | null) {
    const { card, initialPayment, organization } = routed
    const config = routed.risk ?? (yield* rules.configOf(initialPayment.org_id))
    const reason = yield* threshold(initialPayment, organization)
    const check = yield* rules.check(initialPayment, { config, organization, card, ip: browser?.ip ?? null })
    return Option.isNone(reason)
      ? check
      : { ...check, result: { ...check.result, holds: [reason.value, ...check.result.holds] } }
  })

  /** Holds a routed payment for review, or commits it and asks its first candidate. */
  const start = Effect.fnUntraced(function* <E = never>(routed: RoutedPayment, options: CreateOptions<E>) {
    const { candidates, initialPayment, fees: charged, leg, lock, organization } = routed
    const orgId = initialPayment.org_id
    const browser = options.browser ?? routed.browser
    const check = yield* checked(routed, browser)
    const held = heldPayment(routed, yield* ids.next)
    if (isStopped(check.result)) return yield* Effect.flatMap(create(held, check, options), orRefused)
    const { inSameTransaction = () => Effect.void, promptedBy = "api" } = options
    // Prompts are counted in the payment's transaction: a payment that is held or not written sends none.
    const counted: CreateOptions<E | RateLimited> = prompts.isCounted(initialPayment, promptedBy)
      ? {
          ...options,
          inSameTransaction: (made) =>
            Effect.zipRight(
              inSameTransaction(made),
              isHeldForReview(made) ? Effect.void : prompts.count(made, promptedBy)
            )
        }
      : options
    const chosen = yield* router.choose(orgId, candidates, leg)
    const expiry = routed.expiry === undefined ? {} : { expires_at: yield* routed.expiry }
    const { status } = initialPayment
    const payment = mergePayment(initialPayment, expiry, holdAfter(initialPayment, status, chosen.attempt))
    const order = buildOrder(mergePayment(payment, { expires_at: payment.expires_at ?? endOfPayin(payment) }), leg, {
      card: routed.card,
      browser,
      organization,
      checkoutUrl: checkoutUrl(payment.payment_id)
    })
    const open = (result: RuleResult): NewPayment =>
      isStopped(result)
        ? held(result)
        : {
            payment: result.alerts.length === 0 ? payment : { ...payment, comments: sentence(result.alerts) },
            attempt: chosen.attempt,
            fees: charged,
            lock
          }
    const dispatched = Effect.gen(function* () {
      const unsent = router.unsent(orgId, chosen)
      const created = yield* Effect.onError(create(open, check, counted), () => unsent)
      if (created.status === "rejected" || isHeldForReview(created))
        return yield* Effect.zipRight(unsent, orRefused(created))
      const asked = yield* dispatch.ask(created, order, chosen)
      if (asked.payment.status !== "failed" || asked.outcome !== "declined") return asked.payment
      return yield* allProvidersFailed(payment, asked)
    })
    return yield* runDetached(dispatched)
  })

  return {
    start,
    /** Routes a planned payment, charges its fees and starts it. */
    createAndDispatch: Effect.fnUntraced(function* <E = never>(
      permit: Permit<Access>,
      orgId: OrgId,
      plan: PaymentPlan,
      options: CreateOptions<E> = {}
    ) {
      const { expiresIn, funding = null } = options
      const { payment: asked } = plan
      // In sequence: all four are cached, except for the first payment after a change.
      const [routed, charged, organization, risk] = yield* atConfigVersion(permit.terms ?? null)(
        Effect.all([
          router.route(orgId, { funding, ...asked }),
          fees.charge({ org_id: orgId, ...asked }),
          organizations.find(orgId),
          rules.configOf(orgId)
        ])
      )
      const { candidates } = routed
      if (!Arr.isNonEmptyReadonlyArray(candidates)) {
        const exchange = asked.direction === "outbound" ? plan.exchange : undefined
        return yield* noRoute(asked, routed, exchange && { ...asked, exchange })
      }
      const { payment: described, ...planned } = withoutUnusedCard(plan, candidates)
      const expires_at =
        expiresIn === undefined ? null : new Date((yield* store.now).getTime() + Duration.toMillis(expiresIn))
      const fingerprint = rules.fingerprint(orgId, planned.card)
      const card_details = fingerprint === null ? described.card_details : { ...described.card_details, fingerprint }
      const reserve = reserveTermsOf(described, organization)
      const terms = extend(described, { card_details, funding, expires_at, reserve })
      const initialPayment = yield* newPayment(ids, permit, orgId, terms, charged, options.ids)
      return yield* start(
        { initialPayment, candidates, leg: "payment", fees: charged, organization, risk, ...planned },
        options
      )
    })
  }
})

export class CreateAndDispatch extends Context.Tag("corridor/CreateAndDispatch")<
  CreateAndDispatch,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.scoped(CreateAndDispatch, make)
}
