/** MTN MoMo: mobile money of MTN's own networks, asked of a payer's phone and paid to a recipient's. */
import { Duration, Effect, Either, Option, Redacted } from "effect"
import { Declined, type Enquiry, type Outcome } from "../../domain/Outcome.ts"
import { grantedIn, makeAccessTokens } from "../client/AccessTokens.ts"
import { get, postJson, type ProviderCall, withHeaders } from "../client/ProviderHttp.ts"
import {
  credentialsRefused,
  enquiryResult,
  preparedOrDeclined,
  outcomeOfOrder,
  makeStatusWarning
} from "../client/ProviderReplies.ts"
import { type Callback, type CallbackRequest, Hint, jsonOfBody } from "../port/Callback.ts"
import { type Account, type Connected, thirdParty } from "../port/ThirdParty.ts"
import { optionalText, objectReader } from "../client/WireValues.ts"
import {
  balanceAnswer,
  isExpectedStatus,
  orderAnswer,
  outcomeOfKnown,
  problemIn,
  statusAnswer
} from "./MtnMomoAnswers.ts"
import {
  balancePath,
  type Endpoint,
  endpointOf,
  lookUpPath,
  type MtnOrder,
  orderRequest,
  type Product,
  refundRequest,
  SANDBOX,
  serves,
  supportsIn,
  tokenPath
} from "./MtnMomoRequests.ts"
import { registerApiUser } from "./MtnMomoApiUser.ts"

