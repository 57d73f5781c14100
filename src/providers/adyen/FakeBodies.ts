/** What the fake of Adyen takes: bodies with all that Adyen needs, and nothing in them that Adyen does not know. */
import { Either, ParseResult, Schema } from "effect"
import type { FakeReply } from "../fakes/Fake.ts"
import { readJson } from "../port/WireValues.ts"

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

/** Those of transfers are written otherwise. */
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
