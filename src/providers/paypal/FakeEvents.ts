/** The callbacks of the fake of PayPal, signed as PayPal signs them, and the answer to whoever asks whether it sent them. */
import { generateKeyPairSync, sign, verify } from "node:crypto"
import { crc32 } from "node:zlib"
import type { Dispute, FakeCallback, FakeDisputes, FakeWorld } from "../fakes/Fake.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import { batchOf, captureOf, idFor, itemOf, orderMoney } from "./FakeBodies.ts"
import type { Transmission } from "./PaypalRequests.ts"

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
