/** Paystack: cards by a page of its own, mobile money and bank transfers, and payouts from its balance. */
import { Clock, Duration, Effect, Either, Option, Redacted } from "effect"
import type { Movement } from "../../domain/Movement.ts"
import { type Declined, type Enquiry, type Outcome, Report } from "../../domain/Outcome.ts"
import {
  outcomeOfDuplicate,
  enquiryResult,
  notSupported,
  preparedOrDeclined,
  outcomeOfOrder,
  makeStatusWarning
} from "../client/ProviderReplies.ts"
import { triedBy } from "../port/AccountTest.ts"
import { type ProviderCall, type ProviderReply, withHeaders } from "../client/ProviderHttp.ts"
import { type AttemptContext, attemptKind, type PaymentOrder } from "../port/Provider.ts"
import { type Account, type Connected, type Served, serving, thirdParty } from "../port/ThirdParty.ts"
import { dedicatedAccounts, dedicatedCurrencies } from "./PaystackAccounts.ts"
import * as answers from "./PaystackAnswers.ts"
import { readCallback, type RefundsOf } from "./PaystackCallbacks.ts"
import { isExpectedStatus, type Kind } from "./PaystackMovements.ts"
import * as requests from "./PaystackRequests.ts"

const fields = {
  secret_key: {
    env: "PAYSTACK_SECRET_KEY",
    about: "the secret key, sk_test_… or sk_live_…, under Settings, API Keys & Webhooks; it signs the callbacks too",
    identifies: true,
    marks: { sandbox: /^sk_test_/, live: /^sk_live_/ }
  }
} as const

const GHANA = ["mtn", "telecel", "airteltigo"]

const serves: ReadonlyArray<Served> = [
  ...serving("inbound", "card", "NG", "NGN USD"),
  ...serving("inbound", "card", "GH", "GHS"),
  ...serving("inbound", "card", "KE", "KES USD"),
  ...serving("inbound", "card", "ZA", "ZAR"),
  ...serving("inbound", "bank_transfer", "NG", "NGN"),
  ...serving("inbound", "mobile_money", "GH", "GHS", GHANA),
  ...serving("inbound", "mobile_money", "KE", "KES", ["mpesa"]),
  ...serving("outbound", "bank_transfer", "NG", "NGN"),
  ...serving("outbound", "bank_transfer", "GH", "GHS"),
  ...serving("outbound", "bank_transfer", "ZA", "ZAR"),
  ...serving("outbound", "mobile_money", "GH", "GHS", GHANA),
  ...serving("outbound", "mobile_money", "KE", "KES", ["mpesa"])
]

const kinds = { payin: "transaction", payout: "transfer", refund: "refund" } as const

