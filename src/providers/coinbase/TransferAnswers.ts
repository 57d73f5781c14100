/** From Coinbase's transfers to outcomes: nothing here talks to anybody. */
import { Either, Option, Schema } from "effect"
import { Money } from "../../domain/Money.ts"
import { Accepted, Declined, type Outcome, Report } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { isMade, providerIds, settledOnce } from "../client/ProviderReplies.ts"
import {
  Metadata,
  moneyIn,
  optional,
  type Page,
  type Read,
  readAs,
  readOne,
  refusalOf,
  Text,
  unreadable
} from "./CoinbaseReplies.ts"

export const Transfer = Schema.Struct({
  transferId: Text,
  status: Text,
  source: optional(Schema.Struct({ accountId: Text })),
  sourceAmount: Text,
  sourceAsset: Text,
  targetAmount: Text,
  targetAsset: Text,
  failureReason: Text,
  metadata: Metadata,
  details: optional(
    Schema.Struct({
      depositDestination: optional(Schema.Struct({ id: Schema.String })),
      onchainTransactions: optional(Schema.Array(Schema.Struct({ transactionHash: Text })))
    })
  )
})
export type Transfer = typeof Transfer.Type

const decodeTransfer = Schema.decodeUnknownEither(Transfer)
const decodeTransfers = Schema.decodeUnknownEither(
  Schema.Struct({ transfers: Schema.Array(Transfer), nextPageToken: Text })
)

const known = new Set(["quoted", "processing", "completed", "failed"])

/** Whatever else it says is taken for under way, and whoever looks after the account should hear of it. */
export const isKnownStatus = (status: string | null): boolean => status === null || known.has(status)

/** What it took from our account beyond what arrived, where both are of one asset. */
const feeOf = ({ sourceAmount, sourceAsset, targetAmount, targetAsset }: Transfer): { readonly fee?: Money } =>
  Option.match(Option.all([moneyIn(sourceAmount, sourceAsset), moneyIn(targetAmount, targetAsset)]), {
    onNone: () => ({}),
    onSome: ([taken, given]) => {
      const minor = taken.minor - given.minor
      return taken.currency === given.currency && minor > 0n
        ? { fee: new Money({ currency: taken.currency, minor }) }
        : {}
    }
  })

export const hashesOf = ({ details }: Transfer): ReadonlyArray<string> =>
  (details?.onchainTransactions ?? []).flatMap(({ transactionHash }) => transactionHash ?? [])

export const transferReport = (transfer: Transfer): Report => {
  const { failureReason, status, targetAmount, targetAsset, transferId } = transfer
  const about = {
    reason: null,
    providerPaymentId: transferId ?? null,
    providerStatus: status ?? null,
    ...providerIds({ transfer_id: transferId, transaction_hashes: hashesOf(transfer) })
  }
  switch (status) {
    case "completed": {
      const money = Option.getOrUndefined(moneyIn(targetAmount, targetAsset))
      return new Report({
        ...about,
        state: "completed",
        ...feeOf(transfer),
        ...(transferId === undefined ? {} : settledOnce("disbursement", transferId, money))
      })
    }
    case "failed":
      return new Report({ ...about, state: "failed", reason: failureReason ?? null, providerCode: "failed" })
    default:
      return new Report({ ...about, state: "processing" })
  }
}

export const transferCreated = (reply: ProviderReply): Outcome =>
  isMade(reply)
    ? Either.match(decodeTransfer(reply.json), {
        onLeft: () => unreadable(reply),
        onRight: (transfer): Outcome => {
          if (transfer.transferId === undefined) return unreadable(reply)
          const { fee, movements, providerData = {}, providerStatus, reason, state } = transferReport(transfer)
          if (state === "failed") {
            return new Declined({
              reason: reason ?? "Coinbase says that it failed",
              providerCode: "failed",
              providerPaymentId: transfer.transferId
            })
          }
          return new Accepted({
            state: state === "completed" ? state : "processing",
            providerPaymentId: transfer.transferId,
            providerStatus,
            nextAction: null,
            actionData: {},
            providerData,
            ...(movements === undefined ? {} : { movements }),
            ...(fee === undefined ? {} : { fee })
          })
        }
      })
    : refusalOf(reply)

export const readTransfer = readOne(decodeTransfer)

export const readTransfers: Read<Page<Transfer>> = readAs(
  decodeTransfers,
  ({ nextPageToken: next, transfers: items }) => ({ items, next })
)
