/** The second pair of eyes: a held payment is sent on its way by someone who did not initiate it, or turned away. */
import { Array as Arr, type BigDecimal, Context, Duration, Effect, Either, Layer, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { catchRefusal, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { PaymentId } from "../../domain/Ids.ts"
import { actorText, type Permit } from "../../domain/Access.ts"
import { Forbidden, NoRoute } from "../../domain/Failure.ts"
import type { Route } from "../../domain/Routing.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { ReviewRate, type Repriced } from "./ReviewRate.ts"
import { type Payment, isOpen } from "../store/Payment.ts"
import { PhonePrompts, promptedBy } from "../prompts/PhonePrompts.ts"
import { type Candidates, PaymentRouter, reasonsForNone, allProvidersFailed } from "../route/PaymentRouter.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { CheckoutUrl, type PaidLeg, buildOrder } from "../route/BuildOrder.ts"
import { rampCollectionLeg, isRamp, rampExpiry, rampPayoutLeg } from "../route/RampPayout.ts"
import { appendNote } from "../settlement/SignalContext.ts"
import { type PaymentAction, PaymentCommand, paymentIds, refuse } from "../settlement/PaymentCommand.ts"
import { awaitsCard, isHeldForReview } from "./ReviewThreshold.ts"
import { cardWaitBatch } from "../../domain/policies/PaymentPolicies.ts"
import { workThrough } from "../../platform/database/WorkQueues.ts"
import { expiredFailure } from "../settlement/Expiry.ts"
import { traced } from "../../platform/observability/Spans.ts"

type Reviewer = Permit<"reviews">

/** The reviewer's answer to a changed price. */
type AcceptedRate = BigDecimal.BigDecimal | undefined

type EndPatch = Partial<Pick<Payment, "expires_at">>

const audited = (repriced: Option.Option<Repriced>) => ({
  action: "payment.reviewed",
  ...(Option.isNone(repriced) ? {} : { detail: { note: repriced.value.note } })
})

const pricePatch = (payment: Payment, repriced: Option.Option<Repriced>): NonNullable<PaymentAction["patch"]> =>
  Option.match(repriced, {
    onNone: () => ({}),
    onSome: ({ note, price }) => ({ ...price, comments: appendNote(payment.comments, note) })
  })

const approval = (
  payment: Payment,
  by: string,
  repriced: Option.Option<Repriced>
): readonly [reviewed: PaymentAction, confirmed: PaymentAction] => [
  {
    status: "reviewed",
    patch: pricePatch(payment, repriced),
    cause: Option.match(repriced, {
      onNone: () => `reviewed by ${by}`,
      onSome: ({ note }) => `reviewed by ${by}. ${note}`
    }),
    closeItems: [{ kind: "review", attempt_id: null, by }]
  },
  { status: "confirmed", patch: { next_action: null }, cause: "confirmed after its review" }
]

const rejection = (payment: Payment, by: string, cause: string, comment: string | undefined): PaymentAction => ({
  status: "rejected",
  patch: {
    next_action: null,
    failure: { code: "REJECTED", message: comment ?? "A reviewer turned it away.", provider: null },
    ...(comment === undefined ? {} : { comments: appendNote(payment.comments, comment) })
  },
  cause,
  closeItems: [{ kind: "review", attempt_id: null, by }]
})

interface ReviewedRoute {
  readonly leg: PaidLeg
  readonly candidates: Candidates
}

const served = (
  asked: Parameters<typeof reasonsForNone>[0],
  routed: Route,
  leg: PaidLeg
): Either.Either<ReviewedRoute, string> =>
  Arr.isNonEmptyReadonlyArray(routed.candidates)
    ? Either.right({ leg, candidates: routed.candidates })
    : Either.left(reasonsForNone(asked, routed))

const make = Effect.gen(function* () {
  const command = yield* PaymentCommand
  const store = yield* PaymentStore
  const dispatch = yield* Dispatch
  const organizations = yield* Organizations
  const reviewRate = yield* ReviewRate
  const router = yield* PaymentRouter
  const checkoutUrl = yield* CheckoutUrl
  const prompts = yield* PhonePrompts
  const { linkPayinExpiry, payinExpiry } = yield* Settings
  const { atomically } = yield* Transactor

  /** Routes both legs of a ramp. Fails with the reasons if a leg has no provider. */
  const route = Effect.fnUntraced(function* (payment: Payment) {
    const { org_id } = payment
    if (!isRamp(payment)) {
      return yield* served(payment, yield* router.route(org_id, payment), "payment")
    }
    const [first, second] = [rampCollectionLeg(payment), rampPayoutLeg(payment)]
    yield* served(second, yield* router.routeLeg(org_id, second), "settlement")
    return yield* served(first, yield* router.routeLeg(org_id, first), "collection")
  })

  /** Writes changes, and the fees of a payment that is priced again, in one transaction. */
  const writeReviewed = (
    permit: Reviewer,
    payment: Payment,
    acts: ReadonlyArray<PaymentAction>,
    repriced: Option.Option<Repriced>
  ) => {
    const { fees } = Option.getOrElse(repriced, () => ({ fees: undefined }))
    const written = command.writeAudited(permit, payment, acts, audited(repriced))
    return fees === undefined ? written : atomically(Effect.zipLeft(written, store.replaceFees(payment, fees)))
  }

  const byAnother = (permit: Reviewer, payment: Payment) =>
    Option.contains(permit.actor.userId, payment.user_id)
      ? refuse(payment, "its initiator cannot review it.")
      : Effect.succeed(payment)

  const findHeldForReview = Effect.fnUntraced(function* (permit: Reviewer, paymentId: PaymentId) {
    const payment = yield* command.find(permit, paymentId)
    return yield* isHeldForReview(payment)
      ? byAnother(permit, payment)
      : refuse(payment, "it is not held for a review.")
  })

  /** Holds by sanctions screening and by the platform's rules are not the organisation's to release. */
  const mayRelease = Effect.fnUntraced(function* (permit: Reviewer, payment: Payment) {
    if (permit.role === "admin") return payment
    const { items } = yield* store.history(payment)
    return items.some(({ by_platform, closed_at }) => by_platform && closed_at === null)
      ? yield* new Forbidden({
          message: "The platform holds this payment: only a platform admin may release it. You may reject or cancel it."
        })
      : payment
  })

  /** The customer's time to pay begins now. */
  const newEnd = Effect.fnUntraced(function* (payment: Payment) {
    const { direction, ramp } = payment
    if (direction === "outbound") return {}
    const now = yield* store.now
    if (ramp !== null) return { expires_at: rampExpiry(now) }
    const lifetime = promptedBy(payment) === "link" ? linkPayinExpiry : payinExpiry
    return { expires_at: new Date(now.getTime() + Duration.toMillis(lifetime)) }
  })

  const timed = (payment: Payment) =>
    payment.expires_at === null ? Effect.void : store.awaitCard({ ...payment, expires_at: payment.expires_at })

  /** The card was not kept: the customer gives it again, on the hosted page. */
  const toCheckout = ({ payment_id }: Payment, end: EndPatch): PaymentAction => ({
    status: "pending",
    patch: { next_action: "redirect", action_data: { redirect_url: checkoutUrl(payment_id) }, ...end },
    cause: "the customer gives the card at the hosted checkout"
  })

  /** Its rate ran out before the customer gave the card: the page waits until someone accepts another. */
  const priceAgain = Effect.fnUntraced(function* (permit: Reviewer, payment: Payment, accepted: AcceptedRate) {
    const by = actorText(permit)
    yield* byAnother(permit, payment)
    const repriced = yield* reviewRate.accept(payment, accepted)
    if (Option.isNone(repriced)) return yield* refuse(payment, "it is not held for a review.")
    const act: PaymentAction = {
      status: payment.status,
      patch: { ...pricePatch(payment, repriced), ...(yield* newEnd(payment)) },
      cause: `reviewed by ${by}`,
      closeItems: [{ kind: "review", attempt_id: null, by }]
    }
    const written = writeReviewed(permit, payment, [act], repriced)
    return { payment: yield* atomically(Effect.tap(written, timed)), sent: undefined }
  })

  const approve = Effect.fnUntraced(function* (permit: Reviewer, paymentId: PaymentId, accepted: AcceptedRate) {
    const found = yield* command.find(permit, paymentId)
    if (awaitsCard(found)) return yield* priceAgain(permit, found, accepted)
    const payment = yield* Effect.flatMap(findHeldForReview(permit, paymentId), (held) => mayRelease(permit, held))
    const repriced = yield* reviewRate.accept(payment, accepted)
    const [reviewed, confirmed] = approval(payment, actorText(permit), repriced)
    const write = (acts: ReadonlyArray<PaymentAction>) => writeReviewed(permit, payment, acts, repriced)
    const routed = yield* route({ ...payment, ...pricePatch(payment, repriced) }).pipe(
      Effect.map(Either.right),
      catchRefusal((why) => Effect.succeed(Either.left(why)))
    )
    if (Either.isLeft(routed)) {
      const why = routed.left
      const comments = appendNote(pricePatch(payment, repriced).comments ?? payment.comments, why)
      const failure = { code: "ROUTING_CONFIG_NOT_FOUND" as const, message: why, provider: null }
      yield* write([reviewed, confirmed, { status: "failed", patch: { comments, failure }, cause: why }])
      return yield* new NoRoute({ message: why, ...paymentIds(payment) })
    }
    if (payment.payment_method === "card") {
      const waiting = write([reviewed, confirmed, toCheckout(payment, yield* newEnd(payment))])
      return { payment: yield* atomically(Effect.tap(waiting, timed)), sent: undefined }
    }
    const { candidates, leg } = routed.right
    const chosen = yield* router.choose(payment.org_id, candidates, leg)
    const sending: PaymentAction = {
      ...confirmed,
      patch: { ...confirmed.patch, ...(yield* newEnd(payment)) },
      nextAttempt: chosen.attempt
    }
    // The customer's phone is prompted because of the approval.
    const counted = Effect.zipLeft(write([reviewed, sending]), prompts.count(payment, promptedBy(payment)))
    const written = Effect.onError(atomically(counted), () => router.unsent(payment.org_id, chosen))
    return { payment: yield* written, sent: { chosen, leg } }
  })

  return {
    review: traced("Review.review")(function* (permit: Reviewer, paymentId: PaymentId, accepted: AcceptedRate) {
      const { payment, sent } = yield* command.decided(approve(permit, paymentId, accepted))
      if (sent === undefined) return payment
      const organization = yield* organizations.find(payment.org_id)
      const order = buildOrder(payment, sent.leg, { organization, checkoutUrl: checkoutUrl(payment.payment_id) })
      const recorded = yield* dispatch.ask(payment, order, sent.chosen)
      const declined = recorded.payment.status === "failed" && recorded.outcome === "declined"
      return declined ? yield* allProvidersFailed(payment, recorded) : recorded.payment
    }),
    reject: traced("Review.reject")(function* (permit: Reviewer, paymentId: PaymentId, reason: string | undefined) {
      const by = actorText(permit)
      return yield* command.decided(
        Effect.flatMap(findHeldForReview(permit, paymentId), (payment) => {
          const cause = reason === undefined ? `rejected by ${by}` : `rejected by ${by}: ${reason}`
          const detail = { reason: reason ?? null }
          const act = rejection(payment, by, cause, reason)
          return command.writeAudited(permit, payment, [act], { action: "payment.rejected", detail })
        })
      )
    })
  }
})

export class Review extends Context.Tag("corridor/Review")<Review, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Review, make)
}

