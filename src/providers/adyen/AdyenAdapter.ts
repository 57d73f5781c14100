/** Adyen: cards in, on its own page or by their number, and payouts to bank accounts from a balance account. */
import { Duration, Effect, Either, Option, Redacted } from "effect"
import { type Declined, type Enquiry, type Outcome, Unknown } from "../../domain/Outcome.ts"
import { type CallFailed, get, postJson, type ProviderCall, withHeaders } from "../client/ProviderHttp.ts"
import {
  invalidOrder,
  enquiryResult,
  notSupported,
  outcomeOfOrder,
  makeStatusWarning
} from "../client/ProviderReplies.ts"
import { type Callback, type CallbackRequest, jsonOfBody, type NoProof } from "../port/Callback.ts"
import {
  type AttemptContext,
  attemptKind,
  type CancelAnswer,
  type PaymentOrder,
  type Provider,
  type RefundOrder
} from "../port/Provider.ts"
import { type Account, type Connected, credentialText, servedBy, thirdParty } from "../port/ThirdParty.ts"
import * as answers from "./AdyenAnswers.ts"
import { isOfPayments, paymentEvents, transferEvents } from "./AdyenCallbacks.ts"
import { adyenDigits, serves } from "./AdyenCorridors.ts"
import { adyenFacts, adyenRegistration, managementUrls, webhookEvents } from "./AdyenManagement.ts"
import * as requests from "./AdyenRequests.ts"
import { aboutTransfer, aboutTransfers, isExpectedTransferStatus, toTransfer } from "./AdyenAnswers.ts"

const { aboutLink } = answers
const { isLinkId, jsonText, linkPath } = requests

const fields = {
  api_key: {
    env: "ADYEN_API_KEY",
    about: "the API key of a credential with the Checkout roles, from Developers, API credentials in the Customer Area"
  },
  merchant_account: {
    env: "ADYEN_MERCHANT_ACCOUNT",
    about: "the merchant account that takes the payments",
    shown: true,
    identifies: true
  },
  webhook_secret: {
    env: "ADYEN_WEBHOOK_SECRET",
    about: "the HMAC key (hexadecimal) of the standard webhook, from Developers, Webhooks",
    optional: true
  },
  balance_account: {
    env: "ADYEN_BALANCE_ACCOUNT",
    about: "the balance account (BA…) that payouts are made from; without it there are none",
    optional: true,
    shown: true,
    identifies: true
  },
  balance_platform: {
    env: "ADYEN_BALANCE_PLATFORM",
    about: "the balance platform that the balance account belongs to",
    optional: true,
    shown: true
  },
  transfers_base_url: {
    env: "ADYEN_TRANSFERS_BASE_URL",
    about: "where transfers are sent, instead of Adyen's usual address",
    optional: true,
    shown: true,
    isAddress: true,
    marks: { sandbox: /-test\.adyen\.com\b/, live: /-live(-[a-z]+)?\.adyen(payments)?\.com\b/ }
  },
  transfers_api_key: {
    env: "ADYEN_TRANSFERS_API_KEY",
    about: "the API key of the balance platform, where it has one of its own",
    optional: true
  },
  transfer_webhook_secret: {
    env: "ADYEN_TRANSFER_WEBHOOK_SECRET",
    about: "the HMAC key (hexadecimal) of the transfer webhooks of the balance platform",
    optional: true
  },
  management_api_key: {
    env: "ADYEN_MANAGEMENT_API_KEY",
    about:
      "the API key of a credential with Management API roles, where the first has none; only setup and test use it",
    optional: true
  },
  management_base_url: {
    env: "ADYEN_MANAGEMENT_BASE_URL",
    about: "where the Management API is, instead of Adyen's usual address",
    optional: true,
    shown: true,
    isAddress: true,
    marks: { sandbox: /-test\.adyen\.com\b/, live: /-live(-[a-z]+)?\.adyen(payments)?\.com\b/ }
  }
} as const

