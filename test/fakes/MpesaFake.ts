/** Fake of Daraja, Safaricom's API of M-Pesa: prompts, payouts, their queries, and unsigned results. */
import { Either, Option, Schema } from "effect"
import { sha256Hex } from "../../src/domain/Digest.ts"
import type { Money } from "../../src/domain/Money.ts"
import { urlOf } from "../../src/domain/Url.ts"
import { moneyOfMajor, shortText } from "../../src/providers/client/WireValues.ts"
import {
  authorizedBy,
  type Fake,
  type FakeCallback,
  type FakeReply,
  type FakeRequest,
  type FakeRoute,
  type FakeWorld,
  jsonBody
} from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import type { Scenario } from "./MagicAmounts.ts"

const credentials = {
  consumer_key: "fake-mpesa-consumer-key",
  consumer_secret: "fake-mpesa-consumer-secret",
  shortcode: "174379",
  passkey: "fake-mpesa-passkey-for-tests",
  initiator_name: "fake-initiator",
  security_credential: "ZmFrZS1zZWN1cml0eS1jcmVkZW50aWFs"
}

const refused = (status: number, errorCode: string, errorMessage: string): FakeReply => ({
  status,
  body: { requestId: "1c5b-4ba8-815c-ac45c57a3db0", errorCode, errorMessage }
})

const invalid = (what: string): FakeReply => refused(400, "400.002.02", `Bad Request - Invalid ${what}`)

const Address = Schema.String.pipe(Schema.filter((text) => urlOf(text) !== undefined))
const Phone = Schema.String.pipe(Schema.pattern(/^254[17]\d{8}$/))
/** Whole shillings. */
const Amount = Schema.Number.pipe(Schema.int(), Schema.positive())
const text = (longest: number) => Schema.NonEmptyString.pipe(Schema.maxLength(longest))

const Signed = {
  BusinessShortCode: Schema.Literal(credentials.shortcode),
  Password: Schema.String,
  Timestamp: Schema.String.pipe(Schema.pattern(/^20\d{12}$/))
}

const Push = Schema.Struct({
  ...Signed,
  TransactionType: Schema.Literal("CustomerPayBillOnline", "CustomerBuyGoodsOnline"),
  Amount,
  PartyA: Phone,
  PartyB: Schema.String.pipe(Schema.pattern(/^\d{5,7}$/)),
  PhoneNumber: Phone,
  CallBackURL: Address,
  AccountReference: text(12),
  TransactionDesc: text(13)
})

const Query = Schema.Struct({ ...Signed, CheckoutRequestID: Schema.NonEmptyString })

const Payout = Schema.Struct({
  OriginatorConversationID: Schema.NonEmptyString,
  InitiatorName: Schema.Literal(credentials.initiator_name),
  SecurityCredential: Schema.Literal(credentials.security_credential),
  CommandID: Schema.Literal("BusinessPayment", "SalaryPayment", "PromotionPayment"),
  Amount,
  PartyA: Schema.Literal(credentials.shortcode),
  PartyB: Phone,
  Remarks: text(100),
  QueueTimeOutURL: Address,
  ResultURL: Address
})

const Status = Schema.Struct({
  Initiator: Schema.Literal(credentials.initiator_name),
  SecurityCredential: Schema.Literal(credentials.security_credential),
  CommandID: Schema.Literal("TransactionStatusQuery"),
  OriginalConversationID: Schema.NonEmptyString,
  PartyA: Schema.Literal(credentials.shortcode),
  IdentifierType: Schema.Literal("4"),
  ResultURL: Address,
  QueueTimeOutURL: Address,
  Remarks: text(100)
})

const readAmount = Schema.decodeUnknownOption(Schema.Struct({ Amount: Schema.Number }))

const moneyIn = (request: FakeRequest): Money | undefined =>
  Option.getOrUndefined(Option.flatMap(readAmount(jsonBody(request)), (body) => moneyOfMajor(`${body.Amount}`, "KES")))

const SECONDS = 3599

/** Why a prompt or a payout came to nothing. */
const pushFailures: Partial<Record<Scenario, readonly [number, string]>> = {
  declined_instrument: [1, "The balance is insufficient for the transaction."]
}
const payoutFailures: Partial<Record<Scenario, readonly [number, string]>> = {
  declined_instrument: [2040, "Credit Party customer type can't be supported by the service."]
}
const DONE = [0, "The service request is processed successfully."] as const

const pushResult = ({ scenario, state }: Entry) =>
  state === "completed" ? DONE : (pushFailures[scenario] ?? ([1032, "Request cancelled by user."] as const))

