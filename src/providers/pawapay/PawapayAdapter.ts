/** pawaPay (Merchant API, version 1): mobile money in and out, by its own names for the operators of each country. */
import { Clock, Duration, Effect, Either, Redacted, Schema } from "effect"
import type { Enquiry, Outcome } from "../../domain/Outcome.ts"
import { accountTest, looked, sent, warnOfStatus } from "../client/ProviderReplies.ts"
import type { ProviderCall } from "../client/ProviderHttp.ts"
import type { Provider } from "../port/Provider.ts"
import { type Account, servedBy, thirdParty } from "../port/ThirdParty.ts"
import { pawapayServes } from "./PawapayCorridors.ts"
import { DUPLICATE, enquiryOf, isKnownStatus, outcomeOf, outcomeOfKnown } from "./PawapayAnswers.ts"
import { readCallback } from "./PawapayCallbacks.ts"
import { type Creation, creationOf, type Kind, kindOfAttempt, kinds, refundOf } from "./PawapayRequests.ts"
import { makePublicKeys } from "./PawapaySignatures.ts"

const title = "pawaPay"

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

const decodeMerchant = Schema.decodeUnknownEither(Schema.Struct({ merchantName: Schema.String }))

const warned = warnOfStatus(title, isKnownStatus)

const connect = ({ callbackUrl, credentials, http }: Account<typeof fields>): Provider => {
  const call = (about: ProviderCall) =>
    Effect.suspend(() =>
      http.call({
        ...about,
        headers: { authorization: `Bearer ${Redacted.value(credentials.api_token)}`, ...about.headers }
      })
    )

  const look = (kind: Kind, reference: string): Effect.Effect<Enquiry> =>
    looked(call({ operation: `look up ${kind}`, method: "GET", path: `${kinds[kind].path}/${reference}` }), (reply) =>
      enquiryOf(kind, reference, reply)
    ).pipe(Effect.flatMap(warned))

  const create = (reference: string, { body, kind }: Creation): Effect.Effect<Outcome> =>
    Effect.gen(function* () {
      const outcome = yield* sent(
        call({
          operation: `create ${kind}`,
          method: "POST",
          path: kinds[kind].path,
          // The same id in the logs of both sides.
          headers: { "content-type": "application/json", "x-request-id": reference },
          body: JSON.stringify(body)
        }),
        (reply) => outcomeOf(kind, reference, reply)
      )
      yield* warned(outcome)
      if (outcome._tag !== "Accepted" || outcome.providerStatus !== DUPLICATE) return outcome
      return outcomeOfKnown(kind, reference, outcome, yield* look(kind, reference))
    })

  /**
   * The address that pawaPay signs is the public one. Host and path may be a proxy's, and a sender can choose Host: a
   * callback that was signed for another merchant's address must not pass here.
   */
  const { host, pathname } = new URL(callbackUrl)
  const calledAt = { authority: host, path: pathname }

  const keys = makePublicKeys(http, credentials.public_key)

  return {
    name: "pawapay",
    honoursReference: true,
    provesAbsence: absentAfter,
    supports: servedBy(title, pawapayServes),
    initiate: (order) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Either.match(creationOf(order, new Date(now)), {
          onLeft: (declined): Effect.Effect<Outcome> => Effect.succeed(declined),
          onRight: (creation) => create(order.reference, creation)
        })
      ),
    enquire: (attempt) => look(kindOfAttempt(attempt), attempt.reference),
    callback: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => readCallback(keys, { ...request, ...calledAt }, now)),
    refund: (order) =>
      Either.match(refundOf(order), {
        onLeft: (declined): Effect.Effect<Outcome> => Effect.succeed(declined),
        onRight: (creation) => create(order.reference, creation)
      }),
    test: accountTest(
      call({ operation: "read configuration", method: "GET", path: "/active-conf" }),
      "the API token",
      decodeMerchant,
      ({ merchantName }) => `the account of ${merchantName}`
    )
  }
}

export const pawapay = thirdParty({
  name: "pawapay",
  title,
  baseUrls: { sandbox: "https://api.sandbox.pawapay.io", live: "https://api.pawapay.io" },
  modes: { hosts: { sandbox: /^api\.sandbox\.pawapay\.(io|cloud)$/, live: /^api\.pawapay\.(io|cloud)$/ } },
  fields,
  serves: pawapayServes,
  refunds: true,
  connect
})
