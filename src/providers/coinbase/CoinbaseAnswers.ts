/** Reads Coinbase's transfers and deposit destinations into outcomes and reports. */
import { Either, Option, Schema } from "effect"
import { Money } from "../../domain/Money.ts"
import { Absent, Accepted, Declined, type Enquiry, Report, Unknown } from "../../domain/Outcome.ts"
import {
  outcomeOfReport,
  credentialsRefused,
  isMade,
  unknownOutcome,
  outcomeFrom,
  providerIds,
  settledOnce,
  unreadable
} from "../client/ProviderReplies.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { moneyOfMajor, optional, optionalText, refusalsBy, objectReader } from "../client/WireValues.ts"
import { networkOfCoinbase } from "./CoinbaseRequests.ts"

export const Metadata = optional(Schema.Struct({ reference: optionalText }))

const decodeProblem = objectReader({ errorType: optionalText, errorMessage: optionalText })

/** Definite refusals, by their error type. */
const refusals = refusalsBy({
  instrument: { ACCOUNT_INVALID: "target_onchain_address_invalid" },
  provider: {
    PROVIDER_BALANCE_LOW: "insufficient_balance",
    PROVIDER_UNAVAILABLE: "insufficient_liquidity account_not_ready",
    LIMIT_EXCEEDED: "account_limit_exceeded daily_transaction_limit_exceeded daily_amount_limit_exceeded",
    NOT_SUPPORTED: `transfer_asset_not_supported source_asset_not_supported target_asset_not_supported network_mismatch
      recipient_allowlist_violation recipient_allowlist_pending`,
    SUSPECTED_FRAUD: "travel_rules_recipient_violation policy_violation",
    CREDENTIALS_REFUSED: "customer_not_authorized forbidden unauthorized"
  }
})

/** Possibly done, whatever the status; or an order exists under this key. */
const unsettled = new Set(
  `already_exists bad_gateway client_closed_request endpoint_unavailable idempotency_error internal_server_error
  request_canceled service_unavailable timed_out`.split(/\s+/)
)

const definite = new Set([400, 403, 404, 422])

export const refusalOf = (reply: ProviderReply): Declined | Unknown => {
  const { errorMessage, errorType } = Option.getOrElse(
    decodeProblem(reply.json),
    (): { errorType?: string; errorMessage?: string } => ({})
  )
  if (reply.status === 401) return credentialsRefused(reply)
  if (!definite.has(reply.status) || unsettled.has(errorType ?? "")) {
    return errorType === undefined
      ? unknownOutcome(reply)
      : unknownOutcome(reply, `without a definite answer (${errorType})`)
  }
  return new Declined({
    reason: errorMessage ?? errorType ?? `HTTP ${reply.status}`,
    code: reply.status === 403 ? "CREDENTIALS_REFUSED" : "INVALID_ORDER",
    ...refusals.get(errorType),
    providerCode: errorType ?? `${reply.status}`
  })
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | undefined
}

export type Read<A> = (reply: ProviderReply) => Either.Either<A, Enquiry>

const readAs =
  <A, B>(decode: (json: unknown) => Option.Option<A>, become: (read: A) => B): Read<B> =>
  (reply) =>
    reply.status === 200
      ? Either.fromOption(Option.map(decode(reply.json), become), () => unreadable(reply))
      : Either.left(unknownOutcome(reply))

/** Of one thing by its id: that it is not found says something. */
const readOne =
  <A>(decode: (json: unknown) => Option.Option<A>): Read<A> =>
  (reply) =>
    reply.status === 404 ? Either.left(new Absent()) : readAs(decode, (read) => read)(reply)

export const Transfer = Schema.Struct({
  transferId: optionalText,
  status: optionalText,
  source: optional(Schema.Struct({ accountId: optionalText })),
  sourceAmount: optionalText,
  sourceAsset: optionalText,
  targetAmount: optionalText,
  targetAsset: optionalText,
  failureReason: optionalText,
  metadata: Metadata,
  details: optional(
    Schema.Struct({
      depositDestination: optional(Schema.Struct({ id: Schema.String })),
      onchainTransactions: optional(Schema.Array(Schema.Struct({ transactionHash: optionalText })))
    })
  )
})
export type Transfer = typeof Transfer.Type

const decodeTransfer = Schema.decodeUnknownOption(Transfer)
const decodeTransfers = objectReader({ transfers: Schema.Array(Transfer), nextPageToken: optionalText })

const known = new Set(["quoted", "processing", "completed", "failed"])

export const isExpectedStatus = (status: string): boolean => known.has(status)