const connect = ({ credentials, http }: Account<typeof fields>): Connected => {
  const call = withHeaders(http, { authorization: `Bearer ${Redacted.value(credentials.secret_key)}` })

  const warnIfUnexpected = (kind: Kind) => makeStatusWarning("Paystack", (status) => isExpectedStatus(kind, status))

  const asked = (kind: Kind, question: ProviderCall, read: (reply: ProviderReply) => Enquiry) =>
    Effect.flatMap(enquiryResult(call(question), read), warnIfUnexpected(kind))

  const listed = (
    question: ProviderCall,
    read: (reply: ProviderReply) => Option.Option<ReadonlyArray<Movement>>
  ): Effect.Effect<Option.Option<ReadonlyArray<Movement>>> =>
    Effect.catchAll(Effect.map(call(question), read), ({ reason }) =>
      Effect.as(Effect.logWarning(`Paystack did not ${question.operation}: ${reason}`), Option.none())
    )

  /**
   * A transaction says `reversed` once all of it went back, and not how: its refunds and disputes do. Where Paystack lists
   * neither there is no id, and it is derived from the transaction's.
   */
  const withReversals = (report: Report): Effect.Effect<Report> =>
    Effect.gen(function* () {
      const [paid] = report.movements ?? []
      if (report.state !== "returned" || paid === undefined) return report
      const refunds = yield* listed(requests.refundsOfTransaction(paid.id), answers.settledRefunds)
      const disputes = yield* listed(requests.disputesOfTransaction(paid.id), answers.settledDisputes)
      const all = [refunds, disputes].flatMap((one) => Option.getOrElse(one, () => []))
      const named = [...new Map(all.map((one) => [`${one.kind} ${one.id}`, one])).values()]
      const isListed = Option.isSome(refunds) && Option.isSome(disputes)
      const derived = { ...paid, kind: "reversal", id: `${paid.id}:reversed` } as const
      return new Report({
        ...report,
        movements: [paid, ...named, ...(isListed && named.length === 0 ? [derived] : [])]
      })
    })

  const verified = (kind: "transaction" | "transfer", reference: string): Effect.Effect<Enquiry> =>
    Effect.flatMap(
      asked(kind, requests.verify(kind, reference), answers.ofOrder(reference, answers.enquiryOf(kind))),
      (said) => (kind === "transaction" && said._tag === "Report" ? withReversals(said) : Effect.succeed(said))
    )

  /** A charge that succeeds at once is answered without its id, which the look-up tells. */
  const withId = (kind: "transaction" | "transfer", reference: string, outcome: Outcome): Effect.Effect<Outcome> =>
    outcome._tag === "Accepted" && outcome.state === "completed" && outcome.movements === undefined
      ? Effect.map(verified(kind, reference), (said) => (said._tag === "Report" ? outcomeOfDuplicate(said) : outcome))
      : Effect.succeed(outcome)

  const ordered = (
    kind: "transaction" | "transfer",
    { reference }: PaymentOrder,
    request: Either.Either<ProviderCall, Declined>,
    read: (reply: ProviderReply) => Outcome
  ): Effect.Effect<Outcome> =>
    request.pipe(
      Effect.flatMap((one) => outcomeOfOrder(call(one), answers.ofOrder(reference, read))),
      Effect.flatMap((outcome) =>
        outcome === answers.duplicateReference
          ? Effect.map(verified(kind, reference), outcomeOfDuplicate)
          : withId(kind, reference, outcome)
      ),
      Effect.flatMap(warnIfUnexpected(kind)),
      Effect.merge
    )

  /** Always from the account that rules, lists and reviewers see: a code of the organisation could name another one. */
  const recipientOf = (order: PaymentOrder): Effect.Effect<string, Declined> =>
    Effect.flatMap(requests.transferRecipient(order), (one) => preparedOrDeclined(call(one), answers.recipientCode))

  const pay = (order: PaymentOrder): Effect.Effect<Outcome> =>
    Effect.merge(
      Effect.flatMap(recipientOf(order), (code) =>
        ordered("transfer", order, requests.transfer(order, code), answers.transferOutcome)
      )
    )

  const collect = (order: PaymentOrder): Effect.Effect<Outcome> => {
    switch (order.method) {
      case "card":
        return ordered("transaction", order, requests.hostedPage(order), answers.hostedOutcome)
      case "mobile_money":
        return ordered("transaction", order, requests.mobileCharge(order), answers.chargeOutcome)
      case "bank_transfer":
        return Effect.flatMap(Clock.currentTimeMillis, (now) =>
          ordered("transaction", order, requests.bankTransferCharge(order, now), answers.chargeOutcome)
        )
      default:
        return Effect.succeed(notSupported(`Paystack does not collect by ${order.method}`))
    }
  }

  const enquire = (attempt: AttemptContext): Effect.Effect<Enquiry> => {
    const kind = kinds[attemptKind(attempt)]
    if (kind !== "refund") return verified(kind, attempt.reference)
    return attempt.providerPaymentId === null
      ? asked(kind, requests.listRefunds(attempt), answers.refundNoted(attempt.reference))
      : asked(kind, requests.fetchRefund(attempt.providerPaymentId), answers.enquiryOf(kind))
  }

  const refundsOf: RefundsOf = (transaction) =>
    Effect.gen(function* () {
      const paid = yield* verified("transaction", transaction)
      if (paid._tag === "Absent") return { paid: undefined, ours: [], byHand: [] }
      const id = paid._tag === "Report" ? paid.providerPaymentId : null
      if (paid._tag !== "Report" || id === null) {
        return yield* Effect.fail({ reason: paid._tag === "Unknown" ? paid.reason : "it has no id" })
      }
      const reply = yield* call(requests.refundsOfTransaction(id))
      const refunds = yield* Either.fromOption(answers.refundsListed(reply), () => ({ reason: `HTTP ${reply.status}` }))
      return { paid, ...refunds }
    })

  return {
    // Transactions and transfers move once for a reference. Refunds have none, and a second one would be paid as well.
    honoursReference: true,
    // A refund has no key there: a second one for the same part would be another.
    refundsHonourReference: false,
    provesAbsence: Duration.minutes(2),
    needsPayerEmail: true,
    initiate: (order) => (order.flow === "outbound" ? pay(order) : collect(order)),
    enquire,
    callback: readCallback(credentials.secret_key, refundsOf),
    otp: {
      submit: ({ reference }, otp) =>
        Effect.match(call(requests.submitOtp(reference, otp)), {
          onFailure: () => "unknown" as const,
          onSuccess: answers.passwordTaken
        }),
      resend: () => Effect.succeed(false)
    },
    refund: (order) =>
      Effect.merge(
        Effect.flatMap(requests.refund(order), (one) =>
          Effect.flatMap(outcomeOfOrder(call(one), answers.refundOutcome), warnIfUnexpected("refund"))
        )
      ),
    resume: enquire,
    accounts: dedicatedAccounts(call),
    test: triedBy(call(requests.balance), answers.balanceRead)
  }
}

export const paystack = thirdParty({
  name: "paystack",
  // The key decides whether it is a test.
  baseUrls: { sandbox: "https://api.paystack.co", live: "https://api.paystack.co" },
  modes: { said: { domain: { sandbox: /^test$/, live: /^live$/ } } },
  fields,
  serves,
  refunds: true,
  setup: {
    keys: [
      "Settings, API Keys & Webhooks: the secret key. It has all rights, and signs the callbacks. Turn off the confirmation of transfers by OTP under Settings, Preferences."
    ],
    callbacks: { at: "Settings, API Keys & Webhooks, Webhook URL", events: [] }
  },
  issues: dedicatedCurrencies,
  connect
})
