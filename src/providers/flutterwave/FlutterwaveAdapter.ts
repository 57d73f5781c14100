/** Flutterwave, by version 3 of its API: cards on its page, bank transfers and mobile money, in many African countries. */
import { Clock, Effect, Either, Option, Redacted, Schema } from "effect"
import type { Movement } from "../../domain/Movement.ts"
import { Declined, type Enquiry, type Outcome } from "../../domain/Outcome.ts"
import {
  credentialsRefused,
  firstReport,
  looked,
  prepared,
  sent,
  triedBy,
  warnOfStatus
} from "../client/ProviderReplies.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import type { AttemptContext, PaymentOrder, Provider, RefundOrder } from "../port/Provider.ts"
import { type Account, servedBy, thirdParty } from "../port/ThirdParty.ts"
import {
  chargeAnswer,
  dataOf,
  isDuplicate,
  linkAnswer,
  messageIn,
  refundAnswer,
  transferAnswer
} from "./FlutterwaveAnswers.ts"
import { callbackEvents } from "./FlutterwaveCallbacks.ts"
import { serves, TITLE } from "./FlutterwaveCorridors.ts"
import { paidUnder, refundsAmong, reversalsOf, type Transaction, withOthers } from "./FlutterwaveMovements.ts"
import {
  chargeReport,
  isKnownStatus,
  type Page,
  refundableIn,
  refundReport,
  refundsIn,
  refundsReport,
  transactionIn,
  transferReport,
  transfersReport,
  type Wanted
} from "./FlutterwaveReports.ts"
import {
  chargebacksPath,
  type Family,
  familyOf,
  type FlutterwaveOrder,
  orderRequest,
  refundPath,
  refundRequest,
  refundsPath,
  transactionsPath,
  transferPath,
  transfersPath,
  verifyIdPath,
  verifyPath
} from "./FlutterwaveRequests.ts"
import { acceptedDuplicate } from "../client/DuplicateOrder.ts"

const fields = {
  secret_key: {
    env: "FLUTTERWAVE_SECRET_KEY",
    about: "The secret key, FLWSECK-… or FLWSECK_TEST-…, under Settings, API in the dashboard.",
    identifies: true,
    marks: { sandbox: /^FLWSECK_TEST-/, live: /^FLWSECK-/ }
  },
  webhook_secret: {
    env: "FLUTTERWAVE_WEBHOOK_SECRET",
    about: "The secret hash that you chose under Settings, Webhooks; without it no callback is taken.",
    optional: true
  },
  sender_phone: {
    env: "FLUTTERWAVE_SENDER_PHONE",
    about: "The number, such as +254712345678, that payouts to Kenya name as the sender's: Flutterwave asks for one.",
    optional: true,
    shown: true
  }
} as const

const answers: Readonly<Record<Family, (reply: ProviderReply) => Outcome>> = {
  charge: chargeAnswer,
  hosted: linkAnswer,
  transfer: transferAnswer,
  refund: refundAnswer
}

const operations: Readonly<Record<Family, string>> = {
  charge: "create charge",
  hosted: "create payment page",
  transfer: "create transfer",
  refund: "refund"
}

const balancesIn = dataOf(
  Schema.decodeUnknownOption(Schema.Struct({ data: Schema.Array(Schema.Struct({ currency: Schema.String })) }))
)

const warned = warnOfStatus(TITLE, isKnownStatus)

