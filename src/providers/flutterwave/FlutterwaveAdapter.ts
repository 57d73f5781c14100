/** Flutterwave, by version 3 of its API: cards on its page, bank transfers and mobile money, in many African countries. */
import { Clock, Effect, Either, Redacted, Schema, Option } from "effect"
import type { Movement } from "../../domain/Movement.ts"
import { Declined, type Enquiry, type Outcome, Unknown } from "../../domain/Outcome.ts"
import {
  acceptedDuplicate,
  credentialsRefused,
  firstReport,
  enquiryResult,
  unknownOutcome,
  preparedOrDeclined,
  outcomeOfOrder,
  makeStatusWarning
} from "../client/ProviderReplies.ts"
import { triedBy } from "../port/AccountTest.ts"
import { get, postJson, type ProviderReply, withHeaders } from "../client/ProviderHttp.ts"
import type { AttemptContext, PaymentOrder, RefundOrder } from "../port/Provider.ts"
import { type Account, type Connected, credentialText, thirdParty } from "../port/ThirdParty.ts"
import { accountNumbers, isOfAccount, numberedCurrencies } from "./FlutterwaveAccounts.ts"
import * as answers from "./FlutterwaveAnswers.ts"
import { serves } from "./FlutterwaveCorridors.ts"
import {
  paidUnder,
  type Refund,
  refundsAmong,
  reversalsOf,
  type Transaction,
  withOthers
} from "./FlutterwaveMovements.ts"
import * as reports from "./FlutterwaveReports.ts"
import * as requests from "./FlutterwaveRequests.ts"
import {
  type Callback,
  type CallbackRequest,
  Hint,
  isSame,
  jsonOfBody,
  NoProof,
  secretNotSet
} from "../port/Callback.ts"
import { optional, optionalText } from "../client/WireValues.ts"

/** Flutterwave sends one secret with every callback and signs no body, so a callback only triggers an enquiry. */
const Named = optional(
  Schema.Struct({ id: optionalText, tx_ref: optionalText, txRef: optionalText, reference: optionalText })
)

/** Answer in both formats: flat, or for older accounts with the transfer by itself. */
const Names = Schema.Struct({ data: Named, transfer: Named, id: optionalText, txRef: optionalText })

const namesIn = Schema.decodeUnknownOption(Names)

const namedIn = (body: Buffer) => {
  const said = Option.flatMap(jsonOfBody({ body }), namesIn)
  const { data, id, transfer, txRef } = Option.getOrElse(said, (): typeof Names.Type => ({}))
  const reference = data?.tx_ref ?? data?.txRef ?? data?.reference ?? transfer?.reference ?? txRef
  return { reference, providerPaymentId: data?.id ?? transfer?.id ?? id ?? null }
}

const callbackEvents = (
  { body, headers }: CallbackRequest,
  secret: Redacted.Redacted | undefined,
  transferAt: ReturnType<typeof accountNumbers>["transferAt"]
): Effect.Effect<Callback, NoProof> => {
  if (secret === undefined) return secretNotSet("FLUTTERWAVE_WEBHOOK_SECRET")
  if (!isSame(Redacted.value(secret), headers["verif-hash"])) {
    return new NoProof({ message: "verif-hash is not our secret hash" })
  }
  const { providerPaymentId, reference } = namedIn(body)
  if (reference === undefined) return Effect.succeed({ events: [] })
  if (!isOfAccount(reference)) {
    return Effect.succeed({ events: [new Hint({ attempt: { reference, providerPaymentId } })] })
  }
  const found = providerPaymentId === null ? Effect.succeedNone : transferAt(providerPaymentId)
  return Effect.map(
    found,
    Option.match({
      onNone: (): Callback => ({ events: [], listTransfers: true }),
      onSome: (transfers) => ({ events: [], transfers })
    })
  )
}

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
  },
  bvn: {
    env: "FLUTTERWAVE_BVN",
    about:
      "The Bank Verification Number of your own director, under which Flutterwave issues account numbers for virtual accounts. Without it, it issues none.",
    optional: true
  }
} as const

const readers: Readonly<Record<requests.Family, (reply: ProviderReply, pageEndsAt?: string) => Outcome>> = {
  charge: answers.chargeAnswer,
  hosted: answers.linkAnswer,
  transfer: answers.transferAnswer,
  refund: answers.refundAnswer
}

