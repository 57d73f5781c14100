/** Bodies that the fake of PayPal accepts, and the shapes of its answers. */
import { createHash, generateKeyPairSync, sign, verify } from "node:crypto"
import { Either, Option, Schema } from "effect"
import type { Money } from "../../src/domain/Money.ts"
import type { FakeReply, FakeRequest, Dispute, FakeCallback, FakeDisputes, FakeWorld } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import { moneyOfMajor, readJson } from "../../src/providers/client/WireValues.ts"
import { paypalText } from "../../src/providers/paypal/PaypalSchemas.ts"
import { crc32 } from "node:zlib"
import type { Transmission } from "../../src/providers/paypal/PaypalRequests.ts"

const Id = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(127))
const Url = Schema.String.pipe(Schema.pattern(/^https?:\/\//))
const Value = Schema.String.pipe(Schema.pattern(/^\d+(\.\d+)?$/))
const Currency = Schema.String.pipe(Schema.pattern(/^[A-Z]{3}$/))

export const OrderBody = Schema.Struct({
  intent: Schema.Literal("CAPTURE"),
  purchase_units: Schema.Tuple(
    Schema.Struct({
      reference_id: Schema.optional(Id),
      custom_id: Id,
      invoice_id: Schema.optional(Id),
      description: Schema.optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(127))),
      amount: Schema.Struct({ currency_code: Currency, value: Value })
    })
  ),
  payment_source: Schema.Struct({
    paypal: Schema.Struct({
      experience_context: Schema.Struct({
        return_url: Url,
        cancel_url: Url,
        landing_page: Schema.optional(Schema.Literal("LOGIN", "GUEST_CHECKOUT", "NO_PREFERENCE")),
        shipping_preference: Schema.Literal("GET_FROM_FILE", "NO_SHIPPING", "SET_PROVIDED_ADDRESS"),
        user_action: Schema.Literal("CONTINUE", "PAY_NOW"),
        payment_method_preference: Schema.Literal("UNRESTRICTED", "IMMEDIATE_PAYMENT_REQUIRED")
      })
    })
  })
})

export const PayoutBody = Schema.Struct({
  sender_batch_header: Schema.Struct({
    sender_batch_id: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(256)),
    email_subject: Schema.String.pipe(Schema.maxLength(255))
  }),
  items: Schema.Tuple(
    Schema.Struct({
      recipient_type: Schema.Literal("EMAIL"),
      receiver: Schema.String.pipe(Schema.pattern(/^[^\s@]+@[^\s@]+$/), Schema.maxLength(127)),
      sender_item_id: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(63)),
      amount: Schema.Struct({ currency: Currency, value: Value }),
      note: Schema.optional(Schema.String.pipe(Schema.maxLength(4000)))
    })
  )
})

export const VerificationBody = Schema.Struct({
  auth_algo: Schema.Literal("SHA256withRSA"),
  cert_url: Url,
  transmission_id: Id,
  transmission_sig: Schema.String,
  transmission_time: Schema.String,
  webhook_id: Schema.String,
  webhook_event: Schema.Object
})

const messages = {
  INVALID_REQUEST: "Request is not well-formed, syntactically incorrect, or violates schema.",
  AUTHENTICATION_FAILURE:
    "Authentication failed due to missing authorization header, or invalid authentication credentials.",
  RESOURCE_NOT_FOUND: "The specified resource does not exist.",
  UNPROCESSABLE_ENTITY:
    "The requested action could not be performed, semantically incorrect, or failed business validation.",
  VALIDATION_ERROR: "Invalid request - see details.",
  USER_BUSINESS_ERROR: "User business error.",
  INSUFFICIENT_FUNDS: "Sender does not have sufficient funds. Please add funds and retry."
} as const

interface Detail {
  readonly issue: string
  readonly field?: string
  readonly description?: string
  readonly link?: ReadonlyArray<unknown>
}

export const refusal = (
  status: number,
  name: keyof typeof messages,
  details: ReadonlyArray<Detail> = []
): FakeReply => ({
  status,
  body: { name, message: messages[name], debug_id: "fa4ed3b061d0e", details, links: [] }
})