const connect = ({ callbackUrl, credentials, http, mode }: Account<typeof fields>): Provider => {
  const authorization = `Bearer ${Redacted.value(credentials.secret_key)}`
  const reachable = callbackUrl.startsWith("https://") || mode === "sandbox" ? callbackUrl : null

  const get = (operation: string, path: string) =>
    http.call({ operation, method: "GET", path, headers: { authorization } })

  const post = ({ body, family, path }: FlutterwaveOrder) =>
    http.call({
      operation: operations[family],
      method: "POST",
      path,
      headers: { authorization, "content-type": "application/json" },
      body
    })

  const findTransfer = (reference: string) =>
    looked(get("find transfer", transfersPath(reference)), transfersReport(reference))

  const findCharge = ({ money, reference }: Pick<PaymentOrder, "money" | "reference">, page: Page | null) =>
    looked(get("look up charge", verifyPath(reference)), chargeReport(reference, page, { money, foundBy: "reference" }))

  /** Looks up by id where it is known: payers can create other transactions under one reference. */
  const askedOfCharge = (attempt: AttemptContext, page: Page | null): Effect.Effect<Enquiry> => {
    const { hintedIds, money, providerPaymentId: id, reference } = attempt
    const chargeAt = (one: string, wanted?: Wanted) =>
      looked(get("look up charge", verifyIdPath(one)), chargeReport(reference, page, wanted))
    if (id !== null) return chargeAt(id)
    return Effect.flatMap(findCharge(attempt, page), (found) =>
      found._tag === "Report"
        ? Effect.succeed(found)
        : firstReport(hintedIds, (one) => chargeAt(one, { money, foundBy: "hint" }), Effect.succeed(found))
    )
  }

  const listed = <A>(operation: string, path: string, read: (reply: ProviderReply) => ReadonlyArray<A>) =>
    Effect.orElseSucceed(Effect.map(get(operation, path), read), (): ReadonlyArray<A> => [])

  const paidAt = (id: string, reference: string) =>
    listed("look up charge", verifyIdPath(id), (reply) =>
      Option.toArray(transactionIn(reply)).flatMap(({ data }) => (data.tx_ref === reference ? [data] : []))
    )

  /** Refunds and chargebacks, each from a list of its own. */
  const takenOf = Effect.fnUntraced(function* (paid: ReadonlyArray<Transaction>, sentAt: Date, now: Date) {
    if (paid.length === 0) return []
    const refunds = yield* listed("list refunds", refundsPath(sentAt, now), (reply) =>
      refundsAmong(Option.getOrUndefined(refundsIn(reply))?.data ?? [], paid)
    )
    const reversals = yield* Effect.forEach(paid, (one) =>
      one.flw_ref === undefined
        ? Effect.succeed<ReadonlyArray<Movement>>([])
        : listed("list chargebacks", chargebacksPath(one.flw_ref), reversalsOf(one))
    )
    return [...refunds, ...reversals.flat()]
  })

  /**
   * Adds other movements under the reference. For a pending payment these are the transactions that hints named.
   * For a final payment every list is asked.
   */
  const withAll = Effect.fnUntraced(function* (attempt: AttemptContext, found: Enquiry) {
    const { hintedIds, isWanted, reference, sentAt } = attempt
    if (found._tag !== "Report") return found
    if (isWanted) {
      const others = hintedIds.filter((id) => id !== found.providerData?.["transaction_id"])
      const paid = yield* Effect.forEach(others, (id) => paidAt(id, reference))
      return withOthers(found, paid.flat(), [])
    }
    const now = new Date(yield* Clock.currentTimeMillis)
    const paid = yield* listed("list charges", transactionsPath(reference, sentAt, now), paidUnder(reference))
    return withOthers(found, paid, yield* takenOf(paid, sentAt, now))
  })

  const askedOfTransfer = ({ hintedIds, providerPaymentId: id, reference }: AttemptContext): Effect.Effect<Enquiry> => {
    const transferAt = (one: string) => looked(get("look up transfer", transferPath(one)), transferReport(reference))
    return id === null ? firstReport(hintedIds, transferAt, findTransfer(reference)) : transferAt(id)
  }

  const asked = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    const { providerPaymentId: id, sentAt } = attempt
    switch (familyOf(attempt)) {
      case "charge":
        return Effect.flatMap(askedOfCharge(attempt, null), (found) => withAll(attempt, found))
      case "hosted":
        return Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.flatMap(askedOfCharge(attempt, { sentAt, now }), (found) => withAll(attempt, found))
        )
      case "transfer":
        return askedOfTransfer(attempt)
      case "refund":
        return id === null
          ? looked(get("find refund", refundsPath(sentAt)), refundsReport(attempt))
          : looked(get("look up refund", refundPath(id)), refundReport(id, attempt))
    }
  }

  const enquire = (attempt: AttemptContext): Effect.Effect<Enquiry> => Effect.flatMap(asked(attempt), warned)

  /** A reference that it says it has is looked up, as one whose answer was lost. */
  const send = (order: FlutterwaveOrder, asked: PaymentOrder): Effect.Effect<Outcome> =>
    Effect.matchEffect(post(order), {
      onFailure: (failed) => sent(Effect.fail(failed), answers[order.family]),
      onSuccess: (reply) => {
        if (!isDuplicate(reply)) return sent(Effect.succeed(reply), answers[order.family])
        const found = order.family === "transfer" ? findTransfer(asked.reference) : findCharge(asked, null)
        return Effect.map(found, acceptedDuplicate)
      }
    })

  /** Only its own id of a transaction leads to a refund. One that was lost is found by our reference. */
  const refund = (order: RefundOrder): Effect.Effect<Outcome> => {
    const { providerPaymentId, reference } = order.attempt
    const known = order.collectionId ?? providerPaymentId
    const path = known === null ? verifyPath(reference) : verifyIdPath(known)
    const found = prepared(get("look up charge", path), (reply) => {
      if (reply.status === 401 || reply.status === 403) return Either.left(credentialsRefused(reply))
      return Either.fromOption(
        refundableIn(order)(reply),
        () => new Declined({ reason: "it finds no payment there that could be given back", code: "INVALID_ORDER" })
      )
    })
    return Effect.matchEffect(found, {
      onFailure: Effect.succeed,
      onSuccess: (id) => sent(post(refundRequest(id, order)), refundAnswer)
    })
  }

  const ordering = {
    callbackUrl: reachable,
    senderPhone: credentials.sender_phone === undefined ? undefined : Redacted.value(credentials.sender_phone)
  }

  return {
    name: "flutterwave",
    // Nothing shows that it refuses a second charge of one reference.
    honoursReference: false,
    provesAbsence: false,
    supports: servedBy(TITLE, serves),
    initiate: (order) =>
      Either.match(orderRequest(order, ordering), {
        onLeft: Effect.succeed,
        onRight: (request) => send(request, order)
      }),
    enquire,
    resume: enquire,
    refund,
    callback: (request) => Effect.suspend(() => callbackEvents(request, credentials.webhook_secret)),
    test: triedBy(get("balances", "/v3/balances"), (reply) =>
      Option.match(balancesIn(reply), {
        onNone: () => Either.left(messageIn(reply) ?? `HTTP ${reply.status}`),
        onSome: ({ data }) => Either.right(`it holds ${data.map(({ currency }) => currency).join(", ")}`)
      })
    )
  }
}

export const flutterwave = thirdParty({
  name: "flutterwave",
  title: TITLE,
  baseUrls: { sandbox: "https://api.flutterwave.com", live: "https://api.flutterwave.com" },
  modes: {},
  fields,
  serves,
  refunds: true,
  connect
})
