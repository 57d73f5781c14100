/** Bodies that the fake of Coinbase reads and writes. */
import { hash, createHash, createHmac, createPrivateKey, createPublicKey, verify } from "node:crypto"
import { Schema, Either, Option } from "effect"
import { shortText, readJson } from "../../src/providers/client/WireValues.ts"
import type { Entry } from "./FakeLedger.ts"
import { depositAddress } from "../../src/providers/sandbox/SimulatorAnswers.ts"
import { networkOfCoinbase } from "../../src/providers/coinbase/CoinbaseRequests.ts"
import type { FakeRequest } from "./Fake.ts"

/** The account that the fake of Coinbase takes, and whether a call carries its token. */
export const accountId = "account_af2937b0-9846-4fe7-bfe9-ccc22d935114"

const keyId = "organizations/fake/apiKeys/coinbase"
const webhookSecret = "6b0f3a52-9c1d-4e7a-8f25-d1c4b7a09e63"

/** A key of Ed25519 without its seed, as PKCS #8 has it. */
const before = Buffer.from("302e020100300506032b657004220420", "hex")

/** Made of a name, so that it stays the same from start to start. */
const seed = createHash("sha256").update("the fake of Coinbase").digest()
const publicKey = createPublicKey(
  createPrivateKey({ key: Buffer.concat([before, seed]), format: "der", type: "pkcs8" })
)
const point = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url")

export const credentials = {
  key_id: keyId,
  key_secret: Buffer.concat([seed, point]).toString("base64"),
  account_id: accountId,
  webhook_secret: webhookSecret
}

const decodeHeader = Schema.decodeUnknownOption(
  Schema.Struct({ alg: Schema.Literal("EdDSA"), kid: Schema.Literal(keyId), nonce: Schema.String })
)
const Seconds = Schema.String.pipe(Schema.pattern(/^\d{1,12}$/))
const decodeClaims = Schema.decodeUnknownOption(
  Schema.Struct({
    sub: Schema.Literal(keyId),
    iss: Schema.Literal("cdp"),
    nbf: Seconds,
    exp: Seconds,
    uris: Schema.Array(Schema.String)
  })
)

const read = (part: string): Option.Option<unknown> =>
  Either.getRight(readJson(Buffer.from(part, "base64url").toString("utf8")))

const LONGEST = 120n

export const isAuthentic = ({ headers, method, path }: FakeRequest, now: Date): boolean => {
  const [header = "", claims = "", signature = ""] = (headers["authorization"] ?? "").replace(/^Bearer /, "").split(".")
  const said = Option.all([Option.flatMap(read(header), decodeHeader), Option.flatMap(read(claims), decodeClaims)])
  const isSigned = verify(null, Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, "base64url"))
  const seconds = BigInt(Math.floor(now.getTime() / 1000))
  return (
    isSigned &&
    Option.exists(said, ([, { exp, nbf, uris }]) => {
      const [from, until] = [BigInt(nbf), BigInt(exp)]
      const isNow = from <= seconds + 5n && seconds < until && until - from <= LONGEST
      return isNow && uris.includes(`${method} ${headers["host"]}${path}`)
    })
  )
}

/** Signature of Coinbase's webhooks. */
export const signatureOf = (headers: Readonly<Record<string, string>>, body: string, now: Date): string => {
  const t = Math.floor(now.getTime() / 1000)
  const names = Object.keys(headers)
  const h = names.join(" ")
  const sign = (text: string): string => createHmac("sha256", webhookSecret).update(text).digest("hex")
  const values = names.map((name) => headers[name]).join(".")
  return `t=${t},v0=${sign(`${t}.${body}`)},h=${h},v1=${sign(`${t}.${h}.${values}.${body}`)}`
}

