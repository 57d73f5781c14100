/** What the fake of Circle reads and writes. */
import { Schema } from "effect"
import { Money } from "../../domain/Money.ts"
import { depositAddress } from "../sandbox/SimulatorAnswers.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import { circleMoney, networkOfChain, derivedUuid } from "./CircleRequests.ts"

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

const sumOf = (entries: ReadonlyArray<Entry>, { currency }: Money): Money =>
  new Money({ currency, minor: entries.reduce((sum, { moved }) => sum + moved.minor, 0n) })

const paymentIdOf = ({ kind, reference }: Entry): string =>
  derivedUuid(kind === "refund" ? "fake refund" : "fake payment", reference)

/** What was paid to the address of an intent, or given back of it. */
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
    waiting: [],
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