const fields = {
  api_user: {
    env: "MTN_MOMO_API_USER",
    about: "The API user's id: of the partner portal, or for MTN's sandbox a UUID of version 4 that you choose.",
    identifies: true
  },
  api_key: {
    env: "MTN_MOMO_API_KEY",
    about: "The key that belongs to the API user. `corridor providers setup` makes it in MTN's sandbox.",
    madeInSandbox: true
  },
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

const userOf = ({ credentials }: Account<typeof fields>, product: Product): string | undefined => {
  const { api_key, api_user, disbursement_api_key, disbursement_api_user } = credentials
  const [user, key] =
    product === "disbursement" && disbursement_api_user !== undefined && disbursement_api_key !== undefined
      ? [disbursement_api_user, disbursement_api_key]
      : [api_user, api_key]
  return key === undefined
    ? undefined
    : Buffer.from(`${Redacted.value(user)}:${Redacted.value(key)}`).toString("base64")
}

const NO_KEY = new Declined({
  reason: 'the API user has no key yet: run "corridor providers setup mtn_momo"',
  code: "CREDENTIALS_REFUSED"
})

const warnIfUnexpected = makeStatusWarning("MTN MoMo", isExpectedStatus)

const idsIn = objectReader({ externalId: optionalText, referenceId: optionalText })

/** MTN does not sign callbacks, so they only trigger an enquiry. */
const callbackEvents = ({ body, headers }: CallbackRequest): Callback => {
  const ids = Option.getOrUndefined(Option.flatMap(jsonOfBody({ body }), idsIn))
  const reference = ids?.externalId ?? ids?.referenceId ?? headers["x-reference-id"]
  return {
    isUnsigned: true,
    events: reference === undefined ? [] : [new Hint({ attempt: { reference, providerPaymentId: null } })]
  }
}

const connect = (account: Account<typeof fields>): Connected => {
  const { callbackUrl, credentials, http, mode } = account
  const environment = Redacted.value(credentials.target_environment)
  const subscription = (product: Product) => ({
    "ocp-apim-subscription-key": Redacted.value(
      product === "collection" ? credentials.collection_key : credentials.disbursement_key
    )
  })

  const tokensOf = (product: Product) => {
    const user = userOf(account, product)
    if (user === undefined) return makeAccessTokens(Effect.fail(NO_KEY))
    return makeAccessTokens(
      preparedOrDeclined(
        http.call({
          operation: `${product} token`,
          method: "POST",
          path: tokenPath(product),
          headers: { ...subscription(product), authorization: `Basic ${user}` }
        }),
        (reply) =>
          reply.status === 401
            ? Either.left(credentialsRefused(reply))
            : Either.fromOption(
                grantedIn(reply),
                () => new Declined({ reason: `no token: ${problemIn(reply)}`, code: "PROVIDER_UNAVAILABLE" })
              )
      )
    )
  }
  const tokens = { collection: tokensOf("collection"), disbursement: tokensOf("disbursement") }

  const call = (product: Product, about: ProviderCall) =>
    tokens[product].use((token) =>
      http.call({
        ...about,
        headers: {
          ...subscription(product),
          authorization: `Bearer ${token}`,
          "x-target-environment": environment,
          ...about.headers
        }
      })
    )

  // In production MTN calls back over https alone, and refuses an order that names anything else.
  const calledBack = callbackUrl.startsWith("https://") || mode === "sandbox" ? { "x-callback-url": callbackUrl } : {}

  const post = ({ body, endpoint: { path, product }, reference }: MtnOrder) =>
    call(
      product,
      postJson(`create ${path.slice(path.lastIndexOf("/") + 1)}`, path, body, {
        ...calledBack,
        "x-reference-id": reference
      })
    )

  const lookUp = (endpoint: Endpoint, reference: string): Effect.Effect<Enquiry> =>
    Effect.flatMap(
      enquiryResult(
        call(endpoint.product, get("look up", lookUpPath(endpoint, reference))),
        statusAnswer(endpoint, reference)
      ),
      warnIfUnexpected
    )

  const send = (order: Either.Either<MtnOrder, Declined>): Effect.Effect<Outcome> =>
    Effect.merge(
      Effect.flatMap(order, ({ body, endpoint, reference }) =>
        outcomeOfOrder(post({ body, endpoint, reference }), (reply) =>
          reply.status === 409
            ? Effect.map(lookUp(endpoint, reference), outcomeOfKnown(endpoint))
            : orderAnswer(endpoint, reference)(reply)
        )
      )
    )

  const balance = (product: Product): Effect.Effect<string, string> =>
    Effect.flatMap(
      Effect.mapError(call(product, get("balance", balancePath(product))), ({ reason }) => `${product}: ${reason}`),
      (reply) =>
        Option.match(balanceAnswer(reply), {
          onNone: () => Effect.fail(`${product}: ${problemIn(reply)}`),
          onSome: (money) => Effect.succeed(`${product} ${money}`)
        })
    )

  return {
    honoursReference: true,
    provesAbsence: absenceProvenAfter,
    supports: supportsIn(environment),
    initiate: (order) => send(orderRequest(order)),
    enquire: (attempt) => lookUp(endpointOf(attempt), attempt.reference),
    refund: (order) => send(refundRequest(order)),
    callback: (request) => Effect.sync(() => callbackEvents(request)),
    ...(environment === SANDBOX.name
      ? {
          register: registerApiUser(
            withHeaders(http, subscription("collection")),
            Redacted.value(credentials.api_user),
            callbackUrl
          )
        }
      : {}),
    test: Effect.either(
      Effect.map(Effect.all([balance("collection"), balance("disbursement")]), (balances) => ({
        balances,
        rights: ["collection", "disbursement"]
      }))
    )
  }
}

export const mtnMomo = thirdParty({
  name: "mtn_momo",
  baseUrls: { sandbox: "https://sandbox.momodeveloper.mtn.com", live: "https://proxy.momoapi.mtn.com" },
  modes: { hosts: { sandbox: /^sandbox\.momodeveloper\.mtn\.com$/, live: /^proxy\.momoapi\.mtn\.com$/ } },
  fields,
  serves,
  refunds: true,
  setup: {
    keys: [
      "momodeveloper.mtn.com, Profile: subscription keys of the products Collection and Disbursement.",
      "Partner portal: an API user and its key. MTN's sandbox needs a UUID of version 4 alone."
    ],
    registers:
      "in MTN's sandbox the API user, with its callback host and key; in production the partner portal makes them",
    callbacks: {
      at: "Partner portal: the callback host of the API user is the host of PUBLIC_URL. Every order names the address",
      events: []
    }
  },
  connect
})
