/** PayPal: cards and wallets by a redirect to its own page, after which we capture; and payouts to whoever has an e-mail address. */
import { Duration, Effect, Either, Option, Redacted } from "effect"
import { type Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import { callbackChecksUnderWay } from "../../domain/policies/Providers.ts"
import { triedBy } from "../client/AccountTest.ts"
import { makeCallsUnderWay } from "../client/CallsUnderWay.ts"
import { existing } from "../client/Existing.ts"
import type { CallFailed, ProviderCall, ProviderReply } from "../client/ProviderHttp.ts"
import { sent } from "../client/Replies.ts"
import { makeTokens } from "../client/Tokens.ts"
import { type Check, NotNow } from "../port/Callback.ts"
import type { AttemptContext, PaymentOrder, Provider } from "../port/Provider.ts"
import { type Account, type Served, servedBy, thirdParty } from "../port/ThirdParty.ts"
import { paypalCurrencies } from "./PaypalAmounts.ts"
import { tokenGranted, verification } from "./PaypalAccess.ts"
import { readCallback } from "./PaypalCallbacks.ts"
import { type Captured, captured, isStrangeOrder, orderOutcome, orderShown, type Shown } from "./PaypalOrders.ts"
import { batchThere, isStrangePayout, payoutOutcome, payoutShown } from "./PaypalPayouts.ts"
import * as requests from "./PaypalRequests.ts"

const fields = {
  client_id: {
    env: "PAYPAL_CLIENT_ID",
    about: "the client id of the app, under Apps & Credentials of the developer dashboard",
    shown: true,
    identifies: true
  },
  client_secret: { env: "PAYPAL_CLIENT_SECRET", about: "the secret of the same app" },
  webhook_id: {
    env: "PAYPAL_WEBHOOK_ID",
    about: "the id of the app's webhook; without it no callback is taken",
    optional: true
  }
} as const

const serves: ReadonlyArray<Served> = [
  { method: "card", flow: "inbound", countries: "everywhere", currencies: paypalCurrencies },
  { method: "wallet", flow: "outbound", countries: "everywhere", currencies: paypalCurrencies }
]

const TITLE = "PayPal"

/** PayPal forgets the keys of orders after six hours; a batch of payouts it knows for thirty days. */
const keysAreKept = Duration.hours(5)

const isPayout = ({ flow, leg }: AttemptContext): boolean =>
  leg === "settlement" || (leg === "payment" && flow === "outbound")

const isOrderId = (text: string | undefined): text is string => text !== undefined && /^[A-Z0-9]{1,36}$/.test(text)

const noticed = <A extends Outcome | Enquiry>(said: A): Effect.Effect<A> =>
  (said._tag === "Accepted" || said._tag === "Report") &&
  isStrangeOrder(said.providerStatus) &&
  isStrangePayout(said.providerStatus) &&
  !(said._tag === "Report" && said.state === "failed")
    ? Effect.as(Effect.logWarning(`PayPal has the status ${said.providerStatus}`), said)
    : Effect.succeed(said)

const unknown = (reason: string): Effect.Effect<Enquiry> => Effect.succeed(new Unknown({ reason }))

/** Its customer approved it after nobody waited for it any more: what is not captured never moves. */
const leftAlone = (id: string): Report =>
  new Report({ state: "pending", reason: null, providerPaymentId: id, providerStatus: "APPROVED" })

const connect = ({ baseUrl, credentials, http }: Account<typeof fields>): Provider => {
  const token = Effect.suspend(() =>
    http.call(requests.requestToken(Redacted.value(credentials.client_id), Redacted.value(credentials.client_secret)))
  ).pipe(Effect.flatMap(tokenGranted))
  const tokens = makeTokens(token)

  /** Without a token nothing is sent: that is a refusal of its own, whatever the call was about. */
  const asked = <A>(
    call: ProviderCall,
    read: (reply: Effect.Effect<ProviderReply, CallFailed>) => Effect.Effect<A>,
    otherwise: (declined: Declined) => A
  ): Effect.Effect<A> =>
    Effect.matchEffect(
      tokens.use((one) => http.call({ ...call, headers: { ...call.headers, authorization: `Bearer ${one}` } })),
      {
        onSuccess: (reply) => read(Effect.succeed(reply)),
        onFailure: (failed) =>
          failed._tag === "Declined" ? Effect.succeed(otherwise(failed)) : read(Effect.fail(failed))
      }
    )

  const ordered = (call: ProviderCall, read: (reply: ProviderReply) => Outcome): Effect.Effect<Outcome> =>
    asked<Outcome>(
      call,
      (reply) => sent(reply, read),
      (declined) => declined
    )

  const lookedAt = <A>(
    call: ProviderCall,
    read: (reply: ProviderReply) => A,
    unsure: (reason: string) => A
  ): Effect.Effect<A> =>
    asked<A>(
      call,
      Effect.match({
        onSuccess: (one) => (one.status === 429 ? unsure("asked too often") : read(one)),
        onFailure: ({ reason }) => unsure(reason)
      }),
      ({ reason }) => unsure(reason)
    )

  const shown = (id: string, reference: string): Effect.Effect<Shown> =>
    lookedAt<Shown>(requests.showOrder(id), orderShown(reference), (reason) => ({ said: new Unknown({ reason }) }))

  const capture = (id: string, reference: string): Effect.Effect<Enquiry> =>
    Effect.flatMap(
      lookedAt<Captured>(requests.captureOrder(id, reference), captured(id), (reason) => new Unknown({ reason })),
      (said) =>
        said === "captured before"
          ? Effect.map(shown(id, reference), (one) =>
              "said" in one ? one.said : new Unknown({ reason: "it says that it was captured, and that it was not" })
            )
          : Effect.succeed(said)
    )

  /** An order that its customer approved is captured by whoever sees it first; the key makes it one capture. */
  const settled = (id: string, { isWanted, reference }: AttemptContext): Effect.Effect<Enquiry> =>
    Effect.flatMap(shown(id, reference), (one) => {
      if ("said" in one) return Effect.succeed(one.said)
      return isWanted ? capture(one.approved, reference) : Effect.succeed(leftAlone(one.approved))
    })

  const payoutAt = (id: string, reference: string): Effect.Effect<Enquiry> =>
    lookedAt<Enquiry>(requests.showPayout(id), payoutShown(reference), (reason) => new Unknown({ reason }))

  /** A batch that PayPal has already is looked up where its refusal points to. */
  const pay = ({ reference }: PaymentOrder, call: ProviderCall): Effect.Effect<Outcome> =>
    asked<Outcome>(
      call,
      Effect.matchEffect({
        onSuccess: (one) =>
          Option.match(batchThere(one), {
            onSome: (id) => Effect.map(payoutAt(id, reference), existing),
            onNone: () => sent(Effect.succeed(one), payoutOutcome)
          }),
        onFailure: (failed) => sent(Effect.fail(failed), payoutOutcome)
      }),
      (declined) => declined
    )

  const initiate = (order: PaymentOrder): Effect.Effect<Outcome> => {
    const isOut = order.flow === "outbound"
    return Either.match(isOut ? requests.createPayout(order) : requests.createOrder(order), {
      onLeft: Effect.succeed<Outcome>,
      onRight: (call) => Effect.flatMap(isOut ? pay(order, call) : ordered(call, orderOutcome), noticed)
    })
  }

  const enquire = (attempt: AttemptContext, orderId?: string): Effect.Effect<Enquiry> => {
    const { providerPaymentId: id, reference } = attempt
    if (attempt.leg === "refund" || attempt.leg === "return") return unknown("PayPal is never asked for refunds")
    const known = id ?? orderId
    if (known === undefined) return unknown("PayPal finds nothing by our reference, and its own id is not known")
    return Effect.flatMap(isPayout(attempt) ? payoutAt(known, reference) : settled(known, attempt), noticed)
  }

  /** Anybody can call back: what is not PayPal's own must not take the room of payments. */
  const checks = makeCallsUnderWay({ underWay: callbackChecksUnderWay, reserved: 0, share: 0 })

  const verified = (question: ProviderCall): Effect.Effect<Check, NotNow> => {
    const notAsked = (reason: string) => Either.left(new NotNow({ message: `PayPal could not be asked: ${reason}` }))
    return checks
      .within(
        lookedAt<Either.Either<Check, NotNow>>(
          question,
          (reply) =>
            Option.match(verification(reply), { onNone: () => notAsked(`HTTP ${reply.status}`), onSome: Either.right }),
          notAsked
        )
      )
      .pipe(
        Effect.catchTag("NeverSent", ({ reason }) => Effect.succeed(notAsked(reason))),
        Effect.flatten
      )
  }

  return {
    name: "paypal",
    honoursReference: keysAreKept,
    provesAbsence: false,
    supports: servedBy(TITLE, serves),
    initiate,
    enquire,
    callback: readCallback(credentials.webhook_id, baseUrl, verified),
    // The id in the address is believed no further than the order behind it bears our reference.
    resume: (attempt, query) => enquire(attempt, isOrderId(query.token) ? query.token : undefined),
    test: triedBy(token, ({ expiresInSeconds }) =>
      Either.right(`it gave an access token for ${expiresInSeconds} seconds`)
    )
  }
}

export const paypal = thirdParty({
  name: "paypal",
  title: TITLE,
  baseUrls: { sandbox: "https://api-m.sandbox.paypal.com", live: "https://api-m.paypal.com" },
  fields,
  serves,
  refunds: false,
  connect
})