const payoutResult = ({ scenario, state }: Entry) =>
  state === "completed"
    ? DONE
    : (payoutFailures[scenario] ?? ([2006, "The account status does not allow this transaction."] as const))

const receiptOf = ({ id }: Entry): string => sha256Hex(id).slice(0, 10).toUpperCase()

const conversationOf = (of: string): string => `AG_20300506_${sha256Hex(of).slice(0, 20)}`

const idsOf = ({ id, kept }: Entry) => ({ MerchantRequestID: kept["merchantId"], CheckoutRequestID: id })

const isOver = ({ state }: Entry): boolean => state === "completed" || state === "failed"

const json = (body: unknown): FakeCallback => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const pushCallback = (entry: Entry): FakeCallback => {
  const [ResultCode, ResultDesc] = pushResult(entry)
  const items = [
    { Name: "Amount", Value: Number(shortText(entry.moved)) },
    { Name: "MpesaReceiptNumber", Value: receiptOf(entry) },
    { Name: "Balance" },
    { Name: "TransactionDate", Value: 20300506070809 },
    { Name: "PhoneNumber", Value: Number(entry.kept["phone"]) }
  ]
  const metadata = entry.state === "completed" ? { CallbackMetadata: { Item: items } } : {}
  return json({ Body: { stkCallback: { ...idsOf(entry), ResultCode, ResultDesc, ...metadata } } })
}

const payoutCallback = (entry: Entry): FakeCallback => {
  const [ResultCode, ResultDesc] = payoutResult(entry)
  const parameters = [
    { Key: "TransactionAmount", Value: Number(shortText(entry.moved)) },
    { Key: "TransactionReceipt", Value: receiptOf(entry) },
    { Key: "B2CRecipientIsRegisteredCustomer", Value: "Y" }
  ]
  return json({
    Result: {
      ResultType: 0,
      ResultCode,
      ResultDesc,
      OriginatorConversationID: entry.reference,
      ConversationID: conversationOf(entry.reference),
      TransactionID: receiptOf(entry),
      ...(entry.state === "completed" ? { ResultParameters: { ResultParameter: parameters } } : {})
    }
  })
}

const wordOf = {
  waiting: "Pending",
  processing: "Pending",
  completed: "Completed",
  failed: "Failed",
  returned: "Failed"
}

const statusCallback = (asked: string, entry: Entry | undefined): FakeCallback => {
  const ids = { ResultType: 0, ConversationID: conversationOf(`status ${asked}`), TransactionID: "MBN0000000" }
  if (entry === undefined) {
    return json({ Result: { ...ids, ResultCode: "SFC_IC0003", ResultDesc: "The transaction does not exist." } })
  }
  const parameters = [
    { Key: "OriginatorConversationID", Value: entry.reference },
    { Key: "TransactionStatus", Value: wordOf[entry.state] },
    { Key: "Amount", Value: shortText(entry.moved) },
    { Key: "ReceiptNo", Value: receiptOf(entry) },
    { Key: "TransactionReason" }
  ]
  const [ResultCode, ResultDesc] = DONE
  return json({ Result: { ...ids, ResultCode, ResultDesc, ResultParameters: { ResultParameter: parameters } } })
}

/** Refused by the gateway before M-Pesa sees it. */
const declines: Readonly<Record<"payin" | "payout", Partial<Record<Scenario, FakeReply>>>> = {
  payin: {
    declined_instrument: refused(
      500,
      "500.001.1001",
      "Unable to lock subscriber, a transaction is already in process for the current subscriber"
    ),
    declined_provider: refused(500, "500.003.03", "Error Occurred: Quota Violation"),
    other_amount: invalid("Amount")
  },
  payout: { declined_provider: refused(500, "500.003.03", "Error Occurred: Quota Violation") }
}

