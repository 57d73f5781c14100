/** Request bodies and amounts of Circle. */
import { hash } from "node:crypto"
import { Either, type Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { Declined } from "../../domain/Outcome.ts"
import { withQuery } from "../client/ProviderHttp.ts"
import { addressOf, cryptoNetworks } from "../port/CryptoNetworks.ts"
import { type AttemptContext, attemptKind, type PaymentOrder } from "../port/Provider.ts"
import { moneyOfMajor, present, shortText } from "../client/WireValues.ts"

/** Circle calls USDC by the name of the dollar that it stands for, and writes it with two digits at least. */
interface CircleMoney {
  readonly amount: string
  readonly currency: string
}

const LEAST_DIGITS = 2

/** Only USDC comes here: nothing else is served. */
export const circleMoney = (money: Money): CircleMoney => {
  const [whole = "0", fraction = ""] = shortText(money).split(".")
  return { amount: `${whole}.${fraction.padEnd(LEAST_DIGITS, "0")}`, currency: "USD" }
}

export const moneyOfCircle = ({ amount, currency }: CircleMoney): Option.Option<Money> =>
  moneyOfMajor(amount, currency === "USD" ? "USDC" : currency)

/** A UUID of version 4 in shape, made of what it stands for: the same words, the same UUID, for ever. */
export const derivedUuid = (...words: ReadonlyArray<string>): string => {
  const hex = hash("sha256", JSON.stringify(words), "hex")
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32)
  ].join("-")
}

/** Circle has no USDC on TRON. */
const chains = cryptoNetworks("Circle", { ETHEREUM: "ETH", POLYGON: "POLY", SOLANA: "SOL", BASE: "BASE" })

export const { nameOf: chainOfNetwork, networkOf: networkOfChain, serves } = chains
const chainOf = chains.nameFor

export type Kind = "intent" | "transfer"

export const paths = { intent: "/v1/paymentIntents", transfer: "/v1/businessAccount/transfers" } as const

export const recipientsPath = "/v1/businessAccount/wallets/addresses/recipient"

export const paymentsPath = (intentId: string): string =>
  withQuery("/v1/payments", { paymentIntentId: intentId, pageSize: "50" })

/** Circle gives nothing back. */
const kinds = { payin: "intent", payout: "transfer", refund: undefined } as const

export const kindOfAttempt = (attempt: AttemptContext): Kind | undefined => kinds[attemptKind(attempt)]

export const intentOf = (
  order: PaymentOrder,
  walletId: string | undefined
): Either.Either<Readonly<Record<string, unknown>>, Declined> =>
  Either.map(chainOf(order), (chain) => ({
    idempotencyKey: order.reference,
    // Without it Circle makes a continuous intent, which takes any amount and never ends.
    type: "transient",
    amount: circleMoney(order.money),
    settlementCurrency: "USD",
    paymentMethods: [{ type: "blockchain", chain }],
    ...present({ merchantWalletId: walletId })
  }))

export interface RecipientCreation {
  readonly address: string
  readonly chain: string
  readonly body: Readonly<Record<string, unknown>>
}

/** An address is made known to Circle once, whichever payouts go to it: its key is made of the address. */
export const recipientOf = (order: PaymentOrder): Either.Either<RecipientCreation, Declined> =>
  Either.map(Either.all({ chain: chainOf(order), address: addressOf(order) }), ({ address, chain }) => ({
    address,
    chain,
    body: {
      idempotencyKey: derivedUuid("recipient", chain, address),
      address,
      chain,
      currency: "USD",
      description: `Recipient on ${chain}`
    }
  }))

export const transferOf = ({ money, reference }: PaymentOrder, addressId: string) => ({
  idempotencyKey: reference,
  destination: { type: "verified_blockchain", addressId },
  amount: circleMoney(money)
})
