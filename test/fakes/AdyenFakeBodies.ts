/** Bodies that the fake of Adyen accepts: with all that Adyen needs, and nothing that Adyen does not know. */
import { Either, ParseResult, Schema } from "effect"
import type { FakeReply, Dispute, Fake, FakeCallback, FakeDisputes, FakeWorld } from "./Fake.ts"
import { readJson } from "../../src/providers/client/WireValues.ts"
import { sha256Hex } from "../../src/domain/Digest.ts"
import type { Money } from "../../src/domain/Money.ts"
import type { Entry } from "./FakeLedger.ts"
import { amountOf } from "../../src/providers/adyen/AdyenCorridors.ts"
import { bodySignature, type Item, itemSignature } from "../../src/providers/adyen/AdyenCallbacks.ts"
import { linkReference, refundReference } from "../../src/providers/adyen/AdyenRequests.ts"

const upTo = (length: number) => Schema.String.pipe(Schema.maxLength(length))
const some = Schema.optional

/** Numbers are the text that was sent. */
const Amount = Schema.Struct({
  currency: Schema.String.pipe(Schema.pattern(/^[A-Z]{3}$/)),
  value: Schema.String.pipe(Schema.pattern(/^\d{1,15}$/))
})

const shopper = { countryCode: some(upTo(100)), shopperEmail: some(upTo(500)) }

export const NewLink = Schema.Struct({
  amount: Amount,
  merchantAccount: Schema.String,
  reference: upTo(80),
  returnUrl: some(upTo(8000)),
  allowedPaymentMethods: some(Schema.Array(Schema.String)),
  expiresAt: some(Schema.String.pipe(Schema.pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/))),
  description: some(upTo(280)),
  ...shopper
})

const Whole = Schema.String.pipe(Schema.pattern(/^-?\d{1,6}$/))

const BrowserInfo = Schema.Struct({
  acceptHeader: Schema.String,
  colorDepth: Whole,
  javaEnabled: Schema.Boolean,
  javaScriptEnabled: some(Schema.Boolean),
  language: Schema.String,
  screenHeight: Whole,
  screenWidth: Whole,
  timeZoneOffset: Whole,
  userAgent: Schema.String
})

export const NewPayment = Schema.Struct({
  amount: Amount,
  merchantAccount: Schema.String,
  reference: upTo(80),
  returnUrl: upTo(8000),
  paymentMethod: Schema.Struct({
    type: Schema.Literal("scheme"),
    number: Schema.String.pipe(Schema.pattern(/^\d{12,19}$/)),
    expiryMonth: Schema.String.pipe(Schema.pattern(/^\d{1,2}$/)),
    expiryYear: Schema.String.pipe(Schema.pattern(/^\d{4}$/)),
    cvc: some(Schema.String.pipe(Schema.pattern(/^\d{3,4}$/))),
    holderName: some(upTo(15000))
  }),
  channel: some(Schema.Literal("iOS", "Android", "Web")),
  shopperInteraction: some(Schema.Literal("Ecommerce", "ContAuth", "Moto", "POS")),
  redirectToIssuerMethod: some(Schema.String),
  redirectFromIssuerMethod: some(Schema.String),
  browserInfo: some(BrowserInfo),
  origin: some(upTo(80)),
  shopperIP: some(upTo(1000)),
  ...shopper
})

export const Details = Schema.Struct({ details: Schema.Struct({ redirectResult: some(upTo(20000)) }) })

export const NewRefund = Schema.Struct({
  amount: Amount,
  merchantAccount: Schema.String,
  reference: some(upTo(80))
})

export const CloseLink = Schema.Struct({ status: Schema.Literal("expired") })

export const CancelById = Schema.Struct({ merchantAccount: Schema.String, reference: some(upTo(80)) })

export const CancelByReference = Schema.Struct({ ...CancelById.fields, paymentReference: Schema.String })

const Identification = Schema.Union(
  Schema.Struct({ type: Schema.Literal("iban"), iban: Schema.String.pipe(Schema.pattern(/^[A-Z]{2}\d{2}[A-Z0-9]+$/)) }),
  ...(
    [
      ["auLocal", "bsbCode"],
      ["czLocal", "bankCode"],
      ["dkLocal", "bankCode"],
      ["hkLocal", "clearingCode"],
      ["seLocal", "clearingNumber"],
      ["sgLocal", "bic"],
      ["ukLocal", "sortCode"],
      ["usLocal", "routingNumber"]
    ] as const
  ).map(([type, bank]) =>
    Schema.Struct({ type: Schema.Literal(type), accountNumber: upTo(34), [bank]: Schema.NonEmptyString })
  ),
  Schema.Struct({ type: Schema.Literal("huLocal", "noLocal", "nzLocal", "plLocal"), accountNumber: upTo(34) })
)

