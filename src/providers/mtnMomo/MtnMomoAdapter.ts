/** MTN MoMo: mobile money of MTN's own networks, asked of a payer's phone and paid to a recipient's. */
import { Duration, Effect, Either, Option, Redacted } from "effect"
import { Declined, type Enquiry, type Outcome } from "../../domain/Outcome.ts"
import { MaybeSent } from "../client/ProviderHttp.ts"
import { credentialsRefused, looked, prepared, sent, warnOfStatus } from "../client/ProviderReplies.ts"
import { makeAccessTokens } from "../client/AccessTokens.ts"
import type { Provider } from "../port/Provider.ts"
import { type Account, thirdParty } from "../port/ThirdParty.ts"
import {
  balanceAnswer,
  outcomeOfKnown,
  isDuplicate,
  isKnownStatus,
  orderAnswer,
  statusAnswer,
  tokenAnswer,
  troubleIn
} from "./MtnMomoAnswers.ts"
import { callbackEvents } from "./MtnMomoCallbacks.ts"
import { serves, supportsIn, TITLE } from "./MtnMomoCorridors.ts"
import {
  balancePath,
  type Endpoint,
  endpointOf,
  lookUpPath,
  type MtnOrder,
  orderRequest,
  type Product,
  refundRequest,
  tokenPath
} from "./MtnMomoRequests.ts"

const fields = {
  api_user: {
    env: "MTN_MOMO_API_USER",
    about: "The API user's id, a UUID that you chose when you made it in the partner portal.",
    identifies: true
  },
  api_key: { env: "MTN_MOMO_API_KEY", about: "The key that belongs to the API user." },
  collection_key: {
    env: "MTN_MOMO_COLLECTION_KEY",
    about: "The subscription key of the product Collection, under your profile at momodeveloper.mtn.com."
  },
  disbursement_key: {
    env: "MTN_MOMO_DISBURSEMENT_KEY",
    about: "The subscription key of the product Disbursement, which payouts and refunds go through."
  },
  target_environment: {
    env: "MTN_MOMO_TARGET_ENVIRONMENT",
    about: "`sandbox`, which counts in EUR alone, or the platform of a country such as `mtnuganda`.",
    shown: true,
    marks: { sandbox: /^sandbox$/i }
  },
  disbursement_api_user: {
    env: "MTN_MOMO_DISBURSEMENT_API_USER",
    about: "Where Disbursement has an API user of its own.",
    optional: true,
    identifies: true
  },
  disbursement_api_key: {
    env: "MTN_MOMO_DISBURSEMENT_API_KEY",
    about: "The key of that API user.",
    optional: true
  }
} as const

/** A request that was taken can be found at once; the time is for one that was still on its way. */
const absenceProvenAfter = Duration.minutes(5)

const userOf = ({ credentials }: Account<typeof fields>, product: Product): string => {
  const { api_key, api_user, disbursement_api_key, disbursement_api_user } = credentials
  const [user, key] =
    product === "disbursement" && disbursement_api_user !== undefined && disbursement_api_key !== undefined
      ? [disbursement_api_user, disbursement_api_key]
      : [api_user, api_key]
  return Buffer.from(`${Redacted.value(user)}:${Redacted.value(key)}`).toString("base64")
}

const warned = warnOfStatus(TITLE, isKnownStatus)

