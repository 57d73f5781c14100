/** Requests of Daraja, Safaricom's API, and the addresses that its results are sent to. */
import { createHmac } from "node:crypto"
import { Either } from "effect"
import { stringifyWire, WireNumber } from "../../domain/Decimal.ts"
import { Declined } from "../../domain/Outcome.ts"
import { postJson, type ProviderCall } from "../client/ProviderHttp.ts"
import { exactAmount, notSupported } from "../client/ProviderReplies.ts"
import { minorText } from "../client/WireValues.ts"
import type { PaymentOrder } from "../port/Provider.ts"
import { serving } from "../port/ThirdParty.ts"

const NETWORK = "mpesa"

export const serves = serving("both", "mobile_money", "KE", "KES", [NETWORK])

/** Use of an address. `timeout`: Safaricom's queue was full, so nothing is known. */
export const uses = ["payin", "payout", "status", "timeout"] as const
export type Use = (typeof uses)[number]

/**
 * Daraja signs nothing. So each order names an address of its own, with a code that only this account and Safaricom know.
 * The passkey cannot be the secret: all sandbox accounts have the same one.
 */
export const proofOf = (secret: string, use: Use, reference: string): string =>
  createHmac("sha256", secret).update(`callback ${use} ${reference}`).digest("base64url")

const SHOWN_REFERENCE = 12
const LONGEST_DESCRIPTION = 13
const LONGEST_REMARKS = 100

/** The prompt and the statement show plain letters only. */
const plain = (text: string | null, longest: number): string => {
  const kept = (text ?? "")
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9 .,-]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, longest)
    .trim()
  return kept.length < 2 ? "Payment" : kept
}

/** Kenya has had one time zone, without summer time, since 1960. */
const NAIROBI_MILLIS = 3 * 3_600_000
const TIMESTAMP_DIGITS = 14

export const timestampAt = (millis: number): string =>
  new Date(millis + NAIROBI_MILLIS).toISOString().replace(/\D/g, "").slice(0, TIMESTAMP_DIGITS)

export interface Payee {
  readonly shortcode: string
  readonly passkey: string
  /** Where customers pay a till and not a paybill number. */
  readonly till: string | undefined
}

export interface Initiator {
  readonly name: string
  readonly credential: string
  readonly shortcode: string
}

type AddressFor = (use: Use, reference: string) => string

const signedBy = ({ passkey, shortcode }: Payee, millis: number) => {
  const timestamp = timestampAt(millis)
  return {
    BusinessShortCode: shortcode,
    Password: Buffer.from(`${shortcode}${passkey}${timestamp}`).toString("base64"),
    Timestamp: timestamp
  }
}

/** Safaricom's numbers begin with 7 or 1 behind the country's code. */
const safaricomNumber = /^254[17]\d{8}$/

const wished = ({
  mobileMoney,
  money
}: PaymentOrder): Either.Either<{ amount: WireNumber; phone: string }, Declined> => {
  if (mobileMoney === null || mobileMoney.network !== NETWORK || money.currency !== "KES") {
    return Either.left(notSupported("M-Pesa asks and pays Kenyan numbers of M-Pesa in KES alone"))
  }
  const phone = mobileMoney.phoneNumber.replace(/\D/g, "")
  if (!safaricomNumber.test(phone)) {
    const reason = "The number is no Kenyan number of Safaricom"
    return Either.left(new Declined({ reason, code: "ACCOUNT_INVALID", instrument: true }))
  }
  return Either.map(exactAmount("M-Pesa, which takes whole shillings,", money, minorText(money, 0)), (amount) => ({
    amount: new WireNumber(amount),
    phone
  }))
}

export const pushRequest = (
  order: PaymentOrder,
  payee: Payee,
  addressFor: AddressFor,
  millis: number
): Either.Either<ProviderCall, Declined> =>
  Either.map(wished(order), ({ amount, phone }) =>
    postJson(
      "push prompt",
      "/mpesa/stkpush/v1/processrequest",
      stringifyWire({
        ...signedBy(payee, millis),
        TransactionType: payee.till === undefined ? "CustomerPayBillOnline" : "CustomerBuyGoodsOnline",
        Amount: amount,
        PartyA: phone,
        PartyB: payee.till ?? payee.shortcode,
        PhoneNumber: phone,
        CallBackURL: addressFor("payin", order.reference),
        // The end of the reference is its random part, which tells payments of one moment apart.
        AccountReference: order.reference.replaceAll("-", "").slice(-SHOWN_REFERENCE),
        TransactionDesc: plain(order.description, LONGEST_DESCRIPTION)
      })
    )
  )

export const pushQuery = (checkoutId: string, payee: Payee, millis: number): ProviderCall =>
  postJson("query prompt", "/mpesa/stkpushquery/v1/query", {
    ...signedBy(payee, millis),
    CheckoutRequestID: checkoutId
  })

export const payoutRequest = (
  order: PaymentOrder,
  { credential, name, shortcode }: Initiator,
  addressFor: AddressFor
): Either.Either<ProviderCall, Declined> =>
  Either.map(wished(order), ({ amount, phone }) =>
    postJson(
      "pay customer",
      "/mpesa/b2c/v3/paymentrequest",
      stringifyWire({
        // Safaricom refuses a second payout with the same one.
        OriginatorConversationID: order.reference,
        InitiatorName: name,
        SecurityCredential: credential,
        CommandID: "BusinessPayment",
        Amount: amount,
        PartyA: shortcode,
        PartyB: phone,
        Remarks: plain(order.description, LONGEST_REMARKS),
        QueueTimeOutURL: addressFor("timeout", order.reference),
        ResultURL: addressFor("payout", order.reference)
      })
    )
  )

/** The answer only acknowledges the question. What became of the payout is sent to the address. */
export const statusQuery = (
  reference: string,
  { credential, name, shortcode }: Initiator,
  addressFor: AddressFor
): ProviderCall =>
  postJson("query transaction status", "/mpesa/transactionstatus/v1/query", {
    Initiator: name,
    SecurityCredential: credential,
    CommandID: "TransactionStatusQuery",
    OriginalConversationID: reference,
    PartyA: shortcode,
    IdentifierType: "4",
    ResultURL: addressFor("status", reference),
    QueueTimeOutURL: addressFor("timeout", reference),
    Remarks: "Status"
  })
