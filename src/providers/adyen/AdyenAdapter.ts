/** Adyen: cards in, on its own page or by their number, and payouts to bank accounts from a balance account. */
import { Duration, Effect, Either, Option, Redacted } from "effect"
import { type Declined, type Enquiry, type Outcome, Unknown } from "../../domain/Outcome.ts"
import { invalidOrder, looked, notSupported, sent, triedBy, warnOfStatus } from "../client/ProviderReplies.ts"
import type { CallFailed } from "../client/ProviderHttp.ts"
import { type Callback, type CallbackRequest, jsonOfBody, type NoProof } from "../port/Callback.ts"
import {
  type AttemptContext,
  attemptKind,
  type CancelAnswer,
  type PaymentOrder,
  type Provider,
  type RefundOrder
} from "../port/Provider.ts"
import { type Account, type Served, servedBy, thirdParty } from "../port/ThirdParty.ts"
import { servedAccounts, cardCurrencies } from "./AdyenCorridors.ts"
import {
  aboutDetails,
  aboutLink,
  cancelAnswer,
  cancelOfLink,
  closingAnswer,
  knownStatuses,
  toLink,
  toPayment,
  toRefund
} from "./AdyenAnswers.ts"
import { isOfPayments, paymentEvents, transferEvents } from "./AdyenCallbacks.ts"
import {
  type Body,
  cancelBody,
  cancelNamedBody,
  closeLinkBody,
  detailsBody,
  detailsKey,
  isLinkId,
  jsonText,
  linkBody,
  linkPath,
  linkReference,
  paymentBody,
  refundBody,
  transferBody,
  transfersNamed
} from "./AdyenRequests.ts"
import { aboutTransfer, aboutTransfers, knownTransferStatuses, toTransfer } from "./AdyenTransfers.ts"

const title = "Adyen"

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
  }
} as const

const cards: Served = { method: "card", flow: "inbound", countries: "everywhere", currencies: cardCurrencies }

const serves: ReadonlyArray<Served> = [cards, ...servedAccounts]

const transferUrls = {
  sandbox: "https://balanceplatform-api-test.adyen.com/btl/v4",
  live: "https://balanceplatform-api-live.adyen.com/btl/v4"
}

/** Adyen keeps keys for a week at least; a day is left for clocks and queues. */
const remembersKeys = Duration.days(6)

const NO_PAYOUTS = `Adyen pays out only from a balance account, and ${fields.balance_account.env} is not set.`

const NO_LOOK_UP = new Unknown({ reason: "Adyen reports this by callbacks only" })

const warned = warnOfStatus(title, (status) => knownStatuses.has(status) || knownTransferStatuses.has(status))

