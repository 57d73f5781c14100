/** Bodies that the fake of Paystack accepts, and the shapes of its answers. */
import { createHash } from "node:crypto"
import { Either, Option, Schema } from "effect"
import { LosslessNumber, stringify } from "lossless-json"
import { Money } from "../../src/domain/Money.ts"
import type { Dispute, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import { moneyOfMinor, readJson } from "../../src/providers/client/WireValues.ts"
import type { Scenario } from "./MagicAmounts.ts"

const Text = Schema.String.pipe(Schema.minLength(1))
const Email = Schema.String.pipe(Schema.pattern(/^[^\s@]+@[^\s@]+$/))
const Amount = Schema.String.pipe(Schema.pattern(/^[1-9]\d*$/))
const Currency = Schema.Literal("GHS", "KES", "NGN", "ZAR", "USD")
const Reference = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9.=-]+$/))
const metadata = Schema.optional(Schema.Object)

const collected = { email: Email, amount: Amount, currency: Currency, reference: Reference, metadata }

export const Initialize = Schema.Struct({
  ...collected,
  channels: Schema.optional(
    Schema.Array(Schema.Literal("card", "bank", "ussd", "qr", "eft", "mobile_money", "bank_transfer"))
  ),
  callback_url: Schema.optional(Schema.String.pipe(Schema.pattern(/^https?:\/\//)))
})

export const Charge = Schema.Struct({
  ...collected,
  mobile_money: Schema.optional(Schema.Struct({ phone: Text, provider: Schema.Literal("mtn", "vod", "atl", "mpesa") })),
  bank_transfer: Schema.optional(Schema.Struct({ account_expires_at: Text }))
}).pipe(
  Schema.filter((body) => (body.mobile_money === undefined) !== (body.bank_transfer === undefined) || "one channel")
)

export const Password = Schema.Struct({ otp: Text, reference: Reference })

export const Recipient = Schema.Struct({
  type: Schema.Literal("nuban", "ghipss", "mobile_money", "basa"),
  name: Text,
  account_number: Schema.String.pipe(Schema.pattern(/^\d{6,20}$/)),
  bank_code: Text,
  currency: Currency
})

export const Transfer = Schema.Struct({
  source: Schema.Literal("balance"),
  amount: Amount,
  currency: Schema.Literal("NGN", "ZAR", "KES", "GHS"),
  recipient: Schema.String.pipe(Schema.pattern(/^RCP_/)),
  reference: Schema.String.pipe(Schema.pattern(/^[a-z0-9_-]{16,50}$/)),
  reason: Schema.optional(Schema.String)
})

export const RefundBody = Schema.Struct({
  transaction: Reference,
  amount: Schema.optional(Amount),
  currency: Schema.optional(Currency),
  merchant_note: Schema.optional(Schema.String),
  customer_note: Schema.optional(Schema.String)
})

export const answer = (status: number, body: unknown): FakeReply => ({
  status,
  headers: { "content-type": "application/json" },
  body: stringify(body) ?? ""
})

export const fine = (message: string, data: unknown, status = 200): FakeReply =>
  answer(status, { status: true, message, data })

export const refusal = (message: string, code: string, status = 400): FakeReply =>
  answer(status, {
    status: false,
    message,
    meta: { nextStep: "Look the error up and send the request again" },
    type: "validation_error",
    code,
    errorCodeMappingNotFound: false
  })

export const bodyAs = <A, I>(schema: Schema.Schema<A, I>) => {
  const read = Schema.decodeUnknownEither(schema)
  return ({ body }: FakeRequest): Either.Either<A, FakeReply> =>
    Either.flatMap(
      Either.mapLeft(readJson(body), () => refusal("The body is not JSON", "invalid_params")),
      (json) => Either.mapLeft(read(json), ({ message }) => refusal(message, "invalid_params"))
    )
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")

const ID_DIGITS = 12

/** Ids of Paystack, derived from the caller's reference, so that a fake gives the same ids every time. */
export const numericId = (text: string): string =>
  (BigInt(`0x${digest(text)}`) % 10n ** BigInt(ID_DIGITS)).toString().padStart(ID_DIGITS, "4")

export const codeWith = (prefix: string, text: string): string => `${prefix}${digest(text).slice(0, 15)}`

export const moneyIn = (amount: string, currency: string): Money => Option.getOrThrow(moneyOfMinor(amount, currency, 2))

export const number = (value: string | bigint | number): LosslessNumber => new LosslessNumber(`${value}`)

const transactionStatus = ({ kept, moved, state, takenBack }: Entry): string => {
  if (state === "completed" && takenBack >= moved.minor) return "reversed"
  switch (state) {
    case "waiting":
      return kept.channel === "card" ? "abandoned" : "ongoing"
    case "processing":
      return "ongoing"
    case "completed":
      return "success"
    case "failed":
      return "failed"
    case "returned":
      return "reversed"
  }
}

const FEE_OF = 100n

export const transactionOf = (entry: Entry) => {
  const done = entry.state === "completed"
  const paidAt = done ? entry.createdAt.toISOString() : null
  return {
    id: number(entry.id),
    domain: "test",
    status: transactionStatus(entry),
    reference: entry.reference,
    receipt_number: done && entry.kept.channel === "mobile_money" ? codeWith("R", entry.reference) : null,
    amount: number(done ? entry.moved.minor : entry.asked.minor),
    message: null,
    gateway_response: done ? "Successful" : (entry.reason ?? "The transaction was not completed"),
    paid_at: paidAt,
    created_at: entry.createdAt.toISOString(),
    channel: entry.kept.channel,
    currency: entry.asked.currency,
    ip_address: "127.0.0.1",
    metadata: "",
    fees: done ? number(entry.moved.minor / FEE_OF) : null,
    customer: {
      id: 1,
      email: entry.kept.email,
      customer_code: entry.kept.customerCode ?? "CUS_fake",
      phone: null,
      risk_action: "default"
    },
    ...(entry.kept.sender === undefined
      ? {}
      : { authorization: { channel: entry.kept.channel, sender_name: entry.kept.sender, account_name: null } }),
    plan: null,
    requested_amount: number(entry.asked.minor)
  }
}

const resolutions = { opened: null, won: "declined", lost: "merchant-accepted" } as const

export const disputeOf = ({ money, of, stage }: Dispute) => ({
  id: number(numericId(`dispute of ${of.id}`)),
  refund_amount: number(money.minor),
  currency: money.currency,
  status: stage === "opened" ? "awaiting-merchant-feedback" : "resolved",
  resolution: resolutions[stage],
  domain: "test",
  transaction: transactionOf(of),
  category: "chargeback",
  customer: { email: of.kept.email },
  created_at: of.createdAt.toISOString()
})

const transferStatuses = {
  waiting: "otp",
  processing: "pending",
  completed: "success",
  failed: "failed",
  returned: "reversed"
} as const

export const transferOf = (entry: Entry) => {
  const at = entry.createdAt.toISOString()
  return {
    transfersessionid: [],
    transfertrials: [],
    domain: "test",
    amount: number(entry.state === "completed" ? entry.moved.minor : entry.asked.minor),
    currency: entry.asked.currency,
    reference: entry.reference,
    source: "balance",
    source_details: null,
    reason: `${entry.kept.reason ?? ""}`,
    status: transferStatuses[entry.state],
    failures: null,
    transfer_code: entry.id,
    titan_code: null,
    transferred_at: null,
    id: number(numericId(entry.id)),
    integration: 1,
    request: number(numericId(`request of ${entry.id}`)),
    recipient: number(numericId(`${entry.kept.recipient}`)),
    gateway_response: entry.reason,
    createdAt: at,
    updatedAt: at
  }
}

const refundStatuses = {
  waiting: "needs-attention",
  processing: "pending",
  completed: "processed",
  failed: "failed",
  returned: "failed"
} as const

export const refundOf = (entry: Entry, transaction: Entry) => {
  const at = entry.createdAt.toISOString()
  return {
    transaction: {
      id: number(transaction.id),
      domain: "test",
      reference: transaction.reference,
      amount: number(transaction.asked.minor),
      paid_at: transaction.createdAt.toISOString(),
      channel: transaction.kept.channel,
      currency: transaction.asked.currency,
      authorization: { exp_month: null, exp_year: null, account_name: null },
      customer: { international_format_phone: null },
      plan: {},
      subaccount: { currency: null },
      split: {},
      order_id: null,
      paidAt: transaction.createdAt.toISOString(),
      pos_transaction_data: null,
      source: null,
      fees_breakdown: null
    },
    integration: 1,
    deducted_amount: 0,
    channel: null,
    merchant_note: `${entry.kept.merchantNote}`,
    customer_note: `${entry.kept.customerNote}`,
    status: refundStatuses[entry.state],
    refunded_by: "fake@paystack.test",
    expected_at: at,
    currency: entry.asked.currency,
    domain: "test",
    amount: number(entry.asked.minor),
    fully_deducted: false,
    id: number(entry.id),
    createdAt: at,
    updatedAt: at
  }
}

/** Lists and look-ups name transaction and dispute by their ids alone. */
export const listedRefund = (refund: ReturnType<typeof refundOf>, dispute: LosslessNumber | null = null) => ({
  ...refund,
  transaction: refund.transaction.id,
  dispute,
  settlement: null
})

/** Paystack refunds the payer for a dispute that the merchant lost. */
export const refundOfDispute = (dispute: Dispute) => {
  const { money, of } = dispute
  const id = numericId(`refund for dispute of ${of.id}`)
  const note = `Refund for transaction ${of.reference}`
  const kept = { merchantNote: note, customerNote: note }
  const entry: Entry = { ...of, id, kind: "refund", asked: money, moved: money, state: "completed", of: of.id, kept }
  return listedRefund(refundOf(entry, of), disputeOf(dispute).id)
}

/** Rules of every route of the fake of Paystack: credentials, the sum that a body moves, and the form of answers. */
export const credentials = { secret_key: "sk_test_corridor_fake" } as const

const isOurs = ({ headers }: FakeRequest): boolean => headers.authorization === `Bearer ${credentials.secret_key}`

export const guarded =
  (answered: (request: FakeRequest, scenario: Scenario) => FakeReply): FakeRoute["answer"] =>
  (request, scenario) =>
    isOurs(request) ? answered(request, scenario) : answer(401, { status: false, message: "Invalid key" })

type Reader<A> = (request: FakeRequest) => Either.Either<A, FakeReply>

/** A route that answers to a body of its shape, and else says what is wrong with it. */
export const reading = <A>(
  read: Reader<A>,
  answered: (body: A, scenario: Scenario) => FakeReply
): FakeRoute["answer"] =>
  guarded((request, scenario) => Either.merge(Either.map(read(request), (body) => answered(body, scenario))))

/** Sum that a body asks to be moved; a malformed body moves nothing. */
export const movedBy =
  <A extends { readonly amount?: string | undefined; readonly currency?: string | undefined }>(
    read: Reader<A>
  ): NonNullable<FakeRoute["moves"]> =>
  (request) =>
    Option.getOrUndefined(
      Option.flatMap(Either.getRight(read(request)), ({ amount, currency }) =>
        isOurs(request) && amount !== undefined && currency !== undefined
          ? Option.some(moneyIn(amount, currency))
          : Option.none()
      )
    )

export const duplicate = refusal("Duplicate Transaction Reference", "duplicate_reference")

/** Uses other words for the reference of a transfer. */
export const duplicateTransfer = refusal(
  "Please provide a unique reference. Reference already exists on a transfer",
  "duplicate_transfer_reference"
)

export const found = (
  entry: Entry | undefined,
  message: string,
  shape: (entry: Entry) => unknown,
  missing: string
): FakeReply => (entry === undefined ? refusal(missing, "transaction_not_found", 404) : fine(message, shape(entry)))

/** Keeps a payment that the customer's bank refuses all the same. */
export const failedAtOnce = (
  { books, now }: FakeWorld,
  order: Pick<Entry, "id" | "reference" | "kind" | "kept">,
  money: Money,
  scenario: Scenario
): Entry => {
  const entry: Entry = {
    ...order,
    asked: money,
    scenario: scenario,
    state: "failed",
    moved: Money.zero(money.currency),
    takenBack: 0n,
    reason: "Insufficient Funds",
    createdAt: now(),
    of: null
  }
  books.open(entry)
  return entry
}