export const NewTransfer = Schema.Struct({
  amount: Amount,
  balanceAccountId: Schema.String,
  category: Schema.Literal("bank"),
  counterparty: Schema.Struct({
    bankAccount: Schema.Struct({
      accountHolder: Schema.Struct({ fullName: Schema.NonEmptyString }),
      accountIdentification: Identification
    })
  }),
  priority: some(Schema.Literal("crossBorder", "fast", "instant", "internal", "regular", "wire")),
  reference: some(upTo(80)),
  description: some(upTo(140))
})

export const checkoutError = (status: number, errorCode: string, message: string, errorType: string): FakeReply => ({
  status,
  body: { status, errorCode, message, errorType }
})

/** Errors of transfers are written otherwise. */
export const transferError = (status: number, errorCode: string, detail: string): FakeReply => ({
  status,
  body: { type: "https://docs.adyen.com/errors/general", title: "Invalid request", status, detail, errorCode }
})

export type Refuse = (status: number, errorCode: string, message: string, errorType: string) => FakeReply

const problem = (error: ParseResult.ParseError, refuse: Refuse): FakeReply => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const field = (issue?.path ?? []).map(String).join(".")
  switch (issue?._tag) {
    case "Missing":
      return refuse(422, "130", `Required field '${field}' is not provided.`, "validation")
    case "Unexpected":
      return refuse(400, "702", `The request contains the following unknown fields: [${field}]`, "validation")
    default:
      return refuse(422, "702", `The field '${field}' is not valid.`, "validation")
  }
}

export const taken = <A, I>(schema: Schema.Schema<A, I>, refuse: Refuse = checkoutError) => {
  const decode = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })
  return (body: string): Either.Either<A, FakeReply> =>
    readJson(body).pipe(
      Either.mapLeft(() => refuse(400, "702", "The body is not JSON", "validation")),
      Either.flatMap((json) => Either.mapLeft(decode(json), (error) => problem(error, refuse)))
    )
}

/** Answers and callbacks of the fake of Adyen about its entries, and its credentials. */
export const credentials = {
  api_key: "AQE-fake-of-corridor",
  merchant_account: "CorridorFakeECOM",
  webhook_secret: "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056",
  balance_account: "BA00000000000000000000001",
  balance_platform: "CorridorFakePlatform",
  transfers_base_url: "{url}/btl/v4",
  transfers_api_key: "AQE-fake-of-corridor-transfers",
  transfer_webhook_secret: "9F1C38E4B6A0D7725E4C1B08A3F6D2E97B405C8812DEAF6630194B7C5D2E8A1F",
  management_base_url: "{url}/management/v3",
  management_api_key: "AQE-fake-of-corridor-management"
}

/** Sixteen letters and digits, as Adyen's are. */
export const pspOf = (of: string): string => sha256Hex(of).slice(0, 16).toUpperCase()

export const linkIdOf = (of: string): string => `PL${pspOf(of)}`

/** Only what Adyen's own digits can say was ever taken. */
export const shownAmount = (money: Money): { readonly currency: string; readonly value: number } => {
  const { currency, value } = Either.getOrThrow(amountOf(money))
  return { currency, value: Number(value) }
}

/** Adyen's number of the payment: that of a link is another one than the link's. */
export const paymentPsp = ({ id, kept }: Entry): string => (kept["isLink"] === true ? pspOf(`payment of ${id}`) : id)

const merchantReference = ({ kept, kind, reference }: Entry): string => {
  if (kind === "refund") return refundReference(reference)
  return kept["isLink"] === true ? linkReference(reference) : reference
}

const linkStatuses: Readonly<Record<Entry["state"], string>> = {
  waiting: "active",
  processing: "paymentPending",
  completed: "completed",
  // A refused card leaves a link open until it expires, which here is at once.
  failed: "expired",
  returned: "completed"
}

export const linkOf = (entry: Entry, url: string): Readonly<Record<string, unknown>> => ({
  id: entry.id,
  amount: shownAmount(entry.state === "completed" ? entry.moved : entry.asked),
  merchantAccount: credentials.merchant_account,
  reference: merchantReference(entry),
  expiresAt: new Date(entry.createdAt.getTime() + 86_400_000).toISOString(),
  status: entry.kept["calledOff"] === true ? "expired" : linkStatuses[entry.state],
  url: `${url}/hosted/links/${entry.id}`,
  ...(typeof entry.kept["returnUrl"] === "string" ? { returnUrl: entry.kept["returnUrl"] } : {})
})

const resultCodes: Readonly<Record<Entry["state"], string>> = {
  waiting: "RedirectShopper",
  processing: "Received",
  completed: "Authorised",
  failed: "Refused",
  returned: "Authorised"
}

export const resultOf = (entry: Entry, url: string): Readonly<Record<string, unknown>> => ({
  pspReference: entry.id,
  merchantReference: merchantReference(entry),
  resultCode: entry.kept["calledOff"] === true ? "Cancelled" : resultCodes[entry.state],
  amount: shownAmount(entry.state === "completed" ? entry.moved : entry.asked),
  ...(entry.state === "failed" ? { refusalReason: "Refused", refusalReasonCode: "2" } : {}),
  ...(entry.state === "waiting"
    ? { action: { type: "redirect", method: "GET", paymentMethodType: "scheme", url: `${url}/hosted/3ds/${entry.id}` } }
    : {})
})

