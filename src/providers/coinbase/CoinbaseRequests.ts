/** Request bodies and paths of Coinbase. */
import { Duration, Either } from "effect"
import { type Declined } from "../../domain/Outcome.ts"
import { type AttemptContext, attemptKind, type PaymentOrder } from "../port/Provider.ts"
import type { Served } from "../port/ThirdParty.ts"
import { meaningOf, shortText } from "../port/WireValues.ts"
import { invalidOrder, notSupported } from "../client/ProviderReplies.ts"

/** Those of its networks that we have; USDC is the one asset of ours that it moves on them. */
const networks: Readonly<Record<string, string>> = { ETHEREUM: "ethereum", SOLANA: "solana", BASE: "base" }

export const networkOfCoinbase = (network: string): string | null =>
  Object.keys(networks).find((ours) => networks[ours] === network) ?? null

const served = { countries: "everywhere", currencies: ["USDC"], networks: Object.keys(networks) } as const

export const coinbaseServes: ReadonlyArray<Served> = [
  { method: "crypto", flow: "inbound", ...served },
  { method: "crypto", flow: "outbound", ...served }
]

export type Kind = "deposit" | "transfer"

/** Coinbase gives nothing back. */
const kinds = { payin: "deposit", payout: "transfer", refund: undefined } as const

export const kindOfAttempt = (attempt: AttemptContext): Kind | undefined => kinds[attemptKind(attempt)]

const usualNetwork = "ETHEREUM"

const networkOf = ({ money, walletAddress }: PaymentOrder): Either.Either<string, Declined> => {
  const network = walletAddress?.network ?? usualNetwork
  if (money.currency !== "USDC") return Either.left(notSupported(`Coinbase does not move ${money.currency}`))
  return Either.fromNullable(meaningOf(networks, network), () =>
    notSupported(`Coinbase does not reach the network ${network}`)
  )
}

/** Look-ups find the object by the reference; the amount is for people in the dashboard. */
const metadataOf = ({ money, paymentId, reference }: PaymentOrder) => ({
  reference,
  payment_id: paymentId,
  amount: shortText(money)
})

export interface Creation {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** An address of its own for this payment. */
export const depositOf = (order: PaymentOrder, accountId: string): Either.Either<Creation, Declined> =>
  Either.map(networkOf(order), (network) => ({
    path: "/v2/deposit-destinations",
    body: {
      accountId,
      type: "crypto",
      crypto: { network },
      target: { accountId, asset: order.money.currency.toLowerCase() },
      metadata: metadataOf(order)
    }
  }))

/** The recipient gets exactly this: what it costs is taken from our account besides. */
export const transferOf = (order: PaymentOrder, accountId: string): Either.Either<Creation, Declined> =>
  Either.flatMap(networkOf(order), (network) => {
    const { money, recipient, walletAddress } = order
    const address = walletAddress?.address ?? ""
    if (address === "") {
      return Either.left(invalidOrder("There is no address to pay to"))
    }
    const asset = money.currency.toLowerCase()
    return Either.right({
      path: "/v2/transfers",
      body: {
        source: { accountId, asset },
        target: { address, network, asset },
        amount: shortText(money),
        asset,
        amountType: "target",
        execute: true,
        metadata: metadataOf(order),
        ...(recipient === null ? {} : { travelRule: { isSelf: false, beneficiary: { name: recipient.name } } })
      }
    })
  })

/** What was sent is there from then on; their clock may be another. */
const before = Duration.toMillis(Duration.hours(1))

export const since = ({ sentAt }: AttemptContext): Date => new Date(Math.max(0, sentAt.getTime() - before))

const PAGE = "100"

const listPath = (path: string, query: Readonly<Record<string, string>>, pageToken: string | undefined): string =>
  `${path}?${new URLSearchParams({ ...query, pageSize: PAGE, ...(pageToken === undefined ? {} : { pageToken }) }).toString()}`

export const transfersOut = (accountId: string, attempt: AttemptContext) => (pageToken: string | undefined) =>
  listPath("/v2/transfers", { sourceAccountId: accountId, createdAfter: since(attempt).toISOString() }, pageToken)

export const transfersIn = (accountId: string, attempt: AttemptContext) => (pageToken: string | undefined) =>
  listPath("/v2/transfers", { targetAccountId: accountId, createdAfter: since(attempt).toISOString() }, pageToken)

/** The newest first. */
export const destinations = (accountId: string) => (pageToken: string | undefined) =>
  listPath("/v2/deposit-destinations", { accountId, type: "crypto" }, pageToken)
