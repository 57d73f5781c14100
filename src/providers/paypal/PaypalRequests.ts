/** Requests to PayPal. */
import { Either } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { Declined } from "../../domain/Outcome.ts"
import { get, postJson, type ProviderCall, withQuery } from "../client/ProviderHttp.ts"
import type { PaymentOrder } from "../port/Provider.ts"
import { paypalText } from "./PaypalSchemas.ts"
import { exactAmount, invalidOrder } from "../client/ProviderReplies.ts"

type PreparedCall = Either.Either<ProviderCall, Declined>

/** Without it the answer to an order leaves out what was captured. */
const whole = { prefer: "return=representation" } as const

const textOf = (money: Money): Either.Either<string, Declined> => exactAmount("PayPal", money, paypalText(money))

const DESCRIPTION_BYTES = 127
const NOTE_BYTES = 1000

/** PayPal counts letters beyond ASCII as more than one. */
const cut = (text: string, bytes: number): string => {
  let left = bytes
  return [...text]
    .filter((letter) => {
      left = left < 0 ? left : left - Buffer.byteLength(letter)
      return left >= 0
    })
    .join("")
}

const described = (description: string | null) =>
  description === null || description === "" ? {} : { description: cut(description, DESCRIPTION_BYTES) }

/**
 * Creates an order. Our reference is the key of the request, the id in its events, and the invoice. PayPal takes one
 * payment for an invoice.
 */
export const createOrder = ({ description, money, reference, returnUrl }: PaymentOrder): PreparedCall =>
  Either.map(textOf(money), (value) => {
    const purchase = {
      reference_id: reference,
      custom_id: reference,
      invoice_id: reference,
      amount: { currency_code: money.currency, value },
      ...described(description)
    }
    const experience_context = {
      return_url: returnUrl,
      cancel_url: returnUrl,
      shipping_preference: "NO_SHIPPING",
      user_action: "PAY_NOW",
      payment_method_preference: "IMMEDIATE_PAYMENT_REQUIRED"
    }
    const payment_source = { paypal: { experience_context } }
    const body = { intent: "CAPTURE", purchase_units: [purchase], payment_source }
    return postJson("create order", "/v2/checkout/orders", body, { ...whole, "paypal-request-id": reference })
  })

const shown = (operation: string, path: string) => (id: string) => get(operation, `${path}/${encodeURIComponent(id)}`)

export const showOrder = shown("show order", "/v2/checkout/orders")

/** The key follows from the reference: however often the customer comes back, it is one capture. */
export const captureOrder = (id: string, reference: string): ProviderCall => {
  const headers = { ...whole, "paypal-request-id": `${reference}-capture` }
  return postJson("capture order", `/v2/checkout/orders/${encodeURIComponent(id)}/capture`, {}, headers)
}

const SUBJECT = "You have received a payment"

/** Creates a payout: one item to a batch, so that the batch is the payout. */
export const createPayout = ({ description, money, recipient, reference }: PaymentOrder): PreparedCall =>
  Either.gen(function* () {
    const value = yield* textOf(money)
    const receiver = yield* Either.fromNullable(recipient?.email, () =>
      invalidOrder("PayPal needs the recipient's e-mail address")
    )
    const item = {
      recipient_type: "EMAIL",
      receiver,
      sender_item_id: reference,
      amount: { currency: money.currency, value },
      ...(description === null ? {} : { note: cut(description, NOTE_BYTES) })
    }
    const sender_batch_header = { sender_batch_id: reference, email_subject: SUBJECT }
    const body = { sender_batch_header, items: [item] }
    return postJson("create payout", "/v1/payments/payouts", body, { "paypal-request-id": reference })
  })

export const showPayout = shown("show payout", "/v1/payments/payouts")

export const showCapture = shown("show capture", "/v2/payments/captures")
export const showRefund = shown("show refund", "/v2/payments/refunds")
export const showDispute = shown("show dispute", "/v1/customer/disputes")

export const disputesOf = (captureId: string): ProviderCall =>
  get("list disputes", withQuery("/v1/customer/disputes", { disputed_transaction_id: captureId }))

export const requestToken = (clientId: string, clientSecret: string): ProviderCall => ({
  operation: "request token",
  method: "POST",
  path: "/v1/oauth2/token",
  headers: {
    "content-type": "application/x-www-form-urlencoded",
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`
  },
  body: "grant_type=client_credentials"
})

export interface Transmission {
  readonly auth_algo: string
  readonly cert_url: string
  readonly transmission_id: string
  readonly transmission_sig: string
  readonly transmission_time: string
  readonly webhook_id: string
}

/** The event goes back as the text that came: another order of its fields or another zero would have another signature. */
export const verifySignature = (transmission: Transmission, event: string): ProviderCall =>
  postJson(
    "verify callback",
    "/v1/notifications/verify-webhook-signature",
    `${JSON.stringify(transmission).slice(0, -1)},"webhook_event":${event}}`
  )
