/** What the fake of Circle reads and writes. */
import { Schema } from "effect"
import type { Money } from "../../domain/Money.ts"
import { depositAddress } from "../sandbox/DepositAddress.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import { circleMoney } from "./CircleMoney.ts"
import { networkOfChain } from "./CircleRequests.ts"

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

/** `isNew`: as it is answered when it is made, before it has an address. */
export const writeIntent = (entry: Entry, isNew: boolean) => {
  const { asked, createdAt, id, kept, moved, reference, state } = entry
  const chain = kept["chain"] as string
  const time = createdAt.toISOString()
  const isDone = state === "completed"
  const network = networkOfChain(chain)
  const ends = {
    completed: [{ status: "complete", context: contextOf(asked, moved), time }],
    failed: [{ status: "failed", time }],
    returned: [{ status: "refunded", time }],
    waiting: [],
    processing: []
  }[state]
  return {
    id,
    amount: circleMoney(asked),
    amountPaid: isDone ? circleMoney(moved) : { amount: "0.00", currency: "USD" },
    amountRefunded: { amount: "0.00", currency: "USD" },
    settlementCurrency: "USD",
    paymentMethods: [
      {
        type: "blockchain",
        chain,
        ...(isNew || network === null ? {} : { address: depositAddress(network, reference) })
      }
    ],
    fees: [{ type: "blockchainLeaseFee", amount: "0.00", currency: "USD" }],
    paymentIds: isDone ? [kept["paymentId"]] : [],
    timeline: [...ends, ...(isNew ? [] : [{ status: "pending", time }]), { status: "created", time }],
    createDate: time,
    updateDate: time
  }
}

const transferErrors: Readonly<Record<string, string>> = {
  declined_instrument: "transfer_denied",
  declined_provider: "insufficient_funds"
}

export const writeTransfer = ({ asked, createdAt, fate, id, kept, moved, state }: Entry) => {
  const { address, chain } = kept["recipient"] as FakeRecipient
  const isDone = state === "completed"
  return {
    id,
    source: { type: "wallet", id: "1000000001" },
    destination: { type: "blockchain", address, chain },
    amount: circleMoney(isDone ? moved : asked),
    ...(isDone ? { transactionHash: `0x${id.replaceAll("-", "").repeat(2)}` } : {}),
    status: isDone ? "complete" : state === "failed" || state === "returned" ? "failed" : "pending",
    ...(state === "failed" ? { errorCode: transferErrors[fate] ?? "blockchain_error" } : {}),
    createDate: createdAt.toISOString()
  }
}
