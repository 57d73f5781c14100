/** Circle Mint: USDC in by payment intents, each with an address of its own, and out by transfers to addresses. */
import { Clock, Duration, Effect, Either, Option, Redacted, Schema } from "effect"
import { Accepted, Declined, type Enquiry, type Outcome, Unknown } from "../../domain/Outcome.ts"
import { urlOf } from "../../domain/Url.ts"
import { get, postJson, withHeaders, withQuery } from "../client/ProviderHttp.ts"
import { accountTest, alsoTold } from "../port/AccountTest.ts"
import { enquiryResult, preparedOrDeclined, outcomeOfOrder, makeStatusWarning } from "../client/ProviderReplies.ts"
import type { PaymentOrder } from "../port/Provider.ts"
import { type Account, type Connected, credentialText, thirdParty } from "../port/ThirdParty.ts"
import { circleAccounts, issuedCurrencies } from "./CircleAccounts.ts"
import {
  isExpectedStatus,
  recipientCreated,
  recipientListed,
  transferCreated,
  transferEnquiry
} from "./CircleAnswers.ts"
import { readCallback } from "./CircleCallbacks.ts"
import {
  addressIn,
  intentCreated,
  intentEnquiry,
  intentWith,
  isExpectedIntentStatus,
  needsPayments,
  readIntent
} from "./CircleIntents.ts"
import {
  intentOf,
  type Kind,
  kindOfAttempt,
  paths,
  paymentsPath,
  type RecipientCreation,
  recipientOf,
  recipientsPath,
  serves,
  transferOf
} from "./CircleRequests.ts"
import { isCirclesTopic, makeSnsKeys } from "./CircleSignatures.ts"
import { circleRegistration } from "./CircleWebhooks.ts"
import { objectReader } from "../client/WireValues.ts"

const baseUrls = { sandbox: "https://api-sandbox.circle.com", live: "https://api.circle.com" }

const fields = {
  api_key: {
    env: "CIRCLE_API_KEY",
    about: "API key of the Circle Mint account",
    identifies: true,
    marks: { sandbox: /^TEST_API_KEY:/, live: /^LIVE_API_KEY:/ }
  },
  wallet_id: {
    env: "CIRCLE_WALLET_ID",
    about: "Id of the merchant wallet that payment intents are paid into; without it, the account's main wallet",
    optional: true,
    shown: true
  },
  sns_topic_arn: {
    env: "CIRCLE_SNS_TOPIC_ARN",
    about: "The topic of Amazon SNS that callbacks come from, where it is not Circle's usual one",
    optional: true,
    shown: true,
    marks: { sandbox: /:sandbox_/, live: /:prod_/ }
  },
  deposit_network: {
    env: "CIRCLE_DEPOSIT_NETWORK",
    about: "Network of the addresses of virtual accounts: ETHEREUM (default), POLYGON, SOLANA or BASE",
    optional: true,
    shown: true
  }
} as const

/** Circle promises that a key works once, and does not say for how long. */
const remembers = Duration.hours(24)

/** The address of an intent comes a moment after it: it is asked for this soon, and then it is left to enquiries. */
const addressDelays = [Duration.millis(250), Duration.seconds(1)]

const PAGE = "50"
const MOST_PAGES = 20

const decodeBalances = Schema.decodeUnknownEither(
  Schema.Struct({
    data: Schema.Struct({
      available: Schema.Array(Schema.Struct({ amount: Schema.String, currency: Schema.String }))
    })
  })
)

const decodeWallet = objectReader({
  data: Schema.Struct({ payments: Schema.Struct({ masterWalletId: Schema.String }) })
})

const warnIfUnexpected = {
  intent: makeStatusWarning("Circle", isExpectedIntentStatus),
  transfer: makeStatusWarning("Circle", isExpectedStatus)
}

