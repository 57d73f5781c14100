/**
 * Callbacks of Circle by Amazon SNS, all of them hints. All of Circle's customers share the topic and its signature, and
 * can forward messages: the signature proves Circle, not the account.
 */
import { Duration, Effect, Either, Option, Schema } from "effect"
import type { ProviderHttp } from "../client/ProviderHttp.ts"
import { type Callback, type CallbackRequest, Check, Hint, jsonOfBody, NoProof, Proof } from "../port/Callback.ts"
import { readJson, objectReader } from "../client/WireValues.ts"
import { type SnsKeys, allowedPlace, checkSignature, decodeSns, type SnsMessage } from "./CircleSignatures.ts"

interface SnsAccount {
  readonly keys: SnsKeys
  readonly http: ProviderHttp
  /** Where confirmations may be besides at Amazon. */
  readonly ownOrigin: string | undefined
  readonly isOurTopic: (arn: string) => boolean
  readonly transferAt: (id: string) => Effect.Effect<Pick<Callback, "transfers" | "listTransfers">>
}

const decodeAbout = objectReader({
  notificationType: Schema.String,
  paymentIntent: Schema.optional(Schema.Unknown),
  payment: Schema.optional(Schema.Unknown),
  transfer: Schema.optional(Schema.Unknown)
})
const decodePayment = objectReader({ paymentIntentId: Schema.String })
const decodeId = objectReader({ id: Schema.String })
const decodeSource = objectReader({ source: Schema.Struct({ type: Schema.String }) })

const isFromChain = (transfer: unknown): boolean =>
  Option.exists(decodeSource(transfer), ({ source }) => source.type === "blockchain")

const hint = (providerPaymentId: string) => new Hint({ attempt: { reference: null, providerPaymentId } })

const hintIn = (message: string): Option.Option<Hint> => {
  const about = Option.flatMap(Either.getRight(readJson(message)), decodeAbout)
  return Option.flatMap(about, ({ notificationType, payment, paymentIntent, transfer }) => {
    switch (notificationType) {
      case "paymentIntents":
        return Option.map(decodeId(paymentIntent), ({ id }) => hint(id))
      case "payments":
        return Option.map(decodePayment(payment), ({ paymentIntentId }) => hint(paymentIntentId))
      case "transfers":
        // A transfer from a chain is none of ours.
        return isFromChain(transfer) ? Option.none() : Option.map(decodeId(transfer), ({ id }) => hint(id))
      default:
        return Option.none()
    }
  })
}

/** The id of a transfer that comes in from a chain. */
const arrivalIn = (message: string): Option.Option<string> =>
  Either.getRight(readJson(message)).pipe(
    Option.flatMap(decodeAbout),
    Option.filter(({ notificationType, transfer }) => notificationType === "transfers" && isFromChain(transfer)),
    Option.flatMap(({ transfer }) => decodeId(transfer)),
    Option.map(({ id }) => id)
  )

/** A deposit cannot be looked up by its id. */
const isOfDeposit = ({ Message }: SnsMessage): boolean =>
  Option.exists(
    Option.flatMap(Either.getRight(readJson(Message)), decodeAbout),
    ({ notificationType }) => notificationType === "deposits"
  )

const eventsOf = ({ Message }: SnsMessage): Callback => ({ events: Option.toArray(hintIn(Message)) })

/** SNS asks again for what was not confirmed. */
const askAgain: Callback = {
  events: [],
  reply: { status: 503, contentType: "text/plain", body: "The subscription could not be confirmed now" }
}

const confirm = ({ http, ownOrigin }: SnsAccount, { SubscribeURL, TopicArn }: SnsMessage): Effect.Effect<Callback> =>
  Option.match(allowedPlace(SubscribeURL ?? "", ownOrigin), {
    onNone: () =>
      Effect.as(Effect.logWarning(`A subscription of Circle's is to be confirmed elsewhere than at Amazon`), {
        events: []
      }),
    onSome: (place) =>
      Effect.matchEffect(http.call({ operation: "confirm subscription", method: "GET", ...place }), {
        onFailure: ({ reason }) =>
          Effect.as(Effect.logWarning(`Circle's callbacks: not confirmed, ${reason}`), askAgain),
        onSuccess: ({ status }) =>
          status === 200
            ? Effect.as(Effect.logInfo(`Circle's callbacks by ${TopicArn} are confirmed`), { events: [] })
            : Effect.as(Effect.logWarning(`Circle's callbacks: not confirmed, HTTP ${status}`), askAgain)
      })
  })

/** SNS tries for an hour at most. */
const oldest = Duration.toMillis(Duration.hours(1))
const leeway = Duration.toMillis(Duration.minutes(5))

const timeProblem = ({ Timestamp }: SnsMessage, nowMillis: number): string | undefined => {
  const age = nowMillis - Date.parse(Timestamp)
  if (Number.isNaN(age)) return "The message does not say when it was sent"
  return age > oldest || age < -leeway ? "The message is too old, or of a time to come" : undefined
}

/** Events of a message that is proven to be Circle's. */
const proven = (account: SnsAccount, message: SnsMessage): Effect.Effect<Callback> => {
  switch (message.Type) {
    case "Notification":
      return Option.match(arrivalIn(message.Message), {
        onNone: () => Effect.succeed(isOfDeposit(message) ? { events: [], listTransfers: true } : eventsOf(message)),
        onSome: (id) => Effect.map(account.transferAt(id), (found) => ({ events: [], ...found }))
      })
    case "SubscriptionConfirmation":
      return confirm(account, message)
    default:
      return Effect.succeed({ events: [] })
  }
}

const unproven = (message: SnsMessage, reason: string): Effect.Effect<Callback> =>
  Effect.as(
    Effect.logWarning(`The certificate of a callback of Circle's cannot be read: ${reason}`),
    message.Type === "Notification" ? { ...eventsOf(message), isUnsigned: true as const } : askAgain
  )

export const readCallback = (
  account: SnsAccount,
  { body }: CallbackRequest,
  nowMillis: number
): Effect.Effect<Callback, NoProof> =>
  Effect.gen(function* () {
    const message = yield* Either.fromOption(
      Option.flatMap(jsonOfBody({ body }), decodeSns),
      () => new NoProof({ message: "The body is not a message of Amazon SNS" })
    )
    const isOurs = account.isOurTopic(message.TopicArn)
    const problem = isOurs ? timeProblem(message, nowMillis) : `The topic ${message.TopicArn} is not Circle's`
    if (problem !== undefined) return yield* new NoProof({ message: problem })
    return yield* account.keys.find(message).pipe(
      Effect.flatMap((key) =>
        Proof.from(
          Option.match(key, { onNone: () => Check.failed, onSome: (one) => checkSignature(one, message) }),
          "The signature does not fit a certificate of Amazon SNS"
        )
      ),
      Effect.flatMap(() => proven(account, message)),
      Effect.catchTag("CertificateOutOfReach", ({ reason }) => unproven(message, reason))
    )
  })
