/** Pays through a link: its price, at most one payment at a time of a fixed link, and the payment's status. */
import { Clock, Context, Data, Effect, Either, Layer, Option } from "effect"
import { type PaymentId, Ids } from "../../domain/Ids.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { isolatedName } from "../../domain/IsolatedName.ts"
import { checkReturnUrl } from "../../domain/Url.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { Actions } from "../../payments/actions/Actions.ts"
import { CustomerPayments, Payments } from "../../payments/read/Payments.ts"
import { type Collection, Initiation } from "../../payments/initiate/Initiation.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { holderToken, isHolderToken, linkRefFrom, isLinkRef, REF_BYTES } from "./LinkTokens.ts"
import {
  type LedResult,
  LinkMethods,
  type LinkPaymentRequest,
  type LinkState,
  type LinkVisit,
  type Offer,
  type PayerDetails,
  type PayResult,
  type SentForm,
  type StatusVisit
} from "./LinkVisit.ts"
import { LinkPrices, type Price } from "./LinkPrices.ts"
import { LinkStore, closedReason, type PaymentLink, linkPermit } from "./LinkStore.ts"
import { catchRefusal, orDefect, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** The link has another payment, or accepts none. */
class LinkTaken extends Data.TaggedError("LinkTaken")<{}> {}

/**
 * The field that a payer may leave out on some routes only. The route decides on which page the card is entered: an
 * omitted number would lead past the rules about cards.
 */
const omittedIn = ({ card_entry, payer_details }: PayerDetails): "number" | "email" | undefined => {
  if (card_entry === "hosted") return "number"
  return payer_details?.email === undefined ? "email" : undefined
}

/** Actions of the payer on a payment that exists, without an idempotency key, which spend no balance. */
const impossible = { NotFound: Effect.die, IdempotencyConflict: Effect.die, InsufficientFunds: Effect.die }

const freesLink = ({ status }: Payment): boolean =>
  status === "failed" || status === "canceled" || status === "rejected"

export class LinkCheckout extends Context.Tag("corridor/LinkCheckout")<
  LinkCheckout,
  {
    readonly logo: (linkRef: string) => Stored<Option.Option<Uint8Array>>
    readonly open: (linkRef: string) => Stored<Option.Option<LinkVisit>>
    /** Offer for a payer; none without a rate, or without a provider for the payment. */
    readonly offer: (link: PaymentLink) => Stored<Option.Option<Offer>>
    readonly pay: (link: PaymentLink, order: LinkPaymentRequest) => Stored<PayResult>
    /** Where a form leads that was sent before, whatever became of the link since. */
    readonly ledBefore: (link: PaymentLink, form: SentForm) => Stored<Option.Option<LedResult>>
    /** The link of a payment, for its pages. */
    readonly leadingTo: (payment: Payment) => Stored<Option.Option<Pick<LinkVisit, "link" | "merchant" | "behind">>>
    /** `holder`: the token in the visitor's cookie for this payment, if any. */
    readonly status: (linkRef: string, submission: string, holder: string) => Stored<Option.Option<StatusVisit>>
    readonly isHolder: (link: PaymentLink, submission: string, holder: string) => boolean
    /** The following have no effect if the payment does not expect them. */
    readonly giveOtp: (visit: StatusVisit, otp: string) => Stored<"done" | "wrong">
    readonly resendOtp: (visit: StatusVisit) => Stored<"done" | "too often">
    readonly cancel: (visit: StatusVisit) => Stored<"done" | "refused">
  }
>() {
  static readonly layer = Layer.effect(
    LinkCheckout,
    Effect.gen(function* () {
      const store = yield* LinkStore
      const payments = yield* Payments
      const organizations = yield* Organizations
      const initiation = yield* Initiation
      const actions = yield* Actions
      const { agreed, receiving, seal } = yield* LinkPrices
      const methodsOf = yield* LinkMethods
      const { wasCalledOff } = yield* CustomerPayments
      const ids = yield* Ids
      const vault = yield* Vault
      const { linkPayinExpiry, mode, publicUrl } = yield* Settings

      const currentDate = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

      const merchantOf = (link: PaymentLink) =>
        Effect.map(organizations.find(link.org_id), (found) => {
          const name = Option.match(found, { onNone: () => "", onSome: (one) => isolatedName(one.name) })
          const merchant = link.brand_name === null ? name : isolatedName(link.brand_name)
          return { merchant, behind: merchant === name ? undefined : name }
        })

      const paymentIn = (link: PaymentLink, paymentId: PaymentId) => payments.find(linkPermit(link), paymentId)

      const stateOf = Effect.fnUntraced(function* (link: PaymentLink) {
        const because = closedReason(link, yield* currentDate)
        if (because === "paid") return { _tag: "Closed", because, submission: link.submission } satisfies LinkState
        if (link.amount_type === "fixed" && link.payment_id !== null && link.submission !== null) {
          const latest = yield* catchRefusal(Effect.asSome(paymentIn(link, link.payment_id)), () => Effect.succeedNone)
          if (Option.isSome(latest) && !freesLink(latest.value)) {
            const { expires_at, status } = latest.value
            const freeAt = status === "pending" ? expires_at : null
            return { _tag: "Taken", submission: link.submission, freeAt } satisfies LinkState
          }
        }
        return because === undefined
          ? ({ _tag: "Payable" } satisfies LinkState)
          : ({ _tag: "Closed", because, submission: null } satisfies LinkState)
      })

      const returnUrlOf = ({ link_ref }: PaymentLink, submission: string) =>
        Either.match(checkReturnUrl(`${publicUrl}/pay/${link_ref}/${submission}`, mode), {
          onLeft: () => ({}),
          onRight: (return_url) => ({ return_url })
        })

      const mac = (text: string): string => vault.hmac(text, "link payer")

      const newSubmission = Effect.map(ids.bytes(REF_BYTES), linkRefFrom)

      const newForm = (link: PaymentLink) =>
        Effect.map(newSubmission, (submission) => ({ submission, holder: holderToken(link, submission, mac) }))

      const collect = Effect.fnUntraced(function* (
        link: PaymentLink,
        submission: string,
        order: LinkPaymentRequest,
        price: Price
      ) {
        const { link_id, org_id } = link
        const request: Collection = {
          amount: price.pays.toDecimal(),
          currency: link.payer_currency,
          target_amount: price.receives.toDecimal(),
          target_currency: link.currency,
          ...(price.orgRateId === null ? {} : { org_rate_id: price.orgRateId }),
          payment_method: order.method,
          direction: "payin",
          country: link.country,
          ...(link.description === null ? {} : { description: link.description }),
          ...(link.client_reference === null ? {} : { client_reference: link.client_reference }),
          ...(link.virtual_account_id === null ? {} : { virtual_account_id: link.virtual_account_id }),
          ...order.details,
          ...returnUrlOf(link, submission),
          metadata: { link_id }
        }
        const now = yield* currentDate
        yield* initiation.collect(linkPermit(link), request, {
          expiresIn: linkPayinExpiry,
          promptedBy: "link",
          browser: order.browser,
          inSameTransaction: ({ payment_id }) =>
            Effect.filterOrFail(
              store.claim({ link_id, org_id, payment_id, submission, replacing: link.payment_id, now }),
              (claimed) => claimed,
              () => new LinkTaken()
            ).pipe(Effect.asVoid)
        })
      })

      const isHolder = (link: PaymentLink, submission: string, holder: string) =>
        isHolderToken(holder, link, submission, mac)

      /** A repeated form leads to its payment; only the form's holder may act there. */
      const ledAgain = (link: PaymentLink, submission: string, { holder }: Pick<SentForm, "holder">) =>
        ({
          _tag: "Led",
          submission,
          holder: holder !== null && isHolder(link, submission, holder) ? holder : null
        }) as const

      /** Another payer was faster, or the form was sent twice. */
      const whereTaken = Effect.fnUntraced(function* (
        { link_ref }: PaymentLink,
        submission: string,
        order: LinkPaymentRequest
      ) {
        const link = yield* Effect.flatMap(store.findByRef(link_ref), Effect.orDie)
        if (Option.isSome(yield* store.paymentOf(link, submission))) return ledAgain(link, submission, order)
        const state = yield* stateOf(link)
        return state._tag === "Taken" ? ({ _tag: "Taken" } as const) : ({ _tag: "Closed" } as const)
      })

      const begin = (link: PaymentLink, submission: string, order: LinkPaymentRequest, price: Price) => {
        const led = { _tag: "Led", submission, holder: holderToken(link, submission, mac) } as const
        return collect(link, submission, order, price).pipe(
          Effect.as<PayResult>(led),
          Effect.catchTags({
            LinkTaken: () => whereTaken(link, submission, order),
            AllProvidersFailed: () => Effect.succeed(led),
            // The payer is not told about the rule: its page shows a payment that failed.
            RefusedByRule: () => Effect.succeed(led),
            RateMismatch: () => Effect.succeed({ _tag: "Repriced" } as const),
            NoRoute: () => Effect.succeed({ _tag: "NoRoute" } as const),
            RateLimited: () => Effect.succeed({ _tag: "PromptedTooOften" } as const),
            InsufficientFunds: () => Effect.succeed({ _tag: "NoRoute" } as const),
            Invalid: ({ message }) =>
              Effect.as(Effect.logInfo(`A payment link's form was refused: ${message}`), {
                _tag: "Refused"
              } as const),
            IdempotencyConflict: Effect.die
          })
        )
      }

      const acting = (visit: StatusVisit) => [linkPermit(visit.link), visit.payment.payment_id] as const

      return {
        logo: traced("LinkCheckout.logo")((linkRef) =>
          isLinkRef(linkRef) ? store.logoOf(linkRef) : Effect.succeedNone
        ),
        open: traced("LinkCheckout.open")(function* (linkRef) {
          const link = isLinkRef(linkRef) ? yield* store.findByRef(linkRef) : Option.none()
          if (Option.isNone(link)) return Option.none()
          const [named, state] = yield* Effect.all([merchantOf(link.value), stateOf(link.value)])
          return Option.some({ link: link.value, ...named, testMode: mode === "sandbox", state })
        }),
        offer: traced("LinkCheckout.offer")(function* (link) {
          const price = link.amount === null ? Option.some(null) : yield* receiving(link, link.amount)
          if (Option.isNone(price)) return Option.none()
          const pays = link.amount_type === "fixed" ? (price.value?.pays ?? null) : null
          const offered = yield* methodsOf(link, pays, null)
          if (offered.methods.length === 0) return Option.none()
          const sealed = price.value === null ? null : yield* seal(link, price.value)
          return Option.some({
            ...offered,
            price: price.value,
            seal: sealed?.seal ?? null,
            holdsUntil: sealed?.until ?? null,
            ...(yield* newForm(link))
          })
        }),
        ledBefore: traced("LinkCheckout.ledBefore")(function* (link, { holder, submission }) {
          if (submission === null) return Option.none()
          const paid = yield* store.paymentOf(link, submission)
          return Option.map(paid, () => ledAgain(link, submission, { holder }))
        }),
        pay: traced("LinkCheckout.pay")(function* (link, order) {
          const state = yield* stateOf(link)
          const submission = order.submission ?? (yield* newSubmission)
          if (Option.isSome(yield* store.paymentOf(link, submission))) return ledAgain(link, submission, order)
          if (state._tag === "Taken") return { _tag: "Taken" }
          if (state._tag === "Closed") return { _tag: "Closed" }
          const price = yield* agreed(link, order)
          if (Option.isNone(price)) return { _tag: "Repriced" }
          if (!price.value.receives.isPositive) return { _tag: "TooLittle" }
          const omitted = omittedIn(order.details)
          if (omitted !== undefined) {
            const network = order.details.mobile_money_details?.provider ?? null
            const { asksCardNumber, mobileMoneyNeedsEmail } = yield* methodsOf(link, price.value.pays, network)
            const isNeeded = omitted === "number" ? asksCardNumber : mobileMoneyNeedsEmail
            if (isNeeded) return { _tag: "FieldNeeded", field: omitted }
          }
          return yield* begin(link, submission, order, price.value)
        }),
        leadingTo: traced("LinkCheckout.leadingTo")(function* ({ metadata, org_id, payment_id }) {
          // Payments through links always carry `link_id`; any other payment may carry it too.
          if (metadata["link_id"] === undefined) return Option.none()
          const link = yield* store.linkOf(Option.some(org_id), payment_id)
          return Option.isNone(link)
            ? Option.none()
            : Option.some({ link: link.value, ...(yield* merchantOf(link.value)) })
        }),
        isHolder,
        status: traced("LinkCheckout.status")(function* (linkRef, submission, holder) {
          if (!isLinkRef(linkRef) || !isLinkRef(submission)) return Option.none()
          const link = yield* store.findByRef(linkRef)
          if (Option.isNone(link)) return Option.none()
          const paymentId = yield* store.paymentOf(link.value, submission)
          if (Option.isNone(paymentId)) return Option.none()
          const [named, payment] = yield* Effect.all([
            merchantOf(link.value),
            orDefect(paymentIn(link.value, paymentId.value))
          ])
          const testMode = mode === "sandbox"
          return Option.some({
            link: link.value,
            ...named,
            testMode,
            payment,
            calledOff: yield* wasCalledOff(payment),
            isHolder: isHolder(link.value, submission, holder)
          })
        }),
        giveOtp: traced("LinkCheckout.giveOtp")((visit, otp) =>
          actions.submitOtp(...acting(visit), otp).pipe(
            Effect.as("done" as const),
            Effect.catchTags({
              OtpInvalid: () => Effect.succeed("wrong" as const),
              Conflict: () => Effect.succeed("done" as const),
              ...impossible
            })
          )
        ),
        resendOtp: traced("LinkCheckout.resendOtp")((visit) =>
          actions.resendOtp(...acting(visit)).pipe(
            Effect.as("done" as const),
            Effect.catchTags({
              Conflict: () => Effect.succeed("done" as const),
              RateLimited: () => Effect.succeed("too often" as const),
              ...impossible
            })
          )
        ),
        cancel: traced("LinkCheckout.cancel")((visit) =>
          actions.cancel(...acting(visit), "canceled by the payer at the payment link").pipe(
            Effect.as("done" as const),
            Effect.catchTags({
              Conflict: () => Effect.succeed("refused" as const),
              ...impossible
            })
          )
        )
      }
    })
  )
}
