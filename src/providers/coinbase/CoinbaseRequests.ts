/** Request bodies and paths of Coinbase. */
import { Duration, Either } from "effect"
import type { Declined } from "../../domain/Outcome.ts"
import { withQuery } from "../client/ProviderHttp.ts"
import { addressOf, cryptoNetworks } from "../port/CryptoNetworks.ts"
import { type AttemptContext, attemptKind, type PaymentOrder } from "../port/Provider.ts"
import { shortText } from "../client/WireValues.ts"

/** Networks that both sides have; USDC is the only asset of ours on them. */
const networks = cryptoNetworks("Coinbase", { ETHEREUM: "ethereum", SOLANA: "solana", BASE: "base" })

export const { networkOf: networkOfCoinbase, serves } = networks

export type Kind = "deposit" | "transfer"

/** Coinbase gives nothing back. */
const kinds = { payin: "deposit", payout: "transfer", refund: undefined } as const

export const kindOfAttempt = (attempt: AttemptContext): Kind | undefined => kinds[attemptKind(attempt)]

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
  Either.map(networks.nameFor(order), (network) => ({
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
  Either.map(Either.all({ network: networks.nameFor(order), address: addressOf(order) }), ({ address, network }) => {
    const { money, recipient } = order
    const asset = money.currency.toLowerCase()
    return {
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
    }
  })

/** Margin for a different clock: an order is listed from its sending on. */
const before = Duration.toMillis(Duration.hours(1))

export const since = ({ sentAt }: AttemptContext): Date => new Date(Math.max(0, sentAt.getTime() - before))

const PAGE = "100"

/** Path of a page, by its token. */
type Pages = (pageToken: string | undefined) => string

const pagesOf =
  (path: string, query: Readonly<Record<string, string>>): Pages =>
  (pageToken) =>
    withQuery(path, { ...query, pageSize: PAGE, pageToken })

/** `side`: of the account, in the transfers. */
export const transfersOf = (
  side: "sourceAccountId" | "targetAccountId",
  accountId: string,
  attempt: AttemptContext
): Pages => pagesOf("/v2/transfers", { [side]: accountId, createdAfter: since(attempt).toISOString() })

/** The newest first. */
export const destinations = (accountId: string): Pages =>
  pagesOf("/v2/deposit-destinations", { accountId, type: "crypto" })