const operations: Readonly<Record<requests.Family, string>> = {
  charge: "create charge",
  hosted: "create payment page",
  transfer: "create transfer",
  refund: "refund"
}

const balancesIn = answers.answerOf(
  Schema.Struct({ data: Schema.Array(Schema.Struct({ currency: Schema.String, available_balance: optionalText })) })
)

/** Of ten refunds each. */
const MOST_PAGES = 20

const warnIfUnexpected = makeStatusWarning("Flutterwave", reports.isExpectedStatus)

const connect = ({ callbackUrl, credentials, http, mode }: Account<typeof fields>): Connected => {
  const call = withHeaders(http, { authorization: `Bearer ${Redacted.value(credentials.secret_key)}` })
  const ask = (operation: string, path: string) => call(get(operation, path))
  const numbers = accountNumbers(call, credentialText(credentials.bvn))
  const post = ({ body, family, path }: requests.FlutterwaveOrder) => call(postJson(operations[family], path, body))

  const findTransfer = (reference: string) =>
    enquiryResult(ask("find transfer", requests.transfersPath(reference)), reports.transfersReport(reference))

  const findCharge = ({ money, reference }: Pick<PaymentOrder, "money" | "reference">, page: reports.Page | null) =>
    enquiryResult(
      ask("look up charge", requests.verifyPath(reference)),
      reports.chargeReport(reference, page, { money, foundBy: "reference" })
    )

  /** Looks up by id where it is known: payers can create other transactions under one reference. */
  const askedOfCharge = (attempt: AttemptContext, page: reports.Page | null): Effect.Effect<Enquiry> => {
    const { hintedIds, money, providerPaymentId: id, reference } = attempt
    const chargeAt = (one: string, wanted?: reports.Wanted) =>
      enquiryResult(ask("look up charge", requests.verifyIdPath(one)), reports.chargeReport(reference, page, wanted))
    if (id !== null) return chargeAt(id)
    return Effect.flatMap(findCharge(attempt, page), (found) =>
      found._tag === "Report"
        ? Effect.succeed(found)
        : firstReport(hintedIds, (one) => chargeAt(one, { money, foundBy: "hint" }), Effect.succeed(found))
    )
  }

  const listed = <A>(operation: string, path: string, read: (reply: ProviderReply) => ReadonlyArray<A>) =>
    Effect.orElseSucceed(Effect.map(ask(operation, path), read), (): ReadonlyArray<A> => [])

  const paidAt = (id: string, reference: string) =>
    listed("look up charge", requests.verifyIdPath(id), (reply) =>
      [reports.transactionIn(reply)?.data ?? []].flat().filter((one) => one.tx_ref === reference)
    )

  /** Refunds of the whole account. */
  const refundsMade = Effect.fnUntraced(function* (operation: string, path: string) {
    const all = new Map<string, Refund>()
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const reply = yield* ask(operation, page === 1 ? path : `${path}&page=${page}`)
      const listed = reports.refundsIn(reply)
      if (listed === undefined) return yield* Effect.fail(unknownOutcome(reply))
      // Refunds made meanwhile shift the pages, so that some come twice.
      for (const one of listed.data) if (!all.has(one.id)) all.set(one.id, one)
      if (page >= Number(listed.meta?.page_info?.total_pages ?? 1)) break
    }
    return [...all.values()]
  })

  /** Refunds and chargebacks, each from a list of its own. */
  const takenOf = Effect.fnUntraced(function* (paid: ReadonlyArray<Transaction>, sentAt: Date, now: Date) {
    if (paid.length === 0) return []
    const refunds = yield* refundsMade("list refunds", requests.refundsPath(sentAt, now)).pipe(
      Effect.map((all) => refundsAmong(all, paid)),
      Effect.orElseSucceed((): ReadonlyArray<Movement> => [])
    )
    const reversals = yield* Effect.forEach(paid, (one) =>
      one.flw_ref === undefined
        ? Effect.succeed<ReadonlyArray<Movement>>([])
        : listed("list chargebacks", requests.chargebacksPath(one.flw_ref), reversalsOf(one))
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
    const paid = yield* listed("list charges", requests.transactionsPath(reference, sentAt, now), paidUnder(reference))
    return withOthers(found, paid, yield* takenOf(paid, sentAt, now))
  })

  const askedOfTransfer = ({ hintedIds, providerPaymentId: id, reference }: AttemptContext): Effect.Effect<Enquiry> => {
    const transferAt = (one: string) =>
      enquiryResult(ask("look up transfer", requests.transferPath(one)), reports.transferReport(reference))
    return id === null ? firstReport(hintedIds, transferAt, findTransfer(reference)) : transferAt(id)
  }

  const asked = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    const { providerPaymentId: id, sentAt } = attempt
    switch (requests.familyOf(attempt)) {
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
          ? Effect.match(refundsMade("find refund", requests.refundsPath(sentAt)), {
              onFailure: ({ reason }) => new Unknown({ reason }),
              onSuccess: reports.refundAmong(attempt)
            })
          : enquiryResult(ask("look up refund", requests.refundPath(id)), reports.refundReport(id, attempt))
    }
  }

  const enquire = (attempt: AttemptContext): Effect.Effect<Enquiry> => Effect.flatMap(asked(attempt), warnIfUnexpected)

  /** A reference that it says it has is looked up, as one whose answer was lost. */
  const send = (request: requests.FlutterwaveOrder, order: PaymentOrder): Effect.Effect<Outcome> =>
    outcomeOfOrder(post(request), (reply) => {
      if (!answers.isDuplicate(reply)) return readers[request.family](reply, request.pageEndsAt)
      const found = request.family === "transfer" ? findTransfer(order.reference) : findCharge(order, null)
      return Effect.map(found, acceptedDuplicate)
    })

  /** Only its own id of a transaction leads to a refund. One that was lost is found by our reference. */
  const refund = (order: RefundOrder): Effect.Effect<Outcome> => {
    const { providerPaymentId, reference } = order.attempt
    const known = order.collectionId ?? providerPaymentId
    const path = known === null ? requests.verifyPath(reference) : requests.verifyIdPath(known)
    const found = preparedOrDeclined(ask("look up charge", path), (reply) => {
      if (reply.status === 401 || reply.status === 403) return Either.left(credentialsRefused(reply))
      return Either.fromNullable(
        reports.refundableIn(order)(reply),
        () => new Declined({ reason: "it finds no payment there that could be refunded", code: "INVALID_ORDER" })
      )
    })
    return Effect.merge(
      Effect.flatMap(found, (id) => outcomeOfOrder(post(requests.refundRequest(id, order)), answers.refundAnswer))
    )
  }

  const ordering = {
    callbackUrl: callbackUrl.startsWith("https://") || mode === "sandbox" ? callbackUrl : null,
    senderPhone: credentialText(credentials.sender_phone)
  }

  return {
    // Undocumented: whether a second charge with one reference is refused.
    honoursReference: false,
    provesAbsence: false,
    needsPayerEmail: true,
    initiate: (order) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.merge(Effect.flatMap(requests.orderRequest(order, ordering, now), (request) => send(request, order)))
      ),
    enquire,
    resume: enquire,
    refund,
    callback: (request) =>
      Effect.suspend(() => callbackEvents(request, credentials.webhook_secret, numbers.transferAt)),
    accounts: numbers.issuer,
    test: triedBy(ask("balances", "/v3/balances"), (reply) => {
      const balances = balancesIn(reply)?.data
      return balances === undefined
        ? Either.left(answers.messageIn(reply) ?? `HTTP ${reply.status}`)
        : Either.right({
            balances: balances.map(({ available_balance, currency }) =>
              available_balance === undefined ? currency : `${available_balance} ${currency}`
            )
          })
    })
  }
}

export const flutterwave = thirdParty({
  name: "flutterwave",
  baseUrls: { sandbox: "https://api.flutterwave.com", live: "https://api.flutterwave.com" },
  modes: {},
  fields,
  serves,
  refunds: true,
  setup: {
    keys: [
      "Settings, API: the secret key. For payouts, add the addresses of your servers under Settings, Whitelisted IP addresses."
    ],
    callbacks: {
      at: "Settings, Webhooks: URL and secret hash, with retries and failed transactions switched on",
      events: [],
      secret: "webhook_secret"
    }
  },
  issues: numberedCurrencies,
  connect
})
