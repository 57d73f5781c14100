/** Creates a planned payment: routes it, charges fees, and holds it for review or commits and dispatches it. */
import { Array as Arr, Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { type OrgId, PaymentId, TransactionId, Ids } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { atConfigVersion } from "../../platform/database/Batcher.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import type { InsufficientFunds, RateLimited } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import { Fees } from "../../money/fees/Fees.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import { stillRunning } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { type LockRefused, lockRefusal } from "../../money/rates/RateLockStore.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import type { Organization } from "../../people/organizations/OrganizationStore.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { reviewItem, ReviewThreshold } from "../review/ReviewThreshold.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import type { Payment } from "../store/Payment.ts"
import { type NewFee, totalOf } from "../../domain/Fee.ts"
import { holdAfter } from "../store/PaymentPostings.ts"
import type { PaymentPlan } from "./PaymentPlan.ts"
import { PhonePrompts, type PromptedBy } from "../prompts/PhonePrompts.ts"
import { type Candidates, PaymentRouter, allProvidersFailed, noRoute } from "../route/PaymentRouter.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { CheckoutUrl, type PaidLeg, buildOrder } from "../route/BuildOrder.ts"
import type { Browser } from "../../providers/port/Provider.ts"
import type { NewPayment } from "../store/Change.ts"

export interface CreateOptions<E = never> {
  readonly key?: NewKey | undefined
  /** The payer's browser, on a hosted page. */
  readonly browser?: Browser
  /** Ids of an intent that is committed already; default: new ones. */
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
  readonly drafted: Payment
  readonly candidates: Candidates
  readonly leg: PaidLeg
  readonly fees: ReadonlyArray<NewFee>
  readonly organization: Option.Option<Organization>
  /** End that is set when a provider is asked, not while a reviewer is waited for. */
  readonly expiry?: Stored<Date>
}

type Described = PaymentPlan["payment"] & Partial<Pick<Payment, "funding" | "ramp" | "expires_at">>

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
  const payment: Payment = {
    funding: null,
    ramp: null,
    expires_at: null,
    ...described,
    payment_id,
    transaction_id,
    org_id: orgId,
    user_id: user,
    status: "initiated",
    version: 1,
    user_metadata: { user_id: user, role: permit.role },
    webhook_metadata: {},
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
    holds: false,
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

const make = Effect.gen(function* () {
  const store = yield* PaymentStore
  const dispatch = yield* Dispatch
  const organizations = yield* Organizations
  const fees = yield* Fees
  const ids = yield* Ids
  const router = yield* PaymentRouter
  const threshold = yield* ReviewThreshold
  const checkoutUrl = yield* CheckoutUrl
  const prompts = yield* PhonePrompts
  const runDetached = yield* makeRunDetached
  const { atomically } = yield* Transactor

  const create = Effect.fnUntraced(function* <E = never>(
    opening: NewPayment,
    { inSameTransaction, key }: CreateOptions<E>
  ) {
    const written = store
      .create(key === undefined ? opening : { ...opening, key })
      .pipe(Effect.catchTag("LockRefused", (refused) => lockRefused(opening, refused)))
    const all =
      inSameTransaction === undefined
        ? written
        : atomically(Effect.tap(written, (created) => (created ? inSameTransaction(opening.payment) : Effect.void)))
    return (yield* all) ? opening.payment : yield* stillRunning()
  })

  /**
   * Stores the payment for a reviewer without sending it. The card is dropped, since it may not be stored. The money of a
   * payout is held for the first candidate, so that it cannot be spent twice.
   */
  const holdForReview = Effect.fnUntraced(function* <E = never>(
    { candidates, drafted, fees: charged, lock }: RoutedPayment,
    reason: string,
    options: CreateOptions<E>
  ) {
    const payment: Payment = { ...drafted, ...holdAfter(drafted, drafted.status, candidates[0]), next_action: "wait" }
    const item = reviewItem(yield* ids.next, payment, reason)
    return yield* create({ payment, attempt: null, fees: charged, item, lock }, options)
  })

  /** Holds a routed payment for review, or commits it and asks its first candidate. */
  const start = Effect.fnUntraced(function* <E = never>(routed: RoutedPayment, options: CreateOptions<E>) {
    const { candidates, drafted, fees: charged, leg, lock, organization } = routed
    const orgId = drafted.org_id
    const reviewReason = yield* threshold(drafted, organization)
    if (Option.isSome(reviewReason)) return yield* holdForReview(routed, reviewReason.value, options)
    const { inSameTransaction = () => Effect.void, promptedBy = "api" } = options
    // Counted with the payment that sends the prompt: a payment that is not written sends none.
    const counted: CreateOptions<E | RateLimited> = prompts.isCounted(drafted, promptedBy)
      ? {
          ...options,
          inSameTransaction: (made) => Effect.zipRight(inSameTransaction(made), prompts.count(made, promptedBy))
        }
      : options
    const chosen = yield* router.choose(orgId, candidates, leg)
    const expiry = routed.expiry === undefined ? {} : { expires_at: yield* routed.expiry }
    const payment: Payment = { ...drafted, ...expiry, ...holdAfter(drafted, drafted.status, chosen.attempt) }
    const order = buildOrder(payment, leg, {
      card: routed.card,
      browser: options.browser ?? routed.browser,
      organization,
      checkoutUrl: checkoutUrl(payment.payment_id)
    })
    const dispatched = Effect.gen(function* () {
      const opening = { payment, attempt: chosen.attempt, fees: charged, lock }
      yield* Effect.onError(create(opening, counted), () => router.unsent(orgId, chosen))
      const asked = yield* dispatch.ask(payment, order, chosen)
      if (asked.payment.status !== "failed" || asked.outcome !== "declined") return asked.payment
      return yield* allProvidersFailed(payment, asked)
    })
    return yield* runDetached(dispatched)
  })

  return {
    start,
    /** Routes a planned payment, charges its fees and starts it. */
    launch: Effect.fnUntraced(function* <E = never>(
      permit: Permit<Access>,
      orgId: OrgId,
      { payment: described, ...planned }: PaymentPlan,
      options: CreateOptions<E> = {}
    ) {
      const { expiresIn, funding = null } = options
      const [routed, charged, organization] = yield* atConfigVersion(permit.terms ?? null)(
        Effect.all(
          [
            router.route(orgId, { ...described, funding }),
            fees.charge({ ...described, org_id: orgId }),
            organizations.find(orgId)
          ],
          { concurrency: "unbounded" }
        )
      )
      const { candidates } = routed
      if (!Arr.isNonEmptyReadonlyArray(candidates)) return yield* noRoute(described, routed)
      const expires_at =
        expiresIn === undefined ? null : new Date((yield* store.now).getTime() + Duration.toMillis(expiresIn))
      const terms = { ...described, funding, expires_at }
      const drafted = yield* newPayment(ids, permit, orgId, terms, charged, options.ids)
      return yield* start({ ...planned, drafted, candidates, leg: "payment", fees: charged, organization }, options)
    })
  }
})

export class CreateAndDispatch extends Context.Tag("corridor/CreateAndDispatch")<
  CreateAndDispatch,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.scoped(CreateAndDispatch, make)
}
