/** Requests to PayPal. */
import { Either } from "effect"
import type { Money } from "../../domain/Money.ts"
import { type Declined } from "../../domain/Outcome.ts"
import type { ProviderCall } from "../client/ProviderHttp.ts"
import type { PaymentOrder } from "../port/Provider.ts"
import { paypalText } from "./PaypalSchemas.ts"
import { exactAmount, invalidOrder } from "../client/ProviderReplies.ts"

type PreparedCall = Either.Either<ProviderCall, Declined>

const json = { "content-type": "application/json" } as const

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
 * Our reference is the key of the request, the id by which its events name it, and the invoice, of which PayPal takes one
 * payment only.
 */
export const createOrder = ({ description, money, reference, returnUrl }: PaymentOrder): PreparedCall =>
  Either.map(textOf(money), (value) => ({
    operation: "create order",
    method: "POST",
    path: "/v2/checkout/orders",
    headers: { ...json, ...whole, "paypal-request-id": reference },
    body: JSON.stringify({
      intent: "CAPTURE",
      purchase_units: [
        {
          reference_id: reference,
          custom_id: reference,
          invoice_id: reference,
          amount: { currency_code: money.currency, value },
          ...described(description)
        }
      ],
      payment_source: {
        paypal: {
          experience_context: {
            return_url: returnUrl,
            cancel_url: returnUrl,
            shipping_preference: "NO_SHIPPING",
            user_action: "PAY_NOW",
            payment_method_preference: "IMMEDIATE_PAYMENT_REQUIRED"
          }
        }
      }
    })
  }))

const shown =
  (operation: string, path: string) =>
  (id: string): ProviderCall => ({ operation, method: "GET", path: `${path}/${encodeURIComponent(id)}` })

export const showOrder = shown("show order", "/v2/checkout/orders")

/** The key follows from the reference: however often the customer comes back, it is one capture. */
export const captureOrder = (id: string, reference: string): ProviderCall => ({
  operation: "capture order",
  method: "POST",
  path: `/v2/checkout/orders/${encodeURIComponent(id)}/capture`,
  headers: { ...json, ...whole, "paypal-request-id": `${reference}-capture` },
  body: "{}"
})

const SUBJECT = "You have received a payment"

/** One item to a batch, so that the batch is the payout. */
export const createPayout = ({ description, money, recipient, reference }: PaymentOrder): PreparedCall =>
  Either.gen(function* () {
    const value = yield* textOf(money)
    const receiver = yield* Either.fromNullable(recipient?.email, () =>
      invalidOrder("PayPal needs the recipient's e-mail address")
    )
    return {
      operation: "create payout",
      method: "POST",
      path: "/v1/payments/payouts",
      headers: { ...json, "paypal-request-id": reference },
      body: JSON.stringify({
        sender_batch_header: { sender_batch_id: reference, email_subject: SUBJECT },
        items: [
          {
            recipient_type: "EMAIL",
            receiver,
            sender_item_id: reference,
            amount: { currency: money.currency, value },
            ...(description === null ? {} : { note: cut(description, NOTE_BYTES) })
          }
        ]
      })
    }
  })

export const showPayout = shown("show payout", "/v1/payments/payouts")

export const showCapture = shown("show capture", "/v2/payments/captures")
export const showRefund = shown("show refund", "/v2/payments/refunds")
export const showDispute = shown("show dispute", "/v1/customer/disputes")

export const disputesOf = (captureId: string): ProviderCall => ({
  operation: "list disputes",
  method: "GET",
  path: `/v1/customer/disputes?${new URLSearchParams({ disputed_transaction_id: captureId }).toString()}`
})

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
export const verifySignature = (transmission: Transmission, event: string): ProviderCall => ({
  operation: "verify callback",
  method: "POST",
  path: "/v1/notifications/verify-webhook-signature",
  headers: json,
  body: `${JSON.stringify(transmission).slice(0, -1)},"webhook_event":${event}}`
})