const AccountId = Schema.String.pipe(Schema.pattern(/^account_[a-f0-9-]{36}$/))
const Asset = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(42))
const Network = Schema.Literal("base", "ethereum", "solana", "arbitrum", "optimism", "monad", "sui", "avacchain")
const Address = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(128))
const PositiveDecimal = Schema.String.pipe(Schema.pattern(/^\+?(?:(?:0*[1-9]\d*)(?:\.\d*)?|0*\.\d*[1-9]\d*)$/))
const Metadata = Schema.optional(
  Schema.Record({
    key: Schema.String.pipe(Schema.maxLength(40)),
    value: Schema.String.pipe(Schema.maxLength(500))
  }).pipe(Schema.filter((metadata) => Object.keys(metadata).length <= 10))
)

export const TransferBody = Schema.Struct({
  source: Schema.Struct({ accountId: AccountId, asset: Asset }),
  target: Schema.Struct({ address: Address, network: Network, asset: Asset }),
  amount: PositiveDecimal,
  asset: Asset,
  amountType: Schema.optional(Schema.Literal("target", "source")),
  validateOnly: Schema.optional(Schema.Boolean),
  execute: Schema.Boolean,
  metadata: Metadata,
  travelRule: Schema.optional(Schema.Object)
})

export const DestinationBody = Schema.Struct({
  accountId: AccountId,
  type: Schema.Literal("crypto"),
  crypto: Schema.Struct({ network: Network }),
  target: Schema.optional(Schema.Struct({ accountId: AccountId, asset: Asset })),
  metadata: Metadata
})

/** Id in Coinbase's shape, always the same for a name. */
export const fakeUuid = (name: string): string => {
  const hex = hash("sha256", `coinbase ${name}`, "hex")
  return [8, 12, 16, 20, 32].map((end, at) => hex.slice([0, 8, 12, 16, 20][at], end)).join("-")
}

export const transferIdOf = ({ id, kind }: Entry): string => (kind === "payout" ? id : `transfer_${fakeUuid(id)}`)

export const writeDestination = ({ createdAt, id, kept, reference }: Entry) => {
  const { crypto, metadata, target } = kept["body"] as typeof DestinationBody.Type
  const { network } = crypto
  return {
    depositDestinationId: id,
    accountId,
    type: "crypto",
    crypto: { network, address: depositAddress(networkOfCoinbase(network) ?? "", reference) },
    ...(target === undefined ? {} : { target }),
    status: "active",
    metadata,
    createdAt: createdAt.toISOString(),
    updatedAt: createdAt.toISOString()
  }
}

const statuses = {
  waiting: "processing",
  processing: "processing",
  completed: "completed",
  failed: "failed",
  returned: "failed"
} as const

const endsOf = ({ createdAt, reason, state }: Entry) => ({
  status: statuses[state],
  createdAt: createdAt.toISOString(),
  updatedAt: createdAt.toISOString(),
  ...(state === "completed" ? { completedAt: createdAt.toISOString() } : {}),
  ...(statuses[state] === "failed" ? { failureReason: reason ?? "It failed." } : {})
})

/** The transaction on chain, once there is one. */
const onchain = ({ id, state }: Entry, network: string) =>
  state === "completed"
    ? { onchainTransactions: [{ transactionHash: `0x${hash("sha256", `transaction of ${id}`, "hex")}`, network }] }
    : {}

/** A payout, or what a customer paid to an address. */
export const writeTransfer = (entry: Entry) => {
  const { id, kept, kind, moved, of } = entry
  const asset = moved.currency.toLowerCase()
  const amounts = {
    sourceAmount: shortText(moved),
    sourceAsset: asset,
    targetAmount: shortText(moved),
    targetAsset: asset
  }
  const about = { transferId: transferIdOf(entry), ...endsOf(entry), ...amounts }
  if (kind === "payout") {
    const { metadata, source, target } = kept["body"] as typeof TransferBody.Type
    const details = onchain(entry, target.network)
    return { ...about, source, target, details, ...(metadata === undefined ? {} : { metadata }) }
  }
  const { crypto, metadata } = kept["body"] as typeof DestinationBody.Type
  return {
    ...about,
    source: { address: depositAddress("ETHEREUM", `payer of ${id}`), network: crypto.network, asset },
    target: { accountId, asset },
    details: { depositDestination: { id: of ?? id }, ...onchain(entry, crypto.network) },
    ...(metadata === undefined ? {} : { metadata })
  }
}
