/** pawaPay (Merchant API, version 1): mobile money in and out, by its own names for the operators of each country. */
import { Clock, Duration, Effect, type Either, Option, Redacted, Schema } from "effect"
import type { Declined, Enquiry, Outcome } from "../../domain/Outcome.ts"
import { get, postJson, withHeaders } from "../client/ProviderHttp.ts"
import { accountTest, alsoTold } from "../port/AccountTest.ts"
import { enquiryResult, outcomeOfOrder, makeStatusWarning } from "../client/ProviderReplies.ts"
import { type Account, type Connected, thirdParty } from "../port/ThirdParty.ts"
import { DUPLICATE, enquiryOf, isExpectedStatus, outcomeOf, outcomeOfKnown } from "./PawapayAnswers.ts"
import { optional, optionalText, objectReader } from "../client/WireValues.ts"
import { readCallback } from "./PawapayCallbacks.ts"
import { findCorrespondent, serves } from "./PawapayCorridors.ts"
import { type Creation, creationOf, type Kind, kindOfAttempt, kinds, refundOf } from "./PawapayRequests.ts"
import { makePublicKeys } from "./PawapaySignatures.ts"

const fields = {
  api_token: {
    env: "PAWAPAY_API_TOKEN",
    about: "API token, from the dashboard under System configuration",
    identifies: true
  },
  public_key: {
    env: "PAWAPAY_PUBLIC_KEY",
    about: "PEM of the key that callbacks are signed with; without it, the keys that pawaPay publishes are read",
    optional: true,
    shown: true,
    lines: true
  }
} as const

/** An order that was on its way when it was looked up has arrived or is lost after this long. */
const absentAfter = Duration.minutes(2)

const Operation = Schema.Struct({ operationType: Schema.String })
const Correspondent = Schema.Struct({ operationTypes: optional(Schema.Array(Operation)) })
const decodeMerchant = Schema.decodeUnknownEither(
  Schema.Struct({
    merchantName: Schema.String,
    countries: optional(
      Schema.Array(Schema.Struct({ country: Schema.String, correspondents: optional(Schema.Array(Correspondent)) }))
    )
  })
)
const decodeWallets = objectReader({
  balances: Schema.Array(
    Schema.Struct({ country: Schema.String, balance: Schema.String, currency: Schema.String, mno: optionalText })
  )
})

const warnIfUnexpected = makeStatusWarning("pawaPay", isExpectedStatus)

const connect = ({ callbackUrl, credentials, http }: Account<typeof fields>): Connected => {
  const call = withHeaders(http, { authorization: `Bearer ${Redacted.value(credentials.api_token)}` })

  const look = (kind: Kind, reference: string): Effect.Effect<Enquiry> =>
    enquiryResult(call(get(`look up ${kind}`, `${kinds[kind].path}/${reference}`)), (reply) =>
      enquiryOf(kind, reference, reply)
    ).pipe(Effect.flatMap(warnIfUnexpected))

  const create = (reference: string, creation: Either.Either<Creation, Declined>): Effect.Effect<Outcome> =>
    Effect.gen(function* () {
      const { body, kind } = yield* creation
      // The request id is the same in the logs of both sides.
      const request = postJson(`create ${kind}`, kinds[kind].path, body, { "x-request-id": reference })
      const outcome = yield* outcomeOfOrder(call(request), (reply) => outcomeOf(kind, reference, reply))
      yield* warnIfUnexpected(outcome)
      if (outcome._tag !== "Accepted" || outcome.providerStatus !== DUPLICATE) return outcome
      return outcomeOfKnown(kind, reference, outcome, yield* look(kind, reference))
    }).pipe(Effect.merge)

  /**
   * pawaPay signs the public address. Host and path may be a proxy's, and a sender can choose Host. A callback signed
   * for another merchant's address must fail here.
   */
  const { host, pathname } = new URL(callbackUrl)
  const calledAt = { authority: host, path: pathname }

  const keys = makePublicKeys(http, credentials.public_key)

  return {
    honoursReference: true,
    provesAbsence: absentAfter,
    digits: ({ country, flow, network }) =>
      Option.getOrUndefined(
        Option.map(findCorrespondent(country, network ?? ""), ({ digitsIn, digitsOut }) =>
          flow === "outbound" ? digitsOut : digitsIn
        )
      ),
    initiate: (order) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => create(order.reference, creationOf(order, new Date(now)))),
    enquire: (attempt) => look(kindOfAttempt(attempt), attempt.reference),
    callback: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => readCallback(keys, { ...request, ...calledAt }, now)),
    refund: (order) => create(order.reference, refundOf(order)),
    test: accountTest(
      call(get("read configuration", "/active-conf")),
      "the API token",
      decodeMerchant,
      ({ countries = [], merchantName }) =>
        Effect.map(alsoTold(call(get("read balances", "/v1/wallet-balances")), decodeWallets), (wallets) => ({
          name: merchantName,
          rights: countries.map(({ correspondents = [], country }) => {
            const all = correspondents.flatMap(({ operationTypes = [] }) => operationTypes)
            return [country, ...new Set(all.map(({ operationType }) => operationType))].join(" ")
          }),
          ...(wallets && {
            balances: wallets.balances.map(({ balance, country, currency, mno = "" }) =>
              `${balance} ${currency} ${country} ${mno}`.trim()
            )
          })
        }))
    )
  }
}

export const pawapay = thirdParty({
  name: "pawapay",
  baseUrls: { sandbox: "https://api.sandbox.pawapay.io", live: "https://api.pawapay.io" },
  modes: { hosts: { sandbox: /^api\.sandbox\.pawapay\.(io|cloud)$/, live: /^api\.pawapay\.(io|cloud)$/ } },
  fields,
  serves,
  refunds: true,
  setup: {
    keys: ["Dashboard, System configuration, API tokens: a token for deposits, payouts and refunds."],
    callbacks: {
      at: "Dashboard, System configuration, Callback URLs: the same address for deposits, payouts and refunds. Switch on signed callbacks",
      events: []
    }
  },
  connect
})
