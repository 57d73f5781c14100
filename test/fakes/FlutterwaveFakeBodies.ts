/** Bodies that the fake of Flutterwave accepts, and its one form of refusal. */
import { Either, Option, Schema } from "effect"
import { stringifyWire, WireNumber } from "../../src/domain/Decimal.ts"
import type { Money } from "../../src/domain/Money.ts"
import type { FakeReply, FakeRequest } from "./Fake.ts"
import { moneyOfMajor, readJson, shortText } from "../../src/providers/client/WireValues.ts"
import { urlOf } from "../../src/domain/Url.ts"
import type { Entry } from "./FakeLedger.ts"

/** Writes its numbers out, so that none of them passes through a float. */
export const answer = (body: object, status = 200): FakeReply => ({
  status,
  headers: { "content-type": "application/json" },
  body: stringifyWire(body)
})

export const refused = (message: string, status = 400): FakeReply =>
  answer({ status: "error", message, data: null }, status)

const most = (length: number) => Schema.String.pipe(Schema.maxLength(length))

/** Taken as a number or as text, as it does. */
const Amount = Schema.String.pipe(Schema.pattern(/^\d+(\.\d+)?$/))
const Currency = Schema.String.pipe(Schema.pattern(/^[A-Z]{3}$/))
const Email = most(100).pipe(Schema.pattern(/^[^@\s]+@[^@\s]+$/))
const Phone = most(50).pipe(Schema.pattern(/^\+?\d+$/))
const Address = Schema.String.pipe(Schema.filter((text) => urlOf(text) !== undefined))

const charge = {
  tx_ref: most(100).pipe(Schema.minLength(1)),
  amount: Amount,
  currency: Currency,
  email: Email,
  fullname: Schema.optional(most(100)),
  redirect_url: Schema.optional(Address)
}

export const BankCharge = Schema.Struct({
  ...charge,
  phone_number: Schema.optional(Phone),
  expires: Schema.optional(Schema.NumberFromString.pipe(Schema.between(1, 31_536_000)))
})

export const MobileCharge = Schema.Struct({
  ...charge,
  phone_number: Phone,
  network: Schema.optional(Schema.String),
  country: Schema.optional(Schema.String.pipe(Schema.length(2))),
  order_id: Schema.optional(most(100))
})

export const Page = Schema.Struct({
  tx_ref: charge.tx_ref,
  amount: Amount,
  currency: Currency,
  redirect_url: Address,
  payment_options: Schema.optional(Schema.String),
  customer: Schema.Struct({
    email: Email,
    name: Schema.optional(Schema.String),
    phonenumber: Schema.optional(Schema.String)
  }),
  configurations: Schema.optional(
    Schema.Struct({
      session_duration: Schema.optional(Schema.NumberFromString.pipe(Schema.between(1, 1440))),
      max_retry_attempt: Schema.optional(Schema.NumberFromString)
    })
  ),
  customizations: Schema.optional(Schema.Struct({ description: Schema.optional(Schema.String) }))
})

const Sender = Schema.Struct({ sender: Schema.NonEmptyString, sender_country: Schema.String, mobile_number: Phone })

export const Transfer = Schema.Struct({
  account_bank: most(11).pipe(Schema.minLength(1)),
  account_number: most(20).pipe(Schema.minLength(1)),
  amount: Amount,
  currency: Currency,
  debit_currency: Schema.optional(Currency),
  reference: most(100).pipe(Schema.minLength(1)),
  narration: Schema.optional(most(100)),
  beneficiary_name: Schema.optional(most(100)),
  callback_url: Schema.optional(most(100)),
  meta: Schema.optional(Schema.Array(Sender))
})

export const Refund = Schema.Struct({ amount: Amount, comments: Schema.optional(Schema.String) })

export const AccountNumber = Schema.Struct({
  email: Email,
  is_permanent: Schema.Literal(true),
  bvn: Schema.String.pipe(Schema.pattern(/^\d{11}$/)),
  tx_ref: charge.tx_ref,
  narration: Schema.optional(most(100)),
  firstname: Schema.optional(most(100)),
  lastname: Schema.optional(most(100)),
  phonenumber: Schema.optional(Phone)
})

/** Bank's part of a transfer, which is no part of Flutterwave. */
export const BankTransfer = Schema.Struct({
  account_number: Schema.String,
  amount: Amount,
  currency: Schema.optional(Currency),
  sender: Schema.String
})

export const readBody = <A, I>(schema: Schema.Schema<A, I>, { body }: FakeRequest): Either.Either<A, FakeReply> =>
  Either.flatMap(readJson(body), Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })).pipe(
    Either.mapLeft((problem) => refused(String(problem)))
  )

export const moneyOf = (amount: string, currency: string): Either.Either<Money, FakeReply> =>
  Either.fromOption(
    Option.filter(moneyOfMajor(amount, currency), ({ isPositive }) => isPositive),
    () => refused("amount is not valid for the currency")
  )

const movedIn = Schema.decodeUnknownOption(Schema.Struct({ amount: Amount, currency: Schema.optional(Currency) }))

/** `otherwise`: the currency of an order that does not name it. */
export const moneyIn = ({ body }: FakeRequest, otherwise = ""): Money | undefined =>
  Either.getRight(readJson(body)).pipe(
    Option.flatMap(movedIn),
    Option.flatMap(({ amount, currency }) => moneyOfMajor(amount, currency ?? otherwise)),
    Option.getOrUndefined
  )

interface Kind {
  readonly currencies: ReadonlyArray<string>
  readonly networks: ReadonlyArray<string>
  /** Sends the customer to a page, instead of asking on the phone. */
  readonly redirects: boolean
}

