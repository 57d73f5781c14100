/** What the fake of Coinbase reads and writes. */
import { hash } from "node:crypto"
import { Schema } from "effect"
import { shortText } from "../port/WireValues.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import { depositAddress } from "../sandbox/SimulatorAnswers.ts"
import { networkOfCoinbase } from "./CoinbaseRequests.ts"
import { accountId } from "./FakeAccount.ts"

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

/** Of the shape that its ids have, and always the same for a name. */
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