const routes = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books, now, take } = world
  const tokens = new Map<string, number>()

  const hasToken = ({ headers }: FakeRequest): boolean =>
    (tokens.get(headers["authorization"]?.replace(/^Bearer /, "") ?? "") ?? 0) > now().getTime()

  const guarded = authorizedBy(hasToken, refused(404, "404.001.03", "Invalid Access Token"))

  const reading =
    <A, I>(schema: Schema.Schema<A, I>, answer: (body: A, scenario: Scenario) => FakeReply): FakeRoute["answer"] =>
    (request, scenario) =>
      Either.match(Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(jsonBody(request)), {
        onLeft: ({ message }) => invalid(message),
        onRight: (body) => answer(body, scenario)
      })

  const isSigned = ({ Password, Timestamp }: { readonly Password: string; readonly Timestamp: string }): boolean =>
    Password === Buffer.from(`${credentials.shortcode}${credentials.passkey}${Timestamp}`).toString("base64")

  const wrongPassword = refused(500, "500.001.1001", "Wrong credentials")

  const grant: FakeRoute["answer"] = ({ headers, query }) => {
    const basic = Buffer.from(`${credentials.consumer_key}:${credentials.consumer_secret}`).toString("base64")
    if (headers["authorization"] !== `Basic ${basic}`) return { status: 400 }
    if (query.get("grant_type") !== "client_credentials") return refused(400, "400.008.02", "Invalid grant type passed")
    const access_token = sha256Hex(`token ${tokens.size} ${now().getTime()}`)
    tokens.set(access_token, now().getTime() + SECONDS * 1000)
    return { status: 200, body: { access_token, expires_in: `${SECONDS}` } }
  }

  const push = reading(Push, (body, scenario) => {
    if (!isSigned(body)) return wrongPassword
    const refusal = declines.payin[scenario]
    if (refusal !== undefined) return refusal
    const count = books.all().length
    const merchantId = `29115-${34620561 + count}-1`
    // Prompts have no idempotency key: each is another one.
    const id = `ws_CO_${body.Timestamp}${count}${body.PhoneNumber}`
    const kept = { merchantId, phone: body.PhoneNumber, callbackUrl: body.CallBackURL }
    const money = Option.getOrThrow(moneyOfMajor(`${body.Amount}`, "KES"))
    const entry = take({ id, reference: id, kind: "payin", money, kept })
    const accepted = "Success. Request accepted for processing"
    const said = { ResponseCode: "0", ResponseDescription: accepted, CustomerMessage: accepted }
    return { status: 200, body: { ...idsOf(entry), ...said } }
  })

  const query = reading(Query, (body) => {
    if (!isSigned(body)) return wrongPassword
    const entry = books.byId(body.CheckoutRequestID)
    if (entry?.kind !== "payin") return invalid("CheckoutRequestID")
    if (!isOver(entry)) return refused(500, "500.001.1001", "The transaction is being processed")
    const [code, ResultDesc] = pushResult(entry)
    const accepted = { ResponseCode: "0", ResponseDescription: "The service request has been accepted successfully" }
    return { status: 200, body: { ...accepted, ...idsOf(entry), ResultCode: `${code}`, ResultDesc } }
  })

  const acknowledged = (reference: string, about: string): FakeReply => ({
    status: 200,
    body: {
      ConversationID: conversationOf(about),
      OriginatorConversationID: reference,
      ResponseCode: "0",
      ResponseDescription: "Accept the service request successfully."
    }
  })

  const payOut = reading(Payout, (body, scenario) => {
    const { OriginatorConversationID: reference } = body
    if (books.byReference("payout", reference) !== undefined) {
      return refused(500, "500.002.1001", "Duplicate OriginatorConversationID.")
    }
    const refusal = declines.payout[scenario]
    if (refusal !== undefined) return refusal
    const money = Option.getOrThrow(moneyOfMajor(`${body.Amount}`, "KES"))
    take({ id: conversationOf(reference), reference, kind: "payout", money, kept: { callbackUrl: body.ResultURL } })
    return acknowledged(reference, reference)
  })

  /** Whether there is such a transaction is in its result. */
  const status = reading(Status, ({ OriginalConversationID: asked, ResultURL }) => {
    world.callBack(ResultURL, () => statusCallback(asked, books.byReference("payout", asked)))
    return acknowledged(`status-${asked}`, `status ${asked}`)
  })

  const post = (path: string, answer: FakeRoute["answer"]) => ({ method: "POST", path, answer: guarded(answer) })

  return [
    { method: "GET", path: "/oauth/v1/generate", answer: grant },
    { ...post("/mpesa/stkpush/v1/processrequest", push), moves: moneyIn },
    post("/mpesa/stkpushquery/v1/query", query),
    { ...post("/mpesa/b2c/v3/paymentrequest", payOut), moves: moneyIn },
    post("/mpesa/transactionstatus/v1/query", status)
  ]
}

/** Reports the end only, as M-Pesa does. */
const callbackOf = (entry: Entry): FakeCallback | undefined => {
  if (!isOver(entry)) return undefined
  return entry.kind === "payin" ? pushCallback(entry) : payoutCallback(entry)
}

export const mpesaFake: Fake = { name: "mpesa", wholeUnits: true, credentials, routes, callbackOf }