export const bodyAs = <A, I>(schema: Schema.Schema<A, I>, name: "INVALID_REQUEST" | "VALIDATION_ERROR") => {
  const read = Schema.decodeUnknownEither(schema)
  const wrong = (issue: string) => refusal(400, name, [{ issue }])
  return ({ body }: FakeRequest): Either.Either<A, FakeReply> =>
    Either.flatMap(
      Either.mapLeft(readJson(body), () => wrong("MALFORMED_REQUEST_JSON")),
      (json) => Either.mapLeft(read(json), () => wrong("INVALID_PARAMETER_SYNTAX"))
    )
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").toUpperCase()

const ID_LENGTH = 17

/** Ids of PayPal, derived from what they are made for, so that a fake gives the same ids every time. */
export const idFor = (text: string): string => digest(text).slice(0, ID_LENGTH)

export const moneyIn = (value: string, currency: string): Option.Option<Money> => moneyOfMajor(value, currency)

const valueOf = (money: Money): string => Option.getOrElse(paypalText(money), () => money.toNumericText())

export const orderMoney = (money: Money) => ({ currency_code: money.currency, value: valueOf(money) })

const payoutMoney = (money: Money) => ({ currency: money.currency, value: valueOf(money) })

const captureStatuses = {
  waiting: "PENDING",
  processing: "PENDING",
  completed: "COMPLETED",
  failed: "DECLINED",
  returned: "REFUNDED"
} as const

/** The account that owns the app; orders name no other payee. */
export const payee = { email_address: "merchant@corridor.example", merchant_id: "2FAKEMERCHANT" }

export const captureOf = (entry: Entry) => ({
  id: idFor(`capture of ${entry.id}`),
  status: captureStatuses[entry.state],
  amount: orderMoney(entry.moved),
  custom_id: entry.reference,
  invoice_id: entry.reference,
  final_capture: true,
  payee,
  supplementary_data: { related_ids: { order_id: entry.id } },
  create_time: entry.createdAt.toISOString(),
  update_time: entry.createdAt.toISOString()
})

const orderStatus = ({ kept }: Entry): string =>
  kept.captured === true ? "COMPLETED" : kept.approved === true ? "APPROVED" : "PAYER_ACTION_REQUIRED"

export const orderOf = (entry: Entry, url: string) => {
  const status = orderStatus(entry)
  return {
    id: entry.id,
    intent: "CAPTURE",
    status,
    purchase_units: [
      {
        reference_id: entry.reference,
        custom_id: entry.reference,
        invoice_id: entry.reference,
        amount: orderMoney(entry.asked),
        payee,
        ...(entry.kept.captured === true ? { payments: { captures: [captureOf(entry)] } } : {})
      }
    ],
    create_time: entry.createdAt.toISOString(),
    links: [
      { href: `${url}/v2/checkout/orders/${entry.id}`, rel: "self", method: "GET" },
      ...(status === "PAYER_ACTION_REQUIRED"
        ? [{ href: `${url}/checkoutnow?token=${entry.id}`, rel: "payer-action", method: "GET" }]
        : []),
      ...(status === "APPROVED"
        ? [{ href: `${url}/v2/checkout/orders/${entry.id}/capture`, rel: "capture", method: "POST" }]
        : [])
    ]
  }
}

const itemStatuses = {
  waiting: "UNCLAIMED",
  processing: "PENDING",
  completed: "SUCCESS",
  failed: "FAILED",
  returned: "REVERSED"
} as const

export const itemOf = (entry: Entry) => ({
  payout_item_id: idFor(`item of ${entry.id}`),
  transaction_id: idFor(`transaction of ${entry.id}`),
  transaction_status: itemStatuses[entry.state],
  payout_item_fee: { currency: entry.asked.currency, value: "0.00" },
  payout_batch_id: entry.id,
  payout_item: {
    recipient_type: "EMAIL",
    amount: payoutMoney(entry.state === "completed" ? entry.moved : entry.asked),
    receiver: entry.kept.receiver,
    sender_item_id: entry.reference
  },
  time_processed: entry.createdAt.toISOString(),
  ...(entry.state === "failed"
    ? { errors: { name: "RECEIVER_ACCOUNT_LOCKED", message: `${entry.reason}`, debug_id: "fa4ed3b061d0e" } }
    : {})
})

export const batchOf = (entry: Entry, url: string) => ({
  batch_header: {
    payout_batch_id: entry.id,
    batch_status: entry.state === "processing" ? "PROCESSING" : "SUCCESS",
    time_created: entry.createdAt.toISOString(),
    sender_batch_header: { sender_batch_id: entry.reference, email_subject: `${entry.kept.subject}` }
  },
  links: [{ href: `${url}/v1/payments/payouts/${entry.id}`, rel: "self", method: "GET" }]
})

/** Signed callbacks, and the answer to their verification. */
const KEY_BITS = 2048

let pair: ReturnType<typeof generateKeys> | undefined

const generateKeys = () => generateKeyPairSync("rsa", { modulusLength: KEY_BITS })

/** Made when it is first needed: it takes a while. */
const keys = () => (pair ??= generateKeys())

type Signed = Pick<Transmission, "transmission_id" | "transmission_time" | "webhook_id">

const signedText = ({ transmission_id, transmission_time, webhook_id }: Signed, event: string): Buffer =>
  Buffer.from([transmission_id, transmission_time, webhook_id, crc32(event)].join("|"))

const captures = {
  waiting: "PENDING",
  processing: "PENDING",
  completed: "COMPLETED",
  failed: "DENIED",
  returned: "REVERSED"
} as const

const items = { completed: "SUCCEEDED", failed: "FAILED", returned: "RETURNED", waiting: "UNCLAIMED" } as const

interface About {
  readonly event_type: string
  readonly resource_type: string
  readonly resource: unknown
}

const aboutOf = (entry: Entry, world: FakeWorld): About => {
  if (entry.kind === "payin") {
    return {
      event_type: `PAYMENT.CAPTURE.${captures[entry.state]}`,
      resource_type: "capture",
      resource: captureOf(entry)
    }
  }
  return entry.state === "processing"
    ? { event_type: "PAYMENT.PAYOUTSBATCH.PROCESSING", resource_type: "payouts", resource: batchOf(entry, world.url) }
    : {
        event_type: `PAYMENT.PAYOUTS-ITEM.${items[entry.state]}`,
        resource_type: "payouts_item",
        resource: itemOf(entry)
      }
}

const outcomes = { won: "RESOLVED_SELLER_FAVOUR", lost: "RESOLVED_BUYER_FAVOUR" } as const

/** While it is open the money is only held. */
export const disputeId = ({ id }: Pick<Entry, "id">): string => `PP-D-${idFor(`dispute of ${id}`)}`

const aboutDispute = ({ money, of, stage }: Dispute): About => {
  const outcome =
    stage === "opened"
      ? {}
      : {
          dispute_outcome: {
            outcome_code: outcomes[stage],
            ...(stage === "lost" ? { amount_refunded: orderMoney(money) } : {})
          }
        }
  return {
    event_type: `CUSTOMER.DISPUTE.${stage === "opened" ? "CREATED" : "RESOLVED"}`,
    resource_type: "dispute",
    resource: {
      dispute_id: disputeId(of),
      create_time: of.createdAt.toISOString(),
      disputed_transactions: [{ seller_transaction_id: captureOf(of).id, custom: of.reference }],
      reason: "UNAUTHORISED",
      status: stage === "opened" ? "OPEN" : "RESOLVED",
      dispute_amount: orderMoney(money),
      ...outcome
    }
  }
}

const signedWith =
  (webhookId: string) =>
  (about: About, entry: Entry, world: FakeWorld): FakeCallback => {
    const at = world.now().toISOString()
    const body = JSON.stringify({
      id: `WH-${idFor(`${about.event_type} ${entry.id}`)}`,
      event_version: "1.0",
      create_time: at,
      ...about,
      summary: "Told by a fake",
      links: []
    })
    const signed = {
      transmission_id: `fake-${idFor(`${at} ${about.event_type} ${entry.id}`)}`,
      transmission_time: at,
      webhook_id: webhookId
    }
    return {
      headers: {
        "content-type": "application/json",
        "paypal-auth-algo": "SHA256withRSA",
        "paypal-cert-url": `${world.url}/v1/notifications/certs/CERT-fake`,
        "paypal-transmission-id": signed.transmission_id,
        "paypal-transmission-time": signed.transmission_time,
        "paypal-transmission-sig": sign("sha256", signedText(signed, body), keys().privateKey).toString("base64")
      },
      body
    }
  }

export const callbackWith =
  (webhookId: string) =>
  (entry: Entry, world: FakeWorld): FakeCallback =>
    signedWith(webhookId)(aboutOf(entry, world), entry, world)

export const disputesWith = (webhookId: string): FakeDisputes => ({
  takes: "when lost",
  callbacksOf: (dispute, world) => {
    const about = aboutDispute(dispute)
    dispute.of.kept.dispute = about.resource
    return [signedWith(webhookId)(about, dispute.of, world)]
  }
})

const MARK = '"webhook_event":'

/** The event as its bytes came: it is the last of the body. */
const eventIn = (body: string): string => body.slice(body.indexOf(MARK) + MARK.length, body.lastIndexOf("}"))

export const isSignedByFake = (transmission: Transmission, body: string): boolean =>
  verify(
    "sha256",
    signedText(transmission, eventIn(body)),
    keys().publicKey,
    Buffer.from(transmission.transmission_sig, "base64")
  )
