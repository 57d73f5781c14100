/**
 * Wires of Circle for virtual accounts in USD. Circle takes wires from bank accounts that it knows: the holder's is made
 * known, and deposits name it.
 */
import { Duration, Effect, Either, Option, Schema } from "effect"
import { transferConfirmation } from "../../domain/policies/PaymentPolicies.ts"
import { type Call, get, postJson, type ProviderCall, type ProviderReply, withQuery } from "../client/ProviderHttp.ts"
import { isMade, readOk } from "../client/ProviderReplies.ts"
import { enclosed, moneyOfMajor, optional, optionalText } from "../client/WireValues.ts"
import {
  type DetailsOrder,
  type IncomingTransfer,
  Issued,
  MaybeIssued,
  NotIssued,
  knownDetails,
  listAll,
  notMade,
  unanswered
} from "../port/AccountIssuer.ts"
import { Amount, messageIn, PER_PAGE } from "./CircleAnswers.ts"
import { derivedUuid } from "./CircleRequests.ts"

export const wiredCurrencies = ["USD"]

const wiresPath = "/v1/businessAccount/banks/wires"

const wireIn = enclosed(Schema.Struct({ id: Schema.String, status: Schema.String, trackingRef: optionalText }))

const instructionsIn = enclosed(
  Schema.Struct({
    trackingRef: Schema.NonEmptyString,
    beneficiary: optional(Schema.Struct({ name: optionalText })),
    beneficiaryBank: Schema.Struct({
      name: optionalText,
      swiftCode: optionalText,
      routingNumber: optionalText,
      accountNumber: Schema.NonEmptyString
    })
  })
)

const Deposit = Schema.Struct({
  id: Schema.String,
  sourceWalletId: optionalText,
  amount: Amount,
  status: Schema.String
})

const depositsIn = enclosed(Schema.Array(Deposit))

/** Repeated within the life of its key, Circle answers with the same bank account. */
export const createWire = ({ holder, reference }: DetailsOrder): Either.Either<ProviderCall, NotIssued> => {
  const { bank_account, name } = holder
  if (bank_account === undefined) {
    return Either.left(new NotIssued({ reason: "Circle needs holder.bank_account, which the wires come from" }))
  }
  const { account_number, address, routing_number } = bank_account
  const { city, country, district, line1, postal_code } = address
  return Either.right(
    postJson("create wire account", wiresPath, {
      idempotencyKey: derivedUuid("wire account", reference),
      accountNumber: account_number,
      routingNumber: routing_number,
      billingDetails: {
        ...{ name, city, country, line1, postalCode: postal_code },
        ...(district === undefined ? {} : { district })
      },
      bankAddress: { country: "US" }
    })
  )
}

const instructions = (id: string): ProviderCall =>
  get("get wire instructions", `${wiresPath}/${encodeURIComponent(id)}/instructions`)

const listDeposits = (since: Date, until: Date | undefined, after: string | null): ProviderCall =>
  get(
    "list deposits",
    withQuery("/v1/businessAccount/deposits", {
      ...{ type: "wire", from: since.toISOString(), pageSize: `${PER_PAGE}` },
      to: until?.toISOString(),
      pageAfter: after ?? undefined
    })
  )

const transferOf = ({ amount, id, sourceWalletId, status }: typeof Deposit.Type): ReadonlyArray<IncomingTransfer> => {
  const money = Option.getOrUndefined(moneyOfMajor(amount.amount, amount.currency))
  if (status !== "complete" || money?.isPositive !== true) return []
  return [
    {
      id,
      kind: "collection",
      providerReference: sourceWalletId ?? null,
      amount: money,
      sender: null,
      isUncertain: true
    }
  ]
}

const detailsIn = (reply: ProviderReply) =>
  Either.map(readOk(reply, instructionsIn), ({ beneficiary, beneficiaryBank, trackingRef }) =>
    knownDetails({
      account_name: beneficiary?.name,
      account_number: beneficiaryBank.accountNumber,
      routing_number: beneficiaryBank.routingNumber,
      bic: beneficiaryBank.swiftCode,
      bank_name: beneficiaryBank.name,
      reference: trackingRef
    })
  )

export const issueWire = (call: Call) => (order: DetailsOrder) =>
  Effect.gen(function* () {
    const made = yield* Effect.mapError(call(yield* createWire(order)), unanswered)
    if (!isMade(made)) return notMade(made, messageIn(made))
    const wire = Option.getOrUndefined(wireIn(made.json))
    if (wire === undefined) return new MaybeIssued({ reason: "Circle's answer cannot be read" })
    if (wire.status === "failed") return new NotIssued({ reason: "Circle does not take wires from this bank account" })
    // Wires count once the bank account is linked.
    if (wire.status !== "complete") return new MaybeIssued({ reason: `The bank account is ${wire.status} at Circle` })
    const reply = yield* Effect.mapError(call(instructions(wire.id)), unanswered)
    return Either.match(detailsIn(reply), {
      onLeft: ({ reason }) => new MaybeIssued({ reason: `Circle has no wire instructions: ${reason}` }),
      onRight: (details) => new Issued({ providerReference: wire.id, details })
    })
  }).pipe(Effect.merge)

/** A page that is not full is the last; the next one begins after the last item. */
export const pageOf = <A extends { readonly id: string }>(
  reply: ProviderReply,
  read: (json: unknown) => Option.Option<ReadonlyArray<A>>
) =>
  Either.map(readOk(reply, read), (items) => ({
    items,
    next: items.length < PER_PAGE ? null : (items.at(-1)?.id ?? null)
  }))

/** Wires are listed from when they were seen, and complete later. */
export const depositsBetween = (call: Call, since: Date, until: Date | undefined) => {
  const seen = new Date(since.getTime() - Duration.toMillis(transferConfirmation))
  return Effect.map(
    listAll((after) => Effect.flatMap(call(listDeposits(seen, until, after)), (reply) => pageOf(reply, depositsIn))),
    (all) => all.flatMap(transferOf)
  )
}
