/** Bodies that the fake of Circle reads and writes. */
import { Schema } from "effect"
import { Money } from "../../src/domain/Money.ts"
import { depositAddress } from "../../src/providers/sandbox/SimulatorAnswers.ts"
import type { Entry } from "./FakeLedger.ts"
import { circleMoney, networkOfChain, derivedUuid } from "../../src/providers/circle/CircleRequests.ts"
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { type SnsMessage, signedText } from "../../src/providers/circle/CircleSignatures.ts"

const UuidV4 = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i)
)
const Chain = Schema.Literal(
  ...(["ALGO", "ARB", "AVAX", "BASE", "BTC", "CELO", "ETH", "HBAR", "NEAR", "NOBLE", "OP", "PAH", "POLY"] as const),
  ...(["SOL", "SUI", "XLM", "ZKS"] as const)
)
const Decimal = Schema.String.pipe(Schema.pattern(/^\d+(\.\d+)?$/))

export const IntentBody = Schema.Struct({
  idempotencyKey: UuidV4,
  type: Schema.optional(Schema.Literal("transient", "continuous")),
  amount: Schema.Struct({ amount: Decimal, currency: Schema.Literal("USD", "ETH", "BTC") }),
  settlementCurrency: Schema.Literal("USD", "BTC", "ETH"),
  paymentMethods: Schema.NonEmptyArray(
    Schema.Struct({ type: Schema.Literal("blockchain"), chain: Chain, address: Schema.optional(Schema.String) })
  ),
  merchantWalletId: Schema.optional(Schema.String.pipe(Schema.maxLength(36)))
})

export const RecipientBody = Schema.Struct({
  idempotencyKey: UuidV4,
  address: Schema.String,
  addressTag: Schema.optional(Schema.NullOr(Schema.String)),
  chain: Chain,
  currency: Schema.optional(Schema.NullOr(Schema.Literal("USD", "EUR", "BTC", "ETH"))),
  description: Schema.String
})

export const TransferBody = Schema.Struct({
  idempotencyKey: UuidV4,
  destination: Schema.Struct({ type: Schema.Literal("verified_blockchain"), addressId: Schema.String }),
  amount: Schema.Struct({ amount: Decimal, currency: Schema.Literal("USD", "EUR", "BTC", "ETH") })
})

export const AddressBody = Schema.Struct({
  idempotencyKey: UuidV4,
  currency: Schema.Literal("USD", "EUR", "BTC", "ETH"),
  chain: Chain
})

const most = (length: number) => Schema.String.pipe(Schema.minLength(1), Schema.maxLength(length))

/** Body of a bank account in the US. */
export const WireBody = Schema.Struct({
  idempotencyKey: UuidV4,
  accountNumber: most(35).pipe(Schema.minLength(6)),
  routingNumber: Schema.String,
  billingDetails: Schema.Struct({
    name: most(1024),
    city: most(1024),
    country: most(2),
    line1: most(1024),
    line2: Schema.optional(most(1024)),
    district: Schema.optional(most(16)),
    postalCode: most(16)
  }),
  bankAddress: Schema.Struct({ country: most(2), bankName: Schema.optional(most(35)), city: Schema.optional(most(35)) })
})

/** The call by which Circle's sandbox plays a wire. */
export const MockWire = Schema.Struct({
  trackingRef: Schema.String,
  amount: Schema.Struct({ amount: Decimal, currency: Schema.Literal("USD") }),
  beneficiaryBank: Schema.Struct({ accountNumber: Schema.String })
})

/** Transfer on a chain, which is no part of Circle. */
export const ChainTransfer = Schema.Struct({
  address: Schema.String,
  amount: Decimal,
  currency: Schema.optional(Schema.Literal("USD", "EUR")),
  chain: Schema.optional(Chain),
  sender: Schema.optional(Schema.String)
})

export interface FakeRecipient {
  readonly id: string
  readonly address: string
  readonly chain: string
  readonly currency: string
  readonly description: string
  readonly status: string
}

const contextOf = (asked: Money, moved: Money): string =>
  moved.minor < asked.minor ? "underpaid" : moved.minor > asked.minor ? "overpaid" : "paid"

const sumOf = (entries: ReadonlyArray<Entry>, { currency }: Money): Money =>
  new Money({ currency, minor: entries.reduce((sum, { moved }) => sum + moved.minor, 0n) })

const paymentIdOf = ({ kind, reference }: Entry): string =>
  derivedUuid(kind === "refund" ? "fake refund" : "fake payment", reference)

/** Payments to the address of an intent, and refunds of it. */
export const writePayment = (entry: Entry, { id: paymentIntentId, kept, reference }: Entry) => {
  const chain = kept["chain"] as string
  const time = entry.createdAt.toISOString()
  return {
    id: paymentIdOf(entry),
    type: entry.kind === "refund" ? "refund" : "payment",
    status: "paid",
    amount: circleMoney(entry.moved),
    merchantId: "f1397191-56e6-42fd-be86-0a7b9bd91522",
    merchantWalletId: "1000999922",
    paymentIntentId,
    settlementAmount: circleMoney(entry.moved),
    depositAddress: { chain, address: depositAddress(networkOfChain(chain) ?? "ETHEREUM", reference) },
    transactionHash: `0x${paymentIdOf(entry).replaceAll("-", "").repeat(2)}`,
    createDate: time,
    updateDate: time
  }
}