const transferUrls = {
  sandbox: "https://balanceplatform-api-test.adyen.com/btl/v4",
  live: "https://balanceplatform-api-live.adyen.com/btl/v4"
}

/** Adyen keeps keys for a week at least; a day is left for clocks and queues. */
const remembersKeys = Duration.days(6)

const NO_PAYOUTS = `Adyen pays out only from a balance account, and ${fields.balance_account.env} is not set.`

const NO_LOOK_UP = new Unknown({ reason: "Adyen reports this by callbacks only" })

const warnIfUnexpected = makeStatusWarning(
  "Adyen",
  (status) => answers.isExpectedPaymentStatus(status) || isExpectedTransferStatus(status)
)

/** Origin and path of an address. Text that is no address has neither; the client fails on it. */
const splitUrl = (url: string): { readonly origin: string; readonly path: string } => {
  const [, origin = url, path = ""] = /^(https?:\/\/[^/]+)(\/.*?)?\/*$/.exec(url) ?? []
  return { origin, path }
}

const post = (operation: string, path: string, body: requests.Body, key: string): ProviderCall =>
  postJson(operation, path, jsonText(body), { "idempotency-key": key })

const connect = ({ callbackUrl, credentials, http, mode, rawCards }: Account<typeof fields>): Connected => {
  const merchantAccount = Redacted.value(credentials.merchant_account)
  const balanceAccount = credentialText(credentials.balance_account)
  const transfersUrl = splitUrl(credentialText(credentials.transfers_base_url) ?? transferUrls[mode])

  const callWith = (key: Redacted.Redacted) => withHeaders(http, { "x-api-key": Redacted.value(key) })
  const call = callWith(credentials.api_key)
  const callAt = (key: Redacted.Redacted, { origin, path }: ReturnType<typeof splitUrl>) => {
    const keyed = callWith(key)
    return (about: ProviderCall) => keyed({ ...about, origin, path: `${path}${about.path}` })
  }
  const transfersKey = credentials.transfers_api_key ?? credentials.api_key
  const callTransfers = callAt(transfersKey, transfersUrl)
  const callManagement = callAt(
    credentials.management_api_key ?? credentials.api_key,
    splitUrl(credentialText(credentials.management_base_url) ?? managementUrls[mode])
  )

  /** Without a key: a second wish, after the first came too early, has to be looked at anew, and none moves anything twice. */
  const postCancel = (operation: string, path: string, body: requests.Body) =>
    Effect.map(call(postJson(operation, path, jsonText(body))), answers.cancelAnswer)

  const payOut = (order: PaymentOrder): Effect.Effect<Outcome, Declined> =>
    Effect.gen(function* () {
      if (balanceAccount === undefined) return yield* Effect.fail(notSupported(NO_PAYOUTS))
      const body = yield* requests.transferBody(order, balanceAccount)
      return yield* outcomeOfOrder(
        callTransfers(post("create transfer", "/transfers", body, order.reference)),
        toTransfer
      )
    })

  const takeCard = (order: PaymentOrder): Effect.Effect<Outcome, Declined> =>
    Effect.gen(function* () {
      if (!rawCards || order.card === null) {
        const link = yield* requests.linkBody(order, merchantAccount)
        return yield* outcomeOfOrder(
          call(post("create payment link", "/paymentLinks", link, order.reference)),
          answers.toLink
        )
      }
      const body = yield* requests.paymentBody(order, order.card, merchantAccount)
      return yield* outcomeOfOrder(call(post("create payment", "/payments", body, order.reference)), answers.toPayment)
    })

  const initiate = (order: PaymentOrder): Effect.Effect<Outcome> => {
    const outcome =
      order.flow === "inbound" && order.method === "card"
        ? takeCard(order)
        : order.flow === "outbound" && order.method === "bank_transfer"
          ? payOut(order)
          : Effect.fail(notSupported(`Adyen does not serve ${order.method}, ${order.flow}`))
    return Effect.flatMap(Effect.merge(outcome), warnIfUnexpected)
  }

  const enquireTransfer = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    const id = attempt.providerPaymentId
    if (id !== null) {
      return enquiryResult(callTransfers(get("get transfer", `/transfers/${encodeURIComponent(id)}`)), aboutTransfer)
    }
    if (balanceAccount === undefined) return Effect.succeed(new Unknown({ reason: NO_PAYOUTS }))
    const path = requests.transfersNamed(attempt, balanceAccount, credentialText(credentials.balance_platform))
    return enquiryResult(callTransfers(get("find transfer", path)), aboutTransfers(attempt.reference))
  }

  const getLink = (id: string) => call(get("get payment link", linkPath(id)))

  const enquire = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    const id = attempt.providerPaymentId
    const kind = attemptKind(attempt)
    const said =
      kind === "payout"
        ? enquireTransfer(attempt)
        : kind === "payin" && id !== null && isLinkId(id)
          ? enquiryResult(getLink(id), aboutLink)
          : Effect.succeed(NO_LOOK_UP)
    return Effect.flatMap(said, warnIfUnexpected)
  }

  const resume: NonNullable<Provider["resume"]> = (attempt, { redirectResult }) => {
    const isOfLink = attempt.providerPaymentId !== null && isLinkId(attempt.providerPaymentId)
    if (redirectResult === undefined || isOfLink) return enquire(attempt)
    const key = requests.detailsKey(attempt, redirectResult)
    const request = post("finish payment", "/payments/details", { details: { redirectResult } }, key)
    return Effect.flatMap(enquiryResult(call(request), answers.aboutDetails(attempt)), warnIfUnexpected)
  }

  const refund = (order: RefundOrder): Effect.Effect<Outcome> =>
    Effect.merge(
      Effect.gen(function* () {
        const paid = order.collectionId ?? order.attempt.providerPaymentId
        if (paid === null || isLinkId(paid)) {
          const reason = "Adyen's own id of the payment is not known yet; its callback brings it"
          return yield* Effect.fail(invalidOrder(reason))
        }
        const body = yield* requests.refundBody(order, merchantAccount)
        const path = `/payments/${encodeURIComponent(paid)}/refunds`
        return yield* outcomeOfOrder(call(post("create refund", path, body, order.reference)), answers.toRefund)
      })
    )

  /** Of a payment whose number only its callback brings. */
  const cancelNamed = (paymentReference: string) =>
    postCancel("cancel by reference", "/cancels", { merchantAccount, paymentReference })

  const closeLink = (id: string) =>
    call({ ...postJson("close payment link", linkPath(id), { status: "expired" }), method: "PATCH" })

  /** An open link is closed for good. By one that is being paid a payment is under way, which is cancelled instead. */
  const cancelLink = (id: string, reference: string): Effect.Effect<CancelAnswer, CallFailed> =>
    Effect.gen(function* () {
      const link = aboutLink(yield* getLink(id))
      if (link._tag !== "Report") return "unknown"
      if (link.state === "pending") return answers.closingAnswer(yield* closeLink(id))
      const answer = answers.cancelOfLink(link)
      return answer === "under way" ? yield* cancelNamed(requests.linkReference(reference)) : answer
    })

  const cancel: NonNullable<Provider["cancel"]> = ({ flow, leg, providerPaymentId: id, reference }) => {
    if (flow !== "inbound" || leg !== "payment") return Effect.succeed("refused")
    const answer =
      id === null
        ? cancelNamed(reference)
        : isLinkId(id)
          ? cancelLink(id, reference)
          : postCancel("cancel payment", `/payments/${encodeURIComponent(id)}/cancels`, { merchantAccount })
    return Effect.catchAll(answer, ({ reason }) =>
      Effect.as(Effect.logWarning(`Adyen did not answer a cancellation: ${reason}`), "unknown" as const)
    )
  }

  const callback = ({ body, headers }: CallbackRequest): Effect.Effect<Callback, NoProof> =>
    Effect.gen(function* () {
      const json = Option.getOrUndefined(jsonOfBody({ body }))
      if (!isOfPayments(json)) {
        const secret = credentialText(credentials.transfer_webhook_secret)
        const { env } = fields.transfer_webhook_secret
        const events = yield* transferEvents(body, json, headers["hmacsignature"], secret, env)
        for (const event of events) if (event._tag === "VerifiedReport") yield* warnIfUnexpected(event.report)
        return { events }
      }
      const secret = credentialText(credentials.webhook_secret)
      const events = yield* paymentEvents(json, secret, fields.webhook_secret.env, merchantAccount)
      return { events, reply: { status: 200, contentType: "text/plain", body: "[accepted]" } }
    })

  const balanceCall = Option.map(Option.fromNullable(balanceAccount), (id) =>
    callAt(transfersKey, { ...transfersUrl, path: transfersUrl.path.replace(/\/btl\/v\d+$/, "/bcl/v2") })(
      get("read balance account", `/balanceAccounts/${encodeURIComponent(id)}`)
    )
  )

  /** Of a link that there is not: only whether the key is taken counts. */
  const test: NonNullable<Provider["test"]> = Effect.either(
    Effect.gen(function* () {
      const { status } = yield* Effect.mapError(getLink("PLNONE"), ({ reason }) => reason)
      if (status === 401 || status === 403 || status >= 500) {
        return yield* Effect.fail(`HTTP ${status}: it did not take the key.`)
      }
      return yield* adyenFacts(callManagement, Option.getOrUndefined(balanceCall))
    })
  )

  const supports: Provider["supports"] = (question) =>
    balanceAccount === undefined && question.flow === "outbound" && question.method === "bank_transfer"
      ? Either.left(NO_PAYOUTS)
      : servedBy("Adyen", serves)(question)

  return {
    honoursReference: remembersKeys,
    provesAbsence: false,
    digits: ({ currency }) => adyenDigits(currency),
    takesCardNumbers: rawCards,
    // The payment that its customer makes has a number of its own.
    givesUpId: isLinkId,
    supports,
    initiate,
    enquire,
    callback,
    cancel,
    refund,
    resume,
    register: adyenRegistration(callManagement, merchantAccount, callbackUrl),
    test
  }
}