/** Ends payins whose customer was to give a card at the hosted checkout and did not. No provider has them. */
export class CardWaits extends Context.Tag("corridor/CardWaits")<
  CardWaits,
  {
    /** Ends those that are due; answers with how many were looked at. */
    readonly runOnce: Stored<number>
    readonly worker: Stored<never>
  }
>() {
  static readonly layer = Layer.effect(
    CardWaits,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const command = yield* PaymentCommand

      const fail = (payment: Payment) =>
        command.write(payment, {
          status: "failed",
          patch: { next_action: null, action_data: {}, failure: expiredFailure(payment) },
          cause: "expired: the customer did not give a card in time",
          closeItems: [{ kind: "review", attempt_id: null, by: "its end" }]
        })

      /** One whose card was given has an attempt, which carries its timer from then on. */
      const end = Effect.fnUntraced(function* (payment: Payment) {
        const attempts = yield* store.attemptsOf(payment.payment_id)
        if (awaitsCard(payment) && !attempts.some(isOpen)) yield* fail(payment)
        yield* store.deleteCardWait(payment)
      })

      /** A payment that changed meanwhile is looked at again by the next run. */
      const alone = (payment: Payment) =>
        end(payment).pipe(
          Effect.catchTag("VersionConflict", () => Effect.void),
          Effect.catchAllCause((cause) => Effect.logError("A payin could not be ended; it is tried again", cause)),
          Effect.annotateLogs({ payment_id: payment.payment_id })
        )

      const runOnce = Effect.gen(function* () {
        const due = yield* store.expiredCardWaits(cardWaitBatch)
        yield* Effect.forEach(due, alone, { discard: true })
        return due.length
      })

      return {
        runOnce,
        worker: workThrough(
          "card_waits",
          Effect.map(runOnce, (looked) => ({ foundAny: looked > 0 }))
        )
      }
    })
  )
}