const transferStatuses: Readonly<Record<Entry["state"], readonly [status: string, reason: string]>> = {
  waiting: ["received", "pending"],
  processing: ["received", "pending"],
  completed: ["booked", "approved"],
  failed: ["failed", "counterpartyAccountClosed"],
  returned: ["returned", "counterpartyAccountClosed"]
}

export const transferOf = (entry: Entry): Readonly<Record<string, unknown>> => {
  const [status, reason] = transferStatuses[entry.state]
  return {
    id: entry.id,
    amount: shownAmount(entry.state === "completed" ? entry.moved : entry.asked),
    balanceAccount: { id: credentials.balance_account },
    category: "bank",
    categoryData: { type: "bank", priority: "regular" },
    counterparty: entry.kept["counterparty"],
    direction: "outgoing",
    reference: entry.reference,
    reason,
    status
  }
}

const signedItem = (item: Omit<Item, "amount" | "additionalData" | "reason">, money: Money, at: Date): FakeCallback => {
  const amount = shownAmount(money)
  const { originalReference, ...rest } = item
  const hmacSignature = itemSignature(
    { ...item, amount: { currency: amount.currency, value: `${amount.value}` } },
    credentials.webhook_secret
  )
  const NotificationRequestItem = {
    ...rest,
    ...(originalReference === null ? {} : { originalReference }),
    amount,
    eventDate: at.toISOString(),
    paymentMethod: "visa",
    reason: "",
    additionalData: { hmacSignature }
  }
  const body = JSON.stringify({ live: "false", notificationItems: [{ NotificationRequestItem }] })
  return { headers: { "content-type": "application/json" }, body }
}

const transferCallback = (entry: Entry, at: Date): FakeCallback => {
  const body = JSON.stringify({
    type: entry.state === "processing" ? "balancePlatform.transfer.created" : "balancePlatform.transfer.updated",
    environment: "test",
    timestamp: at.toISOString(),
    data: { ...transferOf(entry), balancePlatform: credentials.balance_platform }
  })
  const HmacSignature = bodySignature(body, credentials.transfer_webhook_secret)
  return { headers: { "content-type": "application/json", hmacsignature: HmacSignature, protocol: "HmacSHA256" }, body }
}

/** Events of a payment after its authorisation: each has an id of its own and names the payment. */
const aboutPaid = (of: Entry, eventCode: string, cause: string, money: Money, now: Date): FakeCallback =>
  signedItem(
    {
      merchantAccountCode: credentials.merchant_account,
      merchantReference: merchantReference(of),
      success: "true",
      eventCode,
      pspReference: pspOf(`${cause} of ${of.id}`),
      originalReference: paymentPsp(of)
    },
    money,
    now
  )

/** Callbacks of Adyen: how a payment or a refund ended, and of a transfer also that it began. */
export const callbackOf = (entry: Entry, { books, now }: FakeWorld): FakeCallback | undefined => {
  if (entry.kind === "payout") return transferCallback(entry, entry.createdAt)
  if (entry.state === "processing" || entry.state === "waiting") return undefined
  const about = {
    merchantAccountCode: credentials.merchant_account,
    merchantReference: merchantReference(entry),
    success: `${entry.state === "completed"}`
  }
  if (entry.kind === "refund") {
    const paid = books.byId(entry.of ?? "")
    const originalReference = paid === undefined ? null : paymentPsp(paid)
    return signedItem({ ...about, eventCode: "REFUND", pspReference: entry.id, originalReference }, entry.moved, now())
  }
  return entry.state === "returned"
    ? aboutPaid(entry, "CANCELLATION", "cancellation", entry.moved, now())
    : signedItem(
        { ...about, eventCode: "AUTHORISATION", pspReference: paymentPsp(entry), originalReference: null },
        entry.moved,
        now()
      )
}

/** Event under its payment's own name, without its cause. */
export const refundedByHand: NonNullable<Fake["refundedByHand"]> = (of, money, { now }) =>
  aboutPaid(of, "REFUND", "refund by hand", money, now())

/** A chargeback takes the money at once, and is reversed where it was defended; that it was lost is only said. */
const disputeEvents: Readonly<Record<Dispute["stage"], ReadonlyArray<string>>> = {
  opened: ["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK"],
  won: ["CHARGEBACK_REVERSED"],
  lost: ["PREARBITRATION_LOST"]
}

export const disputes: FakeDisputes = {
  takes: "at once",
  callbacksOf: ({ money, of, stage }, { now }) =>
    disputeEvents[stage].map((eventCode) => aboutPaid(of, eventCode, "dispute", money, now()))
}
