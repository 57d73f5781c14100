/** Messages of Amazon SNS, by which Circle calls back: their form, what of them is signed, and whether it is. */
import { type KeyObject, X509Certificate } from "node:crypto"
import { Either, Option, Schema, Clock, Data, Duration, Effect } from "effect"
import { Check } from "../port/Callback.ts"
import { urlOf } from "../../domain/Url.ts"
import type { ProviderHttp } from "../client/ProviderHttp.ts"
import { meaningOf, optionalText } from "../client/WireValues.ts"

export const SnsMessage = Schema.Struct({
  Type: Schema.String,
  MessageId: Schema.String,
  TopicArn: Schema.String,
  Message: Schema.String,
  Timestamp: Schema.String,
  SignatureVersion: Schema.String,
  Signature: Schema.String,
  SigningCertURL: Schema.String,
  Subject: optionalText,
  SubscribeURL: optionalText,
  Token: optionalText
})
export type SnsMessage = typeof SnsMessage.Type

export const decodeSns = Schema.decodeUnknownOption(SnsMessage)

const ofNotification = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const
const ofConfirmation = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const

/** Each name and value on a line of its own; what is not there is left out. */
export const signedText = (message: Omit<SnsMessage, "Signature">): string =>
  (message.Type === "Notification" ? ofNotification : ofConfirmation)
    .flatMap((name) => {
      const value = message[name]
      return value === undefined ? [] : [`${name}\n${value}\n`]
    })
    .join("")

const hashes: Readonly<Record<string, string>> = { "1": "sha1", "2": "sha256" }

export const checkSignature = (key: KeyObject, message: SnsMessage): Check<"vendor"> => {
  const hash = meaningOf(hashes, message.SignatureVersion)
  return hash === undefined || key.asymmetricKeyType !== "rsa"
    ? Check.failed
    : Check.signed(hash, Buffer.from(signedText(message)), key, Buffer.from(message.Signature, "base64"))
}

/** The key of a certificate that holds at this time. */
const keyOfCertificate = (pem: string, nowMillis: number): Option.Option<KeyObject> =>
  Either.getRight(Either.try(() => new X509Certificate(pem))).pipe(
    Option.filter(({ validFrom, validTo }) => Date.parse(validFrom) <= nowMillis && nowMillis <= Date.parse(validTo)),
    Option.map(({ publicKey }) => publicKey)
  )

const amazonHost = /^sns\.[a-z]{2}(-[a-z]+)+-\d+\.amazonaws\.com$/

export interface Place {
  readonly origin: string
  readonly path: string
}

/** Allows addresses of Amazon SNS, and the base URL that replaces Circle in tests. */
export const allowedPlace = (url: string, ownOrigin: string | undefined): Option.Option<Place> => {
  const parsed = urlOf(url)
  if (parsed === undefined || parsed.username !== "" || parsed.password !== "") return Option.none()
  const isAmazon = parsed.protocol === "https:" && parsed.port === "" && amazonHost.test(parsed.hostname)
  return isAmazon || parsed.origin === ownOrigin
    ? Option.some({ origin: parsed.origin, path: `${parsed.pathname}${parsed.search}` })
    : Option.none()
}

/** Any AWS customer can have SNS sign messages, so the topic must be Circle's. */
export const isCirclesTopic = (arn: string, mode: "sandbox" | "live", own: string | undefined): boolean => {
  if (own !== undefined) return arn === own
  const topic = `${mode === "live" ? "prod" : "sandbox"}_platform-notifications-topic`
  return ["us-east-1", "us-west-2"].some((region) => arn === `arn:aws:sns:${region}:908968368384:${topic}`)
}

/** The certificate is unreachable, so the signature is neither valid nor invalid. */
export class CertificateOutOfReach extends Data.TaggedError("CertificateOutOfReach")<{ readonly reason: string }> {}

export interface SnsKeys {
  /** Certificate; none where it is from another host, cannot be parsed, or is not valid at this time. */
  readonly find: (message: SnsMessage) => Effect.Effect<Option.Option<KeyObject>, CertificateOutOfReach>
}

const certificatePath = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/

const MOST = 8
const tryAgainAfter = Duration.toMillis(Duration.seconds(5))

export const makeSnsKeys = (http: ProviderHttp, ownOrigin: string | undefined): SnsKeys => {
  const certificates = new Map<string, string>()
  let failedAt = Number.NEGATIVE_INFINITY

  const read = (origin: string, path: string, now: number) =>
    Effect.gen(function* () {
      const { status, text } = yield* http
        .call({ operation: "read signing certificate", method: "GET", origin, path })
        .pipe(Effect.mapError(({ reason }) => new CertificateOutOfReach({ reason })))
      if (status !== 200) return yield* new CertificateOutOfReach({ reason: `HTTP ${status}` })
      if (certificates.size >= MOST) certificates.clear()
      certificates.set(`${origin}${path}`, text)
      return text
    }).pipe(Effect.tapError(() => Effect.sync(() => (failedAt = now))))

  const turn = Effect.unsafeMakeSemaphore(1)
  return {
    find: ({ SigningCertURL }) =>
      Option.match(
        Option.filter(allowedPlace(SigningCertURL, ownOrigin), ({ path }) => certificatePath.test(path)),
        {
          onNone: () => Effect.succeedNone,
          onSome: ({ origin, path }) =>
            turn.withPermits(1)(
              Effect.gen(function* () {
                const now = yield* Clock.currentTimeMillis
                const known = certificates.get(`${origin}${path}`)
                if (known !== undefined) return keyOfCertificate(known, now)
                if (now - failedAt < tryAgainAfter) {
                  return yield* new CertificateOutOfReach({ reason: "asked just now" })
                }
                return keyOfCertificate(yield* read(origin, path, now), now)
              })
            )
        }
      )
  }
}