/** Fee: what left our account beyond what arrived, where both are of one asset. */
const feeOf = ({ sourceAmount, sourceAsset, targetAmount, targetAsset }: Transfer): { readonly fee?: Money } =>
  Option.match(Option.all([moneyOfMajor(sourceAmount, sourceAsset), moneyOfMajor(targetAmount, targetAsset)]), {
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
      const money = Option.getOrUndefined(moneyOfMajor(targetAmount, targetAsset))
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

const isWhole = ({ transferId }: Transfer): boolean => transferId !== undefined

export const transferCreated = outcomeFrom(
  (json) => Option.filter(decodeTransfer(json), isWhole),
  (transfer) => outcomeOfReport(transferReport(transfer)),
  refusalOf,
  isMade
)

export const readTransfer = readOne(decodeTransfer)

export const readTransfers: Read<Page<Transfer>> = readAs(
  decodeTransfers,
  ({ nextPageToken: next, transfers: items }) => ({ items, next })
)

const Destination = Schema.Struct({
  depositDestinationId: Schema.String,
  accountId: optionalText,
  status: optionalText,
  crypto: optional(Schema.Struct({ network: optionalText, address: optionalText })),
  metadata: Metadata,
  createdAt: optionalText
})
export type Destination = typeof Destination.Type

const decodeDestination = Schema.decodeUnknownOption(Destination)
const decodeDestinations = objectReader({ depositDestinations: Schema.Array(Destination), nextPageToken: optionalText })

const actionDataOf = ({ crypto }: Destination) => ({
  address: crypto?.address ?? null,
  network: networkOfCoinbase(crypto?.network ?? "")
})

export const depositCreated = outcomeFrom(
  decodeDestination,
  (destination) =>
    new Accepted({
      state: "pending",
      providerPaymentId: destination.depositDestinationId,
      providerStatus: destination.status ?? null,
      // `wait` triggers no further look-up, so it needs the address.
      nextAction: destination.crypto?.address === undefined ? "check_status" : "wait",
      actionData: actionDataOf(destination),
      providerData: { deposit_destination_id: destination.depositDestinationId }
    }),
  refusalOf,
  isMade
)

/** Report before any payment arrived. */
export const waitingReport = (destination: Destination): Report =>
  new Report({
    state: "pending",
    reason: null,
    providerPaymentId: destination.depositDestinationId,
    providerStatus: null,
    ...(destination.crypto?.address === undefined
      ? {}
      : { waitsFor: { nextAction: "wait", actionData: actionDataOf(destination) } })
  })

/** Each payment to an address is a transfer of its own. */
const collectionOf = ({ targetAmount, targetAsset, transferId }: Transfer) =>
  Option.map(
    Option.all([moneyOfMajor(targetAmount, targetAsset), Option.fromNullable(transferId)]),
    ([amount, id]) => ({ kind: "collection", id, amount, state: "settled" }) as const
  )

/** Every payment to one address. Undefined where nothing arrived; left where an amount cannot be read. */
export const depositReport = (
  destinationId: string,
  transfers: ReadonlyArray<Transfer>
): Either.Either<Report | undefined, Unknown> => {
  const found = transfers.filter(({ details }) => details?.depositDestination?.id === destinationId)
  // A list that grows while it is read may show one transfer on two pages.
  const ours = [...new Map(found.map((one) => [one.transferId ?? one, one])).values()]
  const about = {
    reason: null,
    providerPaymentId: destinationId,
    ...providerIds({
      deposit_destination_id: destinationId,
      deposit_transfer_ids: ours.flatMap(({ transferId }) => transferId ?? []),
      deposit_transaction_hashes: ours.flatMap(hashesOf)
    })
  }
  const completed = ours.filter(({ status }) => status === "completed")
  if (completed.length > 0) {
    const [first, ...rest] = Option.getOrElse(Option.all(completed.map(collectionOf)), () => [])
    if (first === undefined || rest.some(({ amount }) => amount.currency !== first.amount.currency)) {
      return Either.left(
        new Unknown({ reason: "Coinbase has money for it, of an amount that cannot be read or without an id" })
      )
    }
    const movements = [first, ...rest].filter(({ amount }) => amount.isPositive)
    return Either.right(new Report({ ...about, state: "completed", providerStatus: "completed", movements }))
  }
  const underWay = ours.find(({ status }) => status !== "failed")
  if (underWay !== undefined) {
    return Either.right(new Report({ ...about, state: "processing", providerStatus: underWay.status ?? null }))
  }
  const [failed] = ours
  if (failed === undefined) return Either.right(undefined)
  const failure = { reason: failed.failureReason ?? null, providerStatus: "failed", providerCode: "failed" }
  return Either.right(new Report({ ...about, state: "failed", ...failure }))
}

export const readDestination = readOne(decodeDestination)

export const readDestinations: Read<Page<Destination>> = readAs(
  decodeDestinations,
  ({ depositDestinations: items, nextPageToken: next }) => ({ items, next })
)