export const mobileKinds: ReadonlyMap<string, Kind> = new Map([
  ["mpesa", { currencies: ["KES"], networks: ["SAFARICOM", "AIRTEL"], redirects: false }],
  ["mobile_money_ghana", { currencies: ["GHS"], networks: ["MTN", "AIRTELTIGO", "VODAFONE"], redirects: true }],
  ["mobile_money_uganda", { currencies: ["UGX"], networks: ["MTN", "AIRTEL"], redirects: true }],
  ["mobile_money_rwanda", { currencies: ["RWF"], networks: ["MTN", "AIRTEL"], redirects: true }],
  ["mobile_money_zambia", { currencies: ["ZMW"], networks: ["MTN", "AIRTEL", "ZAMTEL"], redirects: true }],
  [
    "mobile_money_tanzania",
    { currencies: ["TZS"], networks: ["HALOPESA", "AIRTEL", "TIGO", "VODACOM"], redirects: false }
  ],
  ["mobile_money_franco", { currencies: ["XOF", "XAF"], networks: ["WAVE", "MTN", "ORANGEMONEY"], redirects: false }]
])

/** Problems of a charge of a kind, beyond its form. */
export const mobileProblem = (
  { currencies, networks }: Kind,
  { country, currency, network, order_id }: typeof MobileCharge.Type
): string | undefined => {
  if (!currencies.includes(currency)) return `currency should be ${currencies.join(" or ")}`
  if (network !== undefined && !networks.includes(network)) return `only ${networks.join(", ")} are valid networks`
  if (currencies.includes("XOF") && country === undefined) return "country is required"
  return currency === "RWF" && order_id === undefined ? "order_id is required" : undefined
}

/** Answers and callbacks of the fake of Flutterwave: transactions, transfers and refunds. */
const numberOf = (text: string): WireNumber => new WireNumber(text)

/** Amount asked for until it is over, then the amount moved. */
const amountOf = ({ asked, moved, state }: Entry): WireNumber =>
  numberOf(shortText(state === "completed" ? moved : asked))

const customerOf = ({ kept }: Entry) => {
  const { email, name, phone } = kept as Readonly<Record<string, string | undefined>>
  return { id: 1998111, name: name ?? "N/A", phone_number: phone ?? "N/A", email }
}

const transactionStatus = ({ state }: Entry): string => {
  if (state === "completed") return "successful"
  return state === "failed" || state === "returned" ? "failed" : "pending"
}

const responseOf = (entry: Entry): string => {
  if (entry.state === "failed") return "Insufficient Funds"
  return entry.state === "completed" ? "Successful" : "Transaction in progress"
}

export const transactionOf = (entry: Entry) => ({
  id: numberOf(entry.id),
  tx_ref: entry.kept["tx_ref"],
  flw_ref: `FLW-MOCK-${entry.id}`,
  device_fingerprint: "N/A",
  amount: amountOf(entry),
  currency: entry.asked.currency,
  charged_amount: amountOf(entry),
  app_fee: numberOf("0"),
  merchant_fee: numberOf("0"),
  processor_response: responseOf(entry),
  auth_model: "AUTH",
  narration: "Corridor",
  status: transactionStatus(entry),
  payment_type: entry.kept["payment_type"],
  created_at: entry.createdAt.toISOString(),
  account_id: 20937,
  meta: entry.kept["meta"] ?? null,
  customer: customerOf(entry)
})

/** Lists leave out the sender of a transfer. */
export const listedTransaction = (entry: Entry) => {
  const { customer, meta: _meta, ...rest } = transactionOf(entry)
  return { ...rest, customer_name: customer.name, customer_email: customer.email }
}

const transferStatus = ({ state }: Entry): string => {
  if (state === "completed") return "SUCCESSFUL"
  return state === "failed" || state === "returned" ? "FAILED" : "NEW"
}

export const transferOf = (entry: Entry) => ({
  id: numberOf(entry.id),
  account_number: entry.kept["account_number"],
  bank_code: entry.kept["account_bank"],
  full_name: entry.kept["beneficiary_name"] ?? "N/A",
  created_at: entry.createdAt.toISOString(),
  currency: entry.asked.currency,
  debit_currency: entry.asked.currency,
  amount: amountOf(entry),
  fee: numberOf("0"),
  status: transferStatus(entry),
  reference: entry.kept["reference"],
  meta: entry.kept["meta"] ?? null,
  narration: entry.kept["narration"] ?? null,
  complete_message: entry.state === "failed" ? "DISBURSE FAILED: Transfer failed. Please contact support" : "",
  requires_approval: 0,
  is_approved: 1,
  bank_name: "N/A"
})

const refundStatus = ({ state }: Entry): string => {
  if (state === "completed") return "completed"
  return state === "failed" || state === "returned" ? "failed" : "pending"
}

const anyRefundOf = (entry: Entry) => ({
  id: numberOf(entry.id),
  account_id: 73362,
  flw_ref: `URF_${entry.id}`,
  amount_refunded: amountOf(entry),
  status: refundStatus(entry),
  created_at: entry.createdAt.toISOString()
})

/** The answer to its order. */
export const refundOf = (entry: Entry) => ({
  ...anyRefundOf(entry),
  tx_id: numberOf(entry.of ?? "0"),
  wallet_id: 74639,
  destination: "payment_source",
  comments: entry.kept["comments"] ?? "",
  meta: { source: "availablebalance" }
})

/** In lists and look-ups, which call some fields otherwise. */
export const listedRefundOf = (entry: Entry) => ({
  ...anyRefundOf(entry),
  transaction_id: numberOf(entry.of ?? "0"),
  settlement_id: "NEW",
  comment: entry.kept["comments"] ?? "",
  meta: '{"source":"availablebalance"}'
})
