/** From Circle's callbacks, which come by Amazon SNS, to what they say. */
import { Duration, Effect, Either, Option, Schema } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import type { ProviderHttp } from "../client/ProviderHttp.ts"
import {
  type Callback,
  type CallbackEvent,
  type CallbackRequest,
  Check,
  Hint,
  type Named,
  NoProof,
  Proof,
  Statement
} from "../port/Callback.ts"
import { readJson } from "../port/WireJson.ts"
import { Intent, intentReport, isKnownMoment } from "./IntentAnswers.ts"
import type { SnsKeys } from "./SnsKeys.ts"
import { allowedPlace, checkSignature, decodeSns, type SnsMessage } from "./SnsMessage.ts"
import { isKnownStatus, Transfer, transferReport } from "./TransferAnswers.ts"

export interface SnsAccount {
  readonly keys: SnsKeys
  readonly http: ProviderHttp
  /** Where confirmations may be besides at Amazon. */
  readonly ownOrigin: string | undefined
  readonly isOurTopic: (arn: string) => boolean
}

const decodeAbout = Schema.decodeUnknownOption(
  Schema.Struct({
    notificationType: Schema.String,
    paymentIntent: Schema.optional(Schema.Unknown),
    payment: Schema.optional(Schema.Unknown),
    transfer: Schema.optional(Schema.Unknown)
  })
)
const decodeIntent = Schema.decodeUnknownOption(Intent)
const decodeTransfer = Schema.decodeUnknownOption(Transfer)
const decodePayment = Schema.decodeUnknownOption(Schema.Struct({ paymentIntentId: Schema.String }))
const decodeId = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String }))

const named = (providerPaymentId: string): Named => ({ reference: null, providerPaymentId })

/** Without a proof everything is a hint. */
const eventOf = (message: string, proof: Proof | undefined): Option.Option<CallbackEvent> => {
  const state = (report: Option.Option<Statement["report"]>, id: string): CallbackEvent =>
    Option.match(proof === undefined ? Option.none() : report, {
      onNone: () => new Hint({ attempt: named(id) }),
      // Circle sends it from two regions: what it says is the same, and so is its key.
      onSome: (said) => new Statement({ key: sha256Hex(message), attempt: named(id), report: said, proof: proof! })
    })
  const about = Option.flatMap(Either.getRight(readJson(message)), decodeAbout)
  return Option.flatMap(about, ({ notificationType, payment, paymentIntent, transfer }) => {
    switch (notificationType) {
      case "paymentIntents":
        return Option.map(decodeId(paymentIntent), ({ id }) =>
          state(Option.flatMap(decodeIntent(paymentIntent), intentReport), id)
        )
      case "payments":
        // One of the payments of an intent: how much came in all, only the intent tells.
        return Option.map(
          decodePayment(payment),
          ({ paymentIntentId }): CallbackEvent => new Hint({ attempt: named(paymentIntentId) })
        )
      case "transfers":
        return Option.flatMap(decodeTransfer(transfer), (one) =>
          // What comes in from a chain is no transfer of ours.
          one.source?.type === "blockchain"
            ? Option.none()
            : Option.some(state(Option.some(transferReport(one)), one.id))
        )
      default:
        return Option.none()
    }
  })
}

const eventsOf = ({ Message }: SnsMessage, proof?: Proof): Callback => ({
  events: Option.toArray(eventOf(Message, proof))
})

const warnOfStatus = ({ events }: Callback) =>
  Effect.forEach(
    events,
    (event) => {
      if (event._tag === "Hint") return Effect.void
      const status = event.report.providerStatus
      return isKnownMoment(status) || isKnownStatus(status)
        ? Effect.void
        : Effect.logWarning(`Circle calls back with a status that is not known: ${status}`)
    },
    { discard: true }
  )

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

/** What a message says, once it is shown to be Circle's. */
const proven = (account: SnsAccount, message: SnsMessage, proof: Proof): Effect.Effect<Callback> => {
  switch (message.Type) {
    case "Notification":
      return Effect.tap(Effect.succeed(eventsOf(message, proof)), warnOfStatus)
    case "SubscriptionConfirmation":
      return confirm(account, message)
    default:
      return Effect.succeed({ events: [] })
  }
}

const unproven = (message: SnsMessage, reason: string): Effect.Effect<Callback> =>
  Effect.as(
    Effect.logWarning(`The certificate of a callback of Circle's cannot be read: ${reason}`),
    message.Type === "Notification" ? eventsOf(message) : askAgain
  )

export const readCallback = (
  account: SnsAccount,
  { body }: CallbackRequest,
  nowMillis: number
): Effect.Effect<Callback, NoProof> =>
  Effect.gen(function* () {
    const message = yield* Either.fromOption(
      Option.flatMap(Either.getRight(readJson(body.toString("utf8"))), decodeSns),
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
      Effect.flatMap((proof) => proven(account, message, proof)),
      Effect.catchTag("CertificateOutOfReach", ({ reason }) => unproven(message, reason))
    )
  })