export const adyen = thirdParty({
  name: "adyen",
  // The live address has a prefix of each company's own, which ADYEN_BASE_URL brings.
  baseUrls: {
    sandbox: "https://checkout-test.adyen.com/v71",
    live: "https://checkout-live.adyenpayments.com/checkout/v71"
  },
  modes: {
    hosts: { sandbox: /-test\.adyen\.com$/, live: /-live(-[a-z]+)?\.adyen(payments)?\.com$/ },
    said: {
      live: { sandbox: /^false$/, live: /^true$/ },
      environment: { sandbox: /^test$/, live: /^live$/ }
    }
  },
  fields,
  serves,
  refunds: true,
  setup: {
    keys: [
      "Developers, API credentials: a Web service credential with the roles Checkout webservice role and Merchant PAL Webservice role.",
      "To register and test by command: the role Management API - Webhooks read and write, of this credential or of one of its own (ADYEN_MANAGEMENT_API_KEY).",
      "For payouts: an API key of the balance platform with the role Bank Transfers. The test shows its balance if it may use the Configuration API."
    ],
    registers: "the standard webhook of the merchant account, with its events and HMAC key",
    callbacks: {
      at: "Developers, Webhooks: a Standard webhook with an HMAC key. For payouts also a Transfer webhook of the balance platform, which Adyen has no call for",
      events: webhookEvents,
      secret: "webhook_secret",
      alsoSecret: { field: "transfer_webhook_secret", neededWith: "balance_account" }
    }
  },
  connect
})
