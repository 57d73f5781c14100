/** M-Pesa by Safaricom's own API, Daraja: prompts on payers' phones, payouts to them. */
import { constants, publicEncrypt } from "node:crypto"
import { Clock, Effect, Either, Redacted } from "effect"
import { Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import { grantedIn, makeAccessTokens } from "../client/AccessTokens.ts"
import type { ProviderCall } from "../client/ProviderHttp.ts"
import {
  credentialsRefused,
  enquiryResult,
  notSupported,
  outcomeOfOrder,
  preparedOrDeclined,
  makeStatusWarning
} from "../client/ProviderReplies.ts"
import { type AttemptContext, attemptKind, type PaymentOrder } from "../port/Provider.ts"
import { type Account, type Connected, credentialText, servedBy, thirdParty } from "../port/ThirdParty.ts"
import {
  isAsked,
  isExpectedStatus,
  payoutAnswer,
  problemIn,
  pushAnswer,
  queryAnswer,
  withTokenStatus
} from "./MpesaAnswers.ts"
import { callbackOf, provedAddress } from "./MpesaCallbacks.ts"
import { type Initiator, payoutRequest, pushQuery, pushRequest, serves, statusQuery } from "./MpesaRequests.ts"

const fields = {
  consumer_key: {
    env: "MPESA_CONSUMER_KEY",
    about: "The consumer key of your app, under My Apps at daraja.safaricom.co.ke.",
    identifies: true
  },
  consumer_secret: { env: "MPESA_CONSUMER_SECRET", about: "The consumer secret of the same app." },
  shortcode: {
    env: "MPESA_SHORTCODE",
    about: "The paybill number, or of a till the store or head office number.",
    shown: true,
    identifies: true
  },
  passkey: { env: "MPESA_PASSKEY", about: "The passkey of M-Pesa Express, which Safaricom mails after go-live." },
  till: {
    env: "MPESA_TILL",
    about: "The till number that customers pay, where it is none of a paybill.",
    optional: true,
    shown: true
  },
  payout_shortcode: {
    env: "MPESA_PAYOUT_SHORTCODE",
    about: "The shortcode that pays out, where it is another one.",
    optional: true,
    shown: true
  },
  initiator_name: {
    env: "MPESA_INITIATOR_NAME",
    about: "The API user with the role ORG B2C API initiator, made on the M-Pesa portal. Payouts need it.",
    optional: true
  },
  security_credential: {
    env: "MPESA_SECURITY_CREDENTIAL",
    about: "The API user's password, encrypted with Safaricom's certificate. Payouts need it, or the next two.",
    optional: true
  },
  initiator_password: {
    env: "MPESA_INITIATOR_PASSWORD",
    about: "The API user's password itself.",
    optional: true
  },
  certificate: {
    env: "MPESA_CERTIFICATE",
    about: "Safaricom's certificate as PEM, of the sandbox or of production, which the password is encrypted with.",
    optional: true,
    lines: true
  }
} as const

const PAYOUT_SETTINGS =
  "MPESA_INITIATOR_NAME, and MPESA_SECURITY_CREDENTIAL or MPESA_INITIATOR_PASSWORD and MPESA_CERTIFICATE"

const encrypted = (password: string, certificate: string): Either.Either<string, string> =>
  Either.try({
    try: () =>
      publicEncrypt({ key: certificate, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(password)).toString(
        "base64"
      ),
    catch: () => "MPESA_CERTIFICATE is no certificate that a password can be encrypted with"
  })

/** Left: why nothing can be paid out. */
const initiatorOf = ({ credentials }: Account<typeof fields>): Either.Either<Initiator, string> => {
  const [name, given, password, certificate] = [
    credentials.initiator_name,
    credentials.security_credential,
    credentials.initiator_password,
    credentials.certificate
  ].map(credentialText)
  const shortcode = credentialText(credentials.payout_shortcode) ?? Redacted.value(credentials.shortcode)
  const missing = Either.left(`Payouts by M-Pesa need ${PAYOUT_SETTINGS}`)
  if (name === undefined) return missing
  if (given !== undefined) return Either.right({ name, credential: given, shortcode })
  if (password === undefined || certificate === undefined) return missing
  return Either.map(encrypted(password, certificate), (credential) => ({ name, credential, shortcode }))
}

const warnIfUnexpected = makeStatusWarning("M-Pesa", isExpectedStatus)

const served = servedBy("M-Pesa", serves)

const connect = (account: Account<typeof fields>): Connected => {
  const { callbackUrl, credentials, http } = account
  const [key, secret] = [Redacted.value(credentials.consumer_key), Redacted.value(credentials.consumer_secret)]
  const payee = {
    shortcode: Redacted.value(credentials.shortcode),
    passkey: Redacted.value(credentials.passkey),
    till: credentialText(credentials.till)
  }
  const initiator = initiatorOf(account)
  const addressFor = provedAddress(callbackUrl, secret)

  const granted = preparedOrDeclined(
    http.call({
      operation: "request token",
      method: "GET",
      path: "/oauth/v1/generate?grant_type=client_credentials",
      headers: { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}` }
    }),
    (reply) =>
      // Daraja answers 400, often without a body, to a key or secret that it does not know.
      reply.status === 400 || reply.status === 401
        ? Either.left(credentialsRefused(reply))
        : Either.fromOption(
            grantedIn(reply),
            () => new Declined({ reason: `no token: ${problemIn(reply)}`, code: "PROVIDER_UNAVAILABLE" })
          )
  )
  const tokens = makeAccessTokens(granted)

  const call = (about: ProviderCall) =>
    tokens.use((token) =>
      Effect.map(
        http.call({ ...about, headers: { authorization: `Bearer ${token}`, ...about.headers } }),
        withTokenStatus
      )
    )

  const push = (order: PaymentOrder): Effect.Effect<Outcome> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.merge(
        Effect.flatMap(pushRequest(order, payee, addressFor, now), (request) =>
          outcomeOfOrder(call(request), pushAnswer)
        )
      )
    )

  const payOut = (order: PaymentOrder): Effect.Effect<Outcome> =>
    Effect.merge(
      Effect.gen(function* () {
        const by = yield* Either.mapLeft(initiator, notSupported)
        const request = yield* payoutRequest(order, by, addressFor)
        return yield* outcomeOfOrder(call(request), payoutAnswer(order.reference))
      })
    )

  const lookUp = (checkoutId: string): Effect.Effect<Enquiry> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.flatMap(enquiryResult(call(pushQuery(checkoutId, payee, now)), queryAnswer(checkoutId)), warnIfUnexpected)
    )

  /** Only acknowledged here: the result comes as a callback. */
  const askStatus = ({ providerPaymentId, reference }: AttemptContext): Effect.Effect<Enquiry> => {
    if (Either.isLeft(initiator)) return Effect.succeed(new Unknown({ reason: initiator.left }))
    return enquiryResult(call(statusQuery(reference, initiator.right, addressFor)), (reply) => {
      if (!isAsked(reply)) return new Unknown({ reason: `M-Pesa did not take the question: ${problemIn(reply)}` })
      return providerPaymentId === null
        ? new Unknown({ reason: "M-Pesa was asked, and answers by a callback" })
        : new Report({ state: "processing", reason: null, providerPaymentId, providerStatus: null })
    })
  }

  const enquire = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    const kind = attemptKind(attempt)
    if (kind === "payout") return askStatus(attempt)
    // A prompt does not show our reference, so an id that a hint named could be of another payment.
    return kind === "payin" && attempt.providerPaymentId !== null
      ? lookUp(attempt.providerPaymentId)
      : Effect.succeed(new Unknown({ reason: "M-Pesa is asked by the CheckoutRequestID alone, which is not known" }))
  }

  return {
    // A prompt has no idempotency key, and no look-up by our reference.
    honoursReference: false,
    provesAbsence: false,
    digits: () => 0,
    supports: (question) =>
      question.flow === "outbound" && Either.isLeft(initiator) ? Either.left(`${initiator.left}.`) : served(question),
    initiate: (order) => {
      if (order.flow === "external") return Effect.succeed(notSupported("M-Pesa moves money itself"))
      return order.flow === "inbound" ? push(order) : payOut(order)
    },
    enquire,
    callback: callbackOf({ secret, lookUp }),
    test: Effect.match(granted, {
      onFailure: ({ reason }) => Either.left(reason),
      onSuccess: () =>
        Either.right({
          name: `shortcode ${payee.shortcode}`,
          // M-Pesa tells a balance by a callback alone, and no rights at all: these are what is set up here.
          note: Either.isLeft(initiator) ? initiator.left : "payouts are set up"
        })
    })
  }
}

export const mpesa = thirdParty({
  name: "mpesa",
  baseUrls: { sandbox: "https://sandbox.safaricom.co.ke", live: "https://api.safaricom.co.ke" },
  modes: { hosts: { sandbox: /^sandbox\.safaricom\.co\.ke$/, live: /^api\.safaricom\.co\.ke$/ } },
  fields,
  serves,
  refunds: false,
  setup: {
    keys: [
      "daraja.safaricom.co.ke, My Apps: an app with M-Pesa Express, B2C and Transaction Status. Go live with your shortcode.",
      "org.ke.m-pesa.com: for payouts an API user with the roles ORG B2C API initiator and Transaction Status query ORG API."
    ],
    callbacks: null
  },
  connect
})