const connect = ({ baseUrl, callbackUrl, credentials, http, mode }: Account<typeof fields>): Connected => {
  const call = withHeaders(http, { authorization: `Bearer ${Redacted.value(credentials.api_key)}` })
  const post = (operation: string, path: string, body: unknown) => call(postJson(operation, path, body))

  const read = (kind: Kind, id: string) => call(get(`look up ${kind}`, `${paths[kind]}/${encodeURIComponent(id)}`))

  /** Polls shortly for the deposit address; later changes come with enquiries. */
  const awaitAddress = (first: Accepted, id: string): Effect.Effect<Outcome> =>
    Effect.gen(function* () {
      for (const delay of addressDelays) {
        yield* Effect.sleep(delay)
        const intent = Option.flatMap(yield* Effect.option(read("intent", id)), readIntent)
        const address = Option.getOrUndefined(Option.map(intent, addressIn))
        if (address !== undefined) {
          return new Accepted({ ...first, nextAction: "wait", actionData: { ...first.actionData, address } })
        }
      }
      return first
    })

  /** Its payments and refunds are listed by a second call, where the intent does not tell how much each of them moved. */
  const enquireIntent = (id: string): Effect.Effect<Enquiry> =>
    Effect.flatMap(Effect.either(read("intent", id)), (reply) =>
      Option.match(Option.filter(Option.flatMap(Either.getRight(reply), readIntent), needsPayments), {
        onNone: () => enquiryResult(reply, intentEnquiry),
        onSome: (intent) => enquiryResult(call(get("list payments", paymentsPath(id))), intentWith(intent))
      })
    )

  const collect = (order: PaymentOrder): Effect.Effect<Outcome, Declined> =>
    Effect.gen(function* () {
      const body = yield* intentOf(order, credentialText(credentials.wallet_id))
      const outcome = yield* outcomeOfOrder(post("create payment intent", paths.intent, body), intentCreated)
      yield* warnIfUnexpected.intent(outcome)
      const waits = outcome._tag === "Accepted" && outcome.state === "pending" && outcome.actionData["address"] === null
      return waits && outcome.providerPaymentId !== null
        ? yield* awaitAddress(outcome, outcome.providerPaymentId)
        : outcome
    })

  /** Circle has it, and says under which id only in its list. */
  const findRecipient = (creation: RecipientCreation): Effect.Effect<{ readonly id: string }, Declined> =>
    Effect.gen(function* () {
      let after: string | undefined
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const list = call(get("list recipients", withQuery(recipientsPath, { pageSize: PAGE, pageAfter: after })))
        const { found, next } = yield* preparedOrDeclined(list, (reply) => recipientListed(reply, creation))
        if (found !== undefined) return found
        if (next === undefined) break
        after = next
      }
      return yield* Effect.fail(
        new Declined({
          reason: "Circle has the recipient's address and does not list it",
          code: "PROVIDER_UNAVAILABLE"
        })
      )
    })

  const payOut = (order: PaymentOrder): Effect.Effect<Outcome, Declined> =>
    Effect.gen(function* () {
      const creation = yield* recipientOf(order)
      const created = yield* preparedOrDeclined(
        post("create recipient", recipientsPath, creation.body),
        recipientCreated
      )
      const { id } = created === "known" ? yield* findRecipient(creation) : created
      const outcome = yield* outcomeOfOrder(
        post("create transfer", paths.transfer, transferOf(order, id)),
        transferCreated
      )
      return yield* warnIfUnexpected.transfer(outcome)
    })

  const accounts = circleAccounts(call, credentialText(credentials.deposit_network))

  const origin = urlOf(baseUrl)?.origin
  const ownOrigin = Object.values(baseUrls).some((url) => urlOf(url)?.origin === origin) ? undefined : origin
  const topic = credentialText(credentials.sns_topic_arn)
  const sns = {
    keys: makeSnsKeys(http, ownOrigin),
    http,
    ownOrigin,
    isOurTopic: (arn: string) => isCirclesTopic(arn, mode, topic),
    transferAt: accounts.transferAt
  }

  return {
    honoursReference: remembers,
    provesAbsence: false,
    initiate: (order) => Effect.merge(order.flow === "outbound" ? payOut(order) : collect(order)),
    enquire: (attempt) => {
      const kind = kindOfAttempt(attempt)
      const id = attempt.providerPaymentId
      // Its lists know nothing of our reference: an order whose answer was lost is found by sending it again.
      if (kind === undefined || id === null) {
        return Effect.succeed(new Unknown({ reason: "Circle finds nothing by our reference" }))
      }
      return Effect.tap(
        kind === "intent" ? enquireIntent(id) : enquiryResult(read(kind, id), transferEnquiry),
        warnIfUnexpected[kind]
      )
    },
    callback: (request) => Effect.flatMap(Clock.currentTimeMillis, (now) => readCallback(sns, request, now)),
    accounts: accounts.issuer,
    register: circleRegistration(call, callbackUrl, sns.isOurTopic),
    test: accountTest(
      call(get("read balances", "/v1/businessAccount/balances")),
      "the API key",
      decodeBalances,
      ({ data: { available } }) =>
        Effect.map(alsoTold(call(get("read configuration", "/v1/configuration")), decodeWallet), (wallet) => ({
          ...(wallet === undefined ? {} : { name: `master wallet ${wallet.data.payments.masterWalletId}` }),
          balances: available.map(({ amount, currency }) => `${amount} ${currency}`)
        }))
    )
  }
}

export const circle = thirdParty({
  name: "circle",
  baseUrls,
  modes: { hosts: { sandbox: /^api-sandbox\.circle\.com$/, live: /^api\.circle\.com$/ } },
  fields,
  serves,
  refunds: false,
  setup: {
    keys: [
      "Developer, API keys: a standard key of the Circle Mint account. Payouts need approved recipient addresses."
    ],
    registers: "the subscription of Amazon SNS, which the running server confirms",
    callbacks: { at: "POST /v1/notifications/subscriptions with the address as endpoint", events: [] }
  },
  issues: issuedCurrencies,
  connect
})