const connect = (account: Account<typeof fields>): Provider => {
  const { callbackUrl, credentials, http, mode } = account
  const environment = Redacted.value(credentials.target_environment)
  const subscription = (product: Product) => ({
    "ocp-apim-subscription-key": Redacted.value(
      product === "collection" ? credentials.collection_key : credentials.disbursement_key
    )
  })

  const tokensOf = (product: Product) =>
    makeAccessTokens(
      prepared(
        http.call({
          operation: `${product} token`,
          method: "POST",
          path: tokenPath(product),
          headers: { ...subscription(product), authorization: `Basic ${userOf(account, product)}` }
        }),
        (reply) =>
          reply.status === 401
            ? Either.left(credentialsRefused(reply))
            : Either.fromOption(
                tokenAnswer(reply),
                () => new Declined({ reason: `no token: ${troubleIn(reply)}`, code: "PROVIDER_UNAVAILABLE" })
              )
      )
    )
  const tokens = { collection: tokensOf("collection"), disbursement: tokensOf("disbursement") }

  const headersFor = (product: Product, token: string) => ({
    ...subscription(product),
    authorization: `Bearer ${token}`,
    "x-target-environment": environment
  })

  // In production MTN calls back over https alone, and refuses an order that names anything else.
  const calledBack = callbackUrl.startsWith("https://") || mode === "sandbox" ? { "x-callback-url": callbackUrl } : {}

  const post = ({ body, endpoint, reference }: MtnOrder) =>
    tokens[endpoint.product].use((token) =>
      http.call({
        operation: `create ${endpoint.path.slice(endpoint.path.lastIndexOf("/") + 1)}`,
        method: "POST",
        path: endpoint.path,
        headers: {
          ...headersFor(endpoint.product, token),
          ...calledBack,
          "content-type": "application/json",
          "x-reference-id": reference
        },
        body: JSON.stringify(body)
      })
    )

  const get = (product: Product, operation: string, path: string) =>
    tokens[product].use((token) => http.call({ operation, method: "GET", path, headers: headersFor(product, token) }))

  const lookUp = (endpoint: Endpoint, reference: string): Effect.Effect<Enquiry> =>
    looked(
      // Of a question it does not matter whether it arrived.
      Effect.mapError(
        get(endpoint.product, "look up", lookUpPath(endpoint, reference)),
        ({ reason }) => new MaybeSent({ reason })
      ),
      statusAnswer(endpoint, reference)
    ).pipe(Effect.flatMap(warned))

  const send = (order: MtnOrder): Effect.Effect<Outcome> => {
    const { endpoint, reference } = order
    return Effect.matchEffect(post(order), {
      onFailure: (failed) =>
        failed._tag === "Declined"
          ? Effect.succeed(failed)
          : sent(Effect.fail(failed), orderAnswer(endpoint, reference)),
      onSuccess: (reply) =>
        isDuplicate(reply)
          ? Effect.map(lookUp(endpoint, reference), outcomeOfKnown(endpoint))
          : sent(Effect.succeed(reply), orderAnswer(endpoint, reference))
    })
  }

  const sendIfFit = (order: Either.Either<MtnOrder, Declined>): Effect.Effect<Outcome> =>
    Either.match(order, { onLeft: Effect.succeed, onRight: send })

  const balance = (product: Product): Effect.Effect<string, string> =>
    Effect.flatMap(
      Effect.mapError(get(product, "balance", balancePath(product)), ({ reason }) => `${product}: ${reason}`),
      (reply) =>
        Option.match(balanceAnswer(reply), {
          onNone: () => Effect.fail(`${product}: ${troubleIn(reply)}`),
          onSome: (money) => Effect.succeed(`${product} holds ${money}`)
        })
    )

  return {
    name: "mtn_momo",
    honoursReference: true,
    provesAbsence: absenceProvenAfter,
    supports: supportsIn(environment),
    initiate: (order) => sendIfFit(orderRequest(order)),
    enquire: (attempt) => lookUp(endpointOf(attempt), attempt.reference),
    refund: (order) => sendIfFit(refundRequest(order)),
    callback: (request) => Effect.sync(() => callbackEvents(request)),
    test: Effect.either(
      Effect.map(Effect.all([balance("collection"), balance("disbursement")]), (held) => held.join(", "))
    )
  }
}

export const mtnMomo = thirdParty({
  name: "mtn_momo",
  title: TITLE,
  baseUrls: { sandbox: "https://sandbox.momodeveloper.mtn.com", live: "https://proxy.momoapi.mtn.com" },
  modes: { hosts: { sandbox: /^sandbox\.momodeveloper\.mtn\.com$/, live: /^proxy\.momoapi\.mtn\.com$/ } },
  fields,
  serves,
  refunds: true,
  connect
})
