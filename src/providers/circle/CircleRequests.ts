/** Request bodies and amounts of Circle. */
import { Either, type Option } from "effect"
import { type Declined } from "../../domain/Outcome.ts"
import { type AttemptContext, attemptKind, type PaymentOrder } from "../port/Provider.ts"
import type { Served } from "../port/ThirdParty.ts"
import type { Money } from "../../domain/Money.ts"
import { meaningOf, moneyOfMajor, shortText } from "../port/WireValues.ts"
import { hash } from "node:crypto"
import { invalidOrder, notSupported } from "../client/ProviderReplies.ts"

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
const chains: Readonly<Record<string, string>> = { ETHEREUM: "ETH", POLYGON: "POLY", SOLANA: "SOL", BASE: "BASE" }

export const networkOfChain = (chain: string): string | null =>
  Object.keys(chains).find((network) => chains[network] === chain) ?? null

const served = { countries: "everywhere", currencies: ["USDC"], networks: Object.keys(chains) } as const

export const circleServes: ReadonlyArray<Served> = [
  { method: "crypto", flow: "inbound", ...served },
  { method: "crypto", flow: "outbound", ...served }
]

export type Kind = "intent" | "transfer"

const paths = { intent: "/v1/paymentIntents", transfer: "/v1/businessAccount/transfers" } as const

export const recipientsPath = "/v1/businessAccount/wallets/addresses/recipient"

export const paymentsPath = (intentId: string): string =>
  `/v1/payments?${new URLSearchParams({ paymentIntentId: intentId, pageSize: "50" }).toString()}`

export const pathOf = (kind: Kind): string => paths[kind]

/** Circle gives nothing back. */
const kinds = { payin: "intent", payout: "transfer", refund: undefined } as const

export const kindOfAttempt = (attempt: AttemptContext): Kind | undefined => kinds[attemptKind(attempt)]

const usualNetwork = "ETHEREUM"

const chainOf = ({ money, walletAddress }: PaymentOrder): Either.Either<string, Declined> => {
  const network = walletAddress?.network ?? usualNetwork
  if (money.currency !== "USDC") return Either.left(notSupported(`Circle does not move ${money.currency}`))
  return Either.fromNullable(meaningOf(chains, network), () =>
    notSupported(`Circle does not reach the network ${network}`)
  )
}

export const intentOf = (
  order: PaymentOrder,
  walletId: string | undefined
): Either.Either<Readonly<Record<string, unknown>>, Declined> =>
  Either.map(chainOf(order), (chain) => ({
    idempotencyKey: order.reference,
    amount: circleMoney(order.money),
    settlementCurrency: "USD",
    paymentMethods: [{ type: "blockchain", chain }],
    ...(walletId === undefined ? {} : { merchantWalletId: walletId })
  }))

export interface RecipientCreation {
  readonly address: string
  readonly chain: string
  readonly body: Readonly<Record<string, unknown>>
}

/** An address is made known to Circle once, whichever payouts go to it: its key is made of the address. */
export const recipientOf = (order: PaymentOrder): Either.Either<RecipientCreation, Declined> =>
  Either.flatMap(chainOf(order), (chain) => {
    const address = order.walletAddress?.address ?? ""
    return address === ""
      ? Either.left(invalidOrder("There is no address to pay to"))
      : Either.right({
          address,
          chain,
          body: {
            idempotencyKey: derivedUuid("recipient", chain, address),
            address,
            chain,
            currency: "USD",
            description: `Recipient on ${chain}`
          }
        })
  })

export const transferOf = ({ money, reference }: PaymentOrder, addressId: string) => ({
  idempotencyKey: reference,
  destination: { type: "verified_blockchain", addressId },
  amount: circleMoney(money)
})