/** What is no address at all is nowhere to be sent to, which the client finds out. */
const splitUrl = (url: string): { readonly origin: string; readonly path: string } => {
  const [, origin = url, path = ""] = /^(https?:\/\/[^/]+)(\/.*?)?\/*$/.exec(url) ?? []
  return { origin, path }
}

const connect = (account: Account<typeof fields>): Provider => {
  const { credentials, http, mode, rawCards } = account
  const shownText = (value: Redacted.Redacted | undefined) => (value === undefined ? undefined : Redacted.value(value))
  const merchantAccount = Redacted.value(credentials.merchant_account)
  const balanceAccount = shownText(credentials.balance_account)
  const transfersUrl = splitUrl(shownText(credentials.transfers_base_url) ?? transferUrls[mode])
  const transfersKey = credentials.transfers_api_key ?? credentials.api_key

  const headersOf = (key: Redacted.Redacted, idempotencyKey?: string) => ({
    "x-api-key": Redacted.value(key),
    ...(idempotencyKey === undefined ? {} : { "content-type": "application/json", "idempotency-key": idempotencyKey })
  })

  const post = (operation: string, path: string, body: Body, key: string) =>
    http.call({ operation, method: "POST", path, headers: headersOf(credentials.api_key, key), body: jsonText(body) })

  /** Without a key: a second wish, after the first came too early, has to be looked at anew, and none moves anything twice. */
  const postCancel = (operation: string, path: string, body: Body) => {
    const headers = { ...headersOf(credentials.api_key), "content-type": "application/json" }
    return Effect.map(http.call({ operation, method: "POST", path, headers, body: jsonText(body) }), cancelAnswer)
  }

  const atTransfers = (path: string) => ({ origin: transfersUrl.origin, path: `${transfersUrl.path}${path}` })

  const getTransfer = (operation: string, path: string) =>
    http.call({ operation, method: "GET", ...atTransfers(path), headers: headersOf(transfersKey) })

  const payOut = (order: PaymentOrder): Effect.Effect<Outcome, Declined> =>
    Effect.gen(function* () {
      if (balanceAccount === undefined) return yield* Effect.fail(notSupported(NO_PAYOUTS))
      const body = yield* transferBody(order, balanceAccount)
      const call = http.call({
        operation: "create transfer",
        method: "POST",
        ...atTransfers("/transfers"),
        headers: headersOf(transfersKey, order.reference),
        body: jsonText(body)
      })
      return yield* sent(call, toTransfer)
    })

  const takeCard = (order: PaymentOrder): Effect.Effect<Outcome, Declined> =>
    Effect.gen(function* () {
      if (!rawCards || order.card === null) {
        const link = yield* linkBody(order, merchantAccount)
        return yield* sent(post("create payment link", "/paymentLinks", link, order.reference), toLink)
      }
      const body = yield* paymentBody(order, order.card, merchantAccount)
      return yield* sent(post("create payment", "/payments", body, order.reference), toPayment)
    })

  const initiate = (order: PaymentOrder): Effect.Effect<Outcome> => {
    const outcome =
      order.flow === "inbound" && order.method === "card"
        ? takeCard(order)
        : order.flow === "outbound" && order.method === "bank_transfer"
          ? payOut(order)
          : Effect.fail(notSupported(`Adyen does not serve ${order.method}, ${order.flow}`))
    return Effect.flatMap(Effect.merge(outcome), warned)
  }

  const enquireTransfer = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    if (attempt.providerPaymentId !== null) {
      const path = `/transfers/${encodeURIComponent(attempt.providerPaymentId)}`
      return looked(getTransfer("get transfer", path), aboutTransfer)
    }
    if (balanceAccount === undefined) return Effect.succeed(new Unknown({ reason: NO_PAYOUTS }))
    const path = transfersNamed(attempt, balanceAccount, shownText(credentials.balance_platform))
    return looked(getTransfer("find transfer", path), aboutTransfers(attempt.reference))
  }

  const getLink = (id: string) =>
    http.call({
      operation: "get payment link",
      method: "GET",
      path: linkPath(id),
      headers: headersOf(credentials.api_key)
    })

  const enquire = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    const id = attempt.providerPaymentId
    const kind = attemptKind(attempt)
    const said =
      kind === "payout"
        ? enquireTransfer(attempt)
        : kind === "payin" && id !== null && isLinkId(id)
          ? looked(getLink(id), aboutLink)
          : Effect.succeed(NO_LOOK_UP)
    return Effect.flatMap(said, warned)
  }

  const resume: NonNullable<Provider["resume"]> = (attempt, { redirectResult }) => {
    const isOfLink = attempt.providerPaymentId !== null && isLinkId(attempt.providerPaymentId)
    if (redirectResult === undefined || isOfLink) return enquire(attempt)
    const key = detailsKey(attempt, redirectResult)
    const call = post("finish payment", "/payments/details", detailsBody(redirectResult), key)
    return Effect.flatMap(looked(call, aboutDetails(attempt)), warned)
  }

  const refund = (order: RefundOrder): Effect.Effect<Outcome> =>
    Effect.merge(
      Effect.gen(function* () {
        const paid = order.collectionId ?? order.attempt.providerPaymentId
        if (paid === null || isLinkId(paid)) {
          const reason = "Adyen's own id of the payment is not known yet; its callback brings it"
          return yield* Effect.fail(invalidOrder(reason))
        }
        const body = yield* refundBody(order, merchantAccount)
        const path = `/payments/${encodeURIComponent(paid)}/refunds`
        return yield* sent(post("create refund", path, body, order.reference), toRefund)
      })
    )

  const cancelNamed = (reference: string) =>
    postCancel("cancel by reference", "/cancels", cancelNamedBody(reference, merchantAccount))

  const closeLink = (id: string) =>
    http.call({
      operation: "close payment link",
      method: "PATCH",
      path: linkPath(id),
      headers: { ...headersOf(credentials.api_key), "content-type": "application/json" },
      body: jsonText(closeLinkBody)
    })

  /** An open link is closed for good. By one that is being paid a payment is under way, which is cancelled instead. */
  const cancelLink = (id: string, reference: string): Effect.Effect<CancelAnswer, CallFailed> =>
    Effect.gen(function* () {
      const link = aboutLink(yield* getLink(id))
      if (link._tag !== "Report") return "unknown"
      if (link.state === "pending") return closingAnswer(yield* closeLink(id))
      const answer = cancelOfLink(link)
      return answer === "under way" ? yield* cancelNamed(linkReference(reference)) : answer
    })

  const cancel: NonNullable<Provider["cancel"]> = ({ flow, leg, providerPaymentId: id, reference }) => {
    if (flow !== "inbound" || leg !== "payment") return Effect.succeed("refused")
    const answer =
      id === null
        ? cancelNamed(reference)
        : isLinkId(id)
          ? cancelLink(id, reference)
          : postCancel("cancel payment", `/payments/${encodeURIComponent(id)}/cancels`, cancelBody(merchantAccount))
    return Effect.catchAll(answer, ({ reason }) =>
      Effect.as(Effect.logWarning(`Adyen did not answer a cancellation: ${reason}`), "unknown" as const)
    )
  }

  const callback = ({ body, headers }: CallbackRequest): Effect.Effect<Callback, NoProof> =>
    Effect.gen(function* () {
      const json = Option.getOrUndefined(jsonOfBody({ body }))
      if (!isOfPayments(json)) {
        const secret = shownText(credentials.transfer_webhook_secret)
        const { env } = fields.transfer_webhook_secret
        const events = yield* transferEvents(body, json, headers["hmacsignature"], secret, env)
        for (const event of events) if (event._tag === "Statement") yield* warned(event.report)
        return { events }
      }
      const secret = shownText(credentials.webhook_secret)
      const events = yield* paymentEvents(json, secret, fields.webhook_secret.env, merchantAccount)
      return { events, reply: { status: 200, contentType: "text/plain", body: "[accepted]" } }
    })

  /** Of a link that there is not: only whether the key is taken counts. */
  const test: NonNullable<Provider["test"]> = triedBy(getLink("PLNONE"), ({ status }) =>
    status === 401 || status === 403 || status >= 500
      ? Either.left(`HTTP ${status}: it did not take the key.`)
      : Either.right("It took the key.")
  )

  const supports: Provider["supports"] = (question) =>
    balanceAccount === undefined && question.flow === "outbound" && question.method === "bank_transfer"
      ? Either.left(NO_PAYOUTS)
      : servedBy(title, serves)(question)

  return {
    name: "adyen",
    honoursReference: remembersKeys,
    provesAbsence: false,
    // The payment that its customer makes has a number of its own.
    givesUpId: isLinkId,
    supports,
    initiate,
    enquire,
    callback,
    cancel,
    refund,
    resume,
    test
  }
}

export const adyen = thirdParty({
  name: "adyen",
  title,
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
  connect
})