/** `moves`: its payments and refunds. `isNew`: as it is answered when it is made, before it has an address. */
export const writeIntent = (entry: Entry, moves: ReadonlyArray<Entry>, isNew = false) => {
  const { asked, createdAt, id, kept, reference, state } = entry
  const chain = kept["chain"] as string
  const time = createdAt.toISOString()
  const payments = moves.filter(({ kind }) => kind === "payin")
  const refunds = moves.filter(({ kind }) => kind === "refund")
  const paid = sumOf(payments, asked)
  const network = networkOfChain(chain)
  const ends = {
    completed: [{ status: "complete", context: contextOf(asked, paid), time }],
    failed: [{ status: "failed", time }],
    returned: [{ status: "refunded", time }],
    waiting: kept["isContinuous"] === true && !isNew ? [{ status: "active", time }] : [],
    processing: []
  }[state]
  return {
    id,
    amount: circleMoney(asked),
    amountPaid: circleMoney(paid),
    amountRefunded: circleMoney(sumOf(refunds, asked)),
    settlementCurrency: "USD",
    paymentMethods: [
      {
        type: "blockchain",
        chain,
        ...(isNew || network === null ? {} : { address: depositAddress(network, reference) })
      }
    ],
    fees: [{ type: "blockchainLeaseFee", amount: "0.00", currency: "USD" }],
    paymentIds: payments.map(paymentIdOf),
    refundIds: refunds.map(paymentIdOf),
    timeline: [...ends, ...(isNew ? [] : [{ status: "pending", time }]), { status: "created", time }],
    createDate: time,
    updateDate: time
  }
}

/** A wire that came in. */
export const writeDeposit = ({ createdAt, id, kept, moved, state }: Entry) => ({
  id,
  sourceWalletId: kept["wire"],
  destination: { type: "wallet", id: "1000000001" },
  amount: { amount: moved.toNumericText(), currency: moved.currency },
  status: state === "completed" ? "complete" : state === "failed" ? "failed" : "pending",
  createDate: createdAt.toISOString(),
  updateDate: createdAt.toISOString()
})

/** A transfer that comes in from a chain. */
export const writeArrival = ({ asked, createdAt, id, kept, moved, state }: Entry) => {
  const { address, chain, sender } = kept as Readonly<Record<string, string | undefined>>
  const line = { line1: "1 Money Street", city: "Boston", district: "MA", postalCode: "02110", country: "US" }
  const identities = [{ type: "individual", name: sender, addresses: [line] }]
  return {
    id,
    source: { type: "blockchain", chain, ...(sender === undefined ? {} : { identities }) },
    destination: { type: "wallet", id: "1000000001", address },
    amount: { ...circleMoney(state === "completed" ? moved : asked), currency: kept["currency"] },
    transactionHash: `0x${id.replaceAll("-", "").repeat(2)}`,
    status: state === "completed" ? "complete" : state === "failed" ? "failed" : "pending",
    createDate: createdAt.toISOString()
  }
}

const transferErrors: Readonly<Record<string, string>> = {
  declined_instrument: "transfer_denied",
  declined_provider: "insufficient_funds"
}

export const writeTransfer = ({ asked, createdAt, scenario, id, kept, moved, state }: Entry) => {
  const { address, chain } = kept["recipient"] as FakeRecipient
  const isDone = state === "completed"
  return {
    id,
    source: { type: "wallet", id: "1000000001" },
    destination: { type: "blockchain", address, chain },
    amount: circleMoney(isDone ? moved : asked),
    ...(isDone ? { transactionHash: `0x${id.replaceAll("-", "").repeat(2)}` } : {}),
    status: isDone ? "complete" : state === "failed" || state === "returned" ? "failed" : "pending",
    ...(state === "failed" ? { errorCode: transferErrors[scenario] ?? "blockchain_error" } : {}),
    createDate: createdAt.toISOString()
  }
}

/** Signatures of the fake of Circle, as Amazon SNS makes them: with a key and a certificate of its own. */
const der = (tag: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const [INTEGER, BIT_STRING, NULL, OID, UTF8, TIME, SEQUENCE, SET, VERSION] = [
  0x02, 0x03, 0x05, 0x06, 0x0c, 0x17, 0x30, 0x31, 0xa0
] as const

const rsaWithSha256 = der(SEQUENCE, der(OID, Buffer.from("2a864886f70d01010b", "hex")), der(NULL))
const commonName = Buffer.from("550403", "hex")
const name = der(SEQUENCE, der(SET, der(SEQUENCE, der(OID, commonName), der(UTF8, Buffer.from("sns.fake")))))
const validity = der(SEQUENCE, der(TIME, Buffer.from("200101000000Z")), der(TIME, Buffer.from("491231235959Z")))

const certificateOf = (publicKey: KeyObject, privateKey: KeyObject): string => {
  const body = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    rsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" })
  )
  const signature = der(BIT_STRING, Buffer.from([0]), sign("sha256", body, privateKey))
  const lines =
    der(SEQUENCE, body, rsaWithSha256, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? []
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n")
}

export interface Signer {
  /** The path changes with the key, as Amazon's does, so that no old certificate is cached under it. */
  readonly certificatePath: string
  readonly certificate: string
  readonly sign: (message: Omit<SnsMessage, "Signature">) => SnsMessage
}

const makeSigner = (): Signer => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const certificate = certificateOf(publicKey, privateKey)
  const fingerprint = createHash("sha256").update(certificate).digest("hex").slice(0, 32)
  return {
    certificatePath: `/SimpleNotificationService-${fingerprint}.pem`,
    certificate,
    sign: (message) => ({
      ...message,
      Signature: sign(
        message.SignatureVersion === "1" ? "sha1" : "sha256",
        Buffer.from(signedText(message)),
        privateKey
      ).toString("base64")
    })
  }
}

let made: Signer | undefined

/** Made when it is first needed: that takes a moment. */
export const fakeSigner = (): Signer => (made ??= makeSigner())
