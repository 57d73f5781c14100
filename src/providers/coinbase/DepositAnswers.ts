/** From Coinbase's deposit destinations, and the transfers that came to them, to outcomes: nothing here talks to anybody. */
import { Either, Option, Schema } from "effect"
import { Accepted, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { isMade, providerIds } from "../client/ProviderReplies.ts"
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
import { networkOfCoinbase } from "./CoinbaseRequests.ts"
import { hashesOf, type Transfer } from "./TransferAnswers.ts"

const Destination = Schema.Struct({
  depositDestinationId: Schema.String,
  accountId: Text,
  status: Text,
  crypto: optional(Schema.Struct({ network: Text, address: Text })),
  metadata: Metadata,
  createdAt: Text
})
export type Destination = typeof Destination.Type

const decodeDestination = Schema.decodeUnknownEither(Destination)
const decodeDestinations = Schema.decodeUnknownEither(
  Schema.Struct({ depositDestinations: Schema.Array(Destination), nextPageToken: Text })
)

const actionDataOf = ({ crypto }: Destination) => ({
  address: crypto?.address ?? null,
  network: networkOfCoinbase(crypto?.network ?? "")
})

export const depositCreated = (reply: ProviderReply): Outcome =>
  isMade(reply)
    ? Either.match(decodeDestination(reply.json), {
        onLeft: () => unreadable(reply),
        onRight: (destination): Outcome =>
          new Accepted({
            state: "pending",
            providerPaymentId: destination.depositDestinationId,
            providerStatus: destination.status ?? null,
            // Whoever waits is told nothing more: before there is an address, an enquiry has to bring it.
            nextAction: destination.crypto?.address === undefined ? "check_status" : "wait",
            actionData: actionDataOf(destination),
            providerData: { deposit_destination_id: destination.depositDestinationId }
          })
      })
    : refusalOf(reply)

/** Nothing has come to it yet. */
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
    Option.all([moneyIn(targetAmount, targetAsset), Option.fromNullable(transferId)]),
    ([amount, id]) => ({ kind: "collection", id, amount, state: "settled" }) as const
  )

/**
 * All that came to one address, however many times somebody paid; nothing where nobody did, and a failure where an amount
 * cannot be read.
 */
export const depositReport = (
  destinationId: string,
  transfers: ReadonlyArray<Transfer>
): Either.Either<Option.Option<Report>, Unknown> => {
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
    const read = Option.all(completed.map(collectionOf))
    const [first, ...rest] = Option.getOrElse(read, () => [])
    if (first === undefined || rest.some(({ amount }) => amount.currency !== first.amount.currency)) {
      return Either.left(
        new Unknown({ reason: "Coinbase has money for it, of an amount that cannot be read or without an id" })
      )
    }
    const movements = [first, ...rest].filter(({ amount }) => amount.isPositive)
    return Either.right(
      Option.some(new Report({ ...about, state: "completed", providerStatus: "completed", movements }))
    )
  }
  const underWay = ours.find(({ status }) => status !== "failed")
  if (underWay !== undefined) {
    return Either.right(
      Option.some(new Report({ ...about, state: "processing", providerStatus: underWay.status ?? null }))
    )
  }
  return Either.right(
    Option.map(
      Option.fromNullable(ours[0]),
      ({ failureReason }) =>
        new Report({
          ...about,
          state: "failed",
          reason: failureReason ?? null,
          providerStatus: "failed",
          providerCode: "failed"
        })
    )
  )
}

export const readDestination = readOne(decodeDestination)

export const readDestinations: Read<Page<Destination>> = readAs(
  decodeDestinations,
  ({ depositDestinations: items, nextPageToken: next }) => ({ items, next })
)
