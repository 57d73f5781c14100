/** Bodies of the fake of pawaPay: its three kinds of transaction. */
import { Option, Schema } from "effect"
import type { Money } from "../../src/domain/Money.ts"
import type { Entry } from "./FakeLedger.ts"
import { type FakeRequest, jsonBody } from "./Fake.ts"
import { moneyOfMajor, shortText } from "../../src/providers/client/WireValues.ts"
import { listed } from "../../src/providers/pawapay/PawapayCorridors.ts"
import { createECDH, createHash, createPrivateKey, createPublicKey, sign } from "node:crypto"

const Uuid = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i))
const Amount = Schema.String.pipe(Schema.maxLength(23), Schema.pattern(/^(0|[1-9]\d{0,17})(\.\d{0,3}[1-9])?$/))
const Statement = Schema.String.pipe(Schema.pattern(/^[a-zA-Z0-9 ]{4,22}$/))
const Instant = Schema.String.pipe(
  Schema.pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i),
  Schema.filter((text) => !Number.isNaN(Date.parse(text)))
)
const Person = Schema.Struct({
  type: Schema.Literal("MSISDN"),
  address: Schema.Struct({ value: Schema.String })
})
const Metadata = Schema.optional(
  Schema.Array(
    Schema.Struct({
      fieldName: Schema.String,
      fieldValue: Schema.String,
      isPII: Schema.optional(Schema.Boolean)
    })
  )
)

const common = {
  amount: Amount,
  currency: Schema.String,
  country: Schema.optional(Schema.String),
  correspondent: Schema.String,
  customerTimestamp: Instant,
  statementDescription: Statement,
  metadata: Metadata
}

export const DepositBody = Schema.Struct({ depositId: Uuid, payer: Person, ...common })
export const PayoutBody = Schema.Struct({ payoutId: Uuid, recipient: Person, ...common })
export const RefundBody = Schema.Struct({
  refundId: Uuid,
  depositId: Uuid,
  amount: Schema.optional(Amount),
  metadata: Metadata
})

/** A deposit or a payout, in one shape. */
export interface Ordered {
  readonly id: string
  readonly phone: string
  readonly body: Pick<
    typeof DepositBody.Type,
    "amount" | "currency" | "country" | "correspondent" | "customerTimestamp" | "statementDescription" | "metadata"
  >
}

export const moneyIn = (request: FakeRequest): Money | undefined => {
  const { amount, currency } = Object(jsonBody(request)) as Record<string, unknown>
  return Option.getOrUndefined(moneyOfMajor(String(amount), String(currency)))
}

/** Why pawaPay would reject what has the right form. */
export const rejectionOf = (kind: "deposit" | "payout", { body, phone }: Ordered): string | undefined => {
  const known = listed.find(({ code }) => code === body.correspondent)
  if (known === undefined) return "INVALID_CORRESPONDENT"
  if (known.currency !== body.currency) return "INVALID_CURRENCY"
  if (body.country !== undefined && known.alpha3 !== body.country) return "INVALID_COUNTRY"
  const digits = kind === "deposit" ? known.digitsIn : known.digitsOut
  if ((body.amount.split(".")[1] ?? "").length > digits) return "INVALID_AMOUNT"
  if (/^[1-9]\d{8,14}$/.test(phone)) return undefined
  return kind === "deposit" ? "INVALID_PAYER_FORMAT" : "INVALID_RECIPIENT_FORMAT"
}

/** Transaction as it stands. Operators report amounts with all their digits. */
export const writeTransaction = ({ asked, kept, kind, moved, reason, state, reference }: Entry) => {
  const { body, phone } = kept as unknown as Pick<Ordered, "body" | "phone">
  const person = { type: "MSISDN", address: { value: phone } }
  const names = { payin: "depositId", payout: "payoutId", refund: "refundId" } as const
  const failed = {
    payin: "PAYMENT_NOT_APPROVED",
    payout: "RECIPIENT_NOT_FOUND",
    refund: "RECIPIENT_NOT_FOUND"
  } as const
  return {
    [names[kind]]: reference,
    status: {
      waiting: "SUBMITTED",
      processing: "SUBMITTED",
      completed: "COMPLETED",
      failed: "FAILED",
      returned: "FAILED"
    }[state],
    [kind === "payin" ? "requestedAmount" : "amount"]: shortText(asked),
    currency: asked.currency,
    country: body.country ?? listed.find(({ code }) => code === body.correspondent)?.alpha3,
    correspondent: body.correspondent,
    [kind === "payin" ? "payer" : "recipient"]: person,
    customerTimestamp: body.customerTimestamp,
    statementDescription: body.statementDescription,
    created: kept["created"],
    ...(state === "completed" && kind === "payin" ? { depositedAmount: shortText(moved) } : {}),
    ...(state === "completed" ? { correspondentIds: { FAKE_FINAL: reference.slice(0, 8) } } : {}),
    ...(state === "failed" || state === "returned"
      ? { failureReason: { failureCode: failed[kind], failureMessage: reason ?? "It failed" } }
      : {}),
    metadata: Object.fromEntries((body.metadata ?? []).map(({ fieldName, fieldValue }) => [fieldName, fieldValue]))
  }
}

/** The key with which the fake of pawaPay signs. It is made of a name, so that it stays the same from start to start. */
export const keyId = "HTTP_EC_P256_KEY:1"

const COORDINATE = 32

const privateKey = (() => {
  const curve = createECDH("prime256v1")
  const d = createHash("sha256").update("the fake of pawaPay").digest()
  curve.setPrivateKey(d)
  const point = curve.getPublicKey().subarray(1)
  const [x, y] = [point.subarray(0, COORDINATE), point.subarray(COORDINATE)].map((half) => half.toString("base64url"))
  return createPrivateKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", d: d.toString("base64url"), x: x ?? "", y: y ?? "" }
  })
})()

export const publicPem = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString()

const components = '("@method" "@authority" "@path" "signature-date" "content-digest" "content-type")'

const contentType = "application/json; charset=UTF-8"

/** The headers of a signed callback to this address. */
export const signedHeaders = (callbackUrl: string, body: string, now: Date): Readonly<Record<string, string>> => {
  const { host, pathname } = new URL(callbackUrl)
  const date = now.toISOString()
  const digest = `sha-512=:${createHash("sha512").update(body).digest("base64")}:`
  const created = Math.floor(now.getTime() / 1000)
  const input = `${components};alg="ecdsa-p256-sha256";keyid="${keyId}";created=${created};expires=${created + 60}`
  const base = [
    '"@method": POST',
    `"@authority": ${host}`,
    `"@path": ${pathname}`,
    `"signature-date": ${date}`,
    `"content-digest": ${digest}`,
    `"content-type": ${contentType}`,
    `"@signature-params": ${input}`
  ].join("\n")
  return {
    "content-type": contentType,
    "content-digest": digest,
    "signature-date": date,
    "signature-input": `sig-pp=${input}`,
    signature: `sig-pp=:${sign("sha256", Buffer.from(base), privateKey).toString("base64")}:`
  }
}
