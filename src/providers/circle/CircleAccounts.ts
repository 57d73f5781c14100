/** Details of Circle for virtual accounts: deposit addresses in USDC, wires in USD. And the transfers that arrive. */
import { Duration, Effect, Option, Schema } from "effect"
import { transferConfirmation } from "../../domain/policies/PaymentPolicies.ts"
import { type Call, get, postJson, type ProviderCall, withQuery } from "../client/ProviderHttp.ts"
import { isMade, readOk } from "../client/ProviderReplies.ts"
import { enclosed, optional, optionalText } from "../client/WireValues.ts"
import {
  type AccountIssuer,
  type DetailsOrder,
  type IncomingTransfer,
  Issued,
  MaybeIssued,
  NotIssued,
  knownDetails,
  listAll,
  notListed,
  notMade,
  unanswered
} from "../port/AccountIssuer.ts"
import { type Callback, Proof } from "../port/Callback.ts"
import { Amount, messageIn, PER_PAGE } from "./CircleAnswers.ts"
import { chainOfNetwork, derivedUuid, moneyOfCircle, networkOfChain, paths } from "./CircleRequests.ts"
import { depositsBetween, issueWire, pageOf, wiredCurrencies } from "./CircleWires.ts"

const addressedCurrencies = ["USDC"]

export const issuedCurrencies = [...addressedCurrencies, ...wiredCurrencies]

const addressesPath = "/v1/businessAccount/wallets/addresses/deposit"

const DepositAddress = Schema.Struct({ address: Schema.NonEmptyString, chain: optionalText })

const Arrival = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  source: Schema.Struct({
    type: Schema.String,
    identities: optional(Schema.Array(Schema.Struct({ name: optionalText })))
  }),
  destination: Schema.Struct({ type: Schema.String, address: optionalText }),
  amount: Amount
})
type Arrival = typeof Arrival.Type

const addressIn = enclosed(DepositAddress)
const addressesIn = enclosed(Schema.Array(DepositAddress))
const arrivalIn = enclosed(Arrival)
const arrivalsIn = enclosed(Schema.Array(Arrival))

/** Addresses in hexadecimal are the same in any case. */
const referenceOf = (address: string): string => (address.startsWith("0x") ? address.toLowerCase() : address)

/** Repeated within the life of its key, Circle answers with the same address. */
export const createAddress = ({ reference }: DetailsOrder, chain: string): ProviderCall =>
  postJson("create deposit address", addressesPath, {
    idempotencyKey: derivedUuid("deposit address", chain, reference),
    currency: "USD",
    chain
  })

export const listTransfers = (since: Date, until: Date | undefined, after: string | null): ProviderCall =>
  get(
    "list transfers",
    withQuery(paths.transfer, {
      from: since.toISOString(),
      to: until?.toISOString(),
      pageSize: `${PER_PAGE}`,
      pageAfter: after ?? undefined
    })
  )

const listAddresses: ProviderCall = get("list deposit addresses", addressesPath)

/** Money that came from a chain to a deposit address; null: another transfer, or one under way. */
const transferOf = (
  { amount, destination, id, source, status }: Arrival,
  addresses: ReadonlySet<string>
): IncomingTransfer | null => {
  const money = Option.getOrUndefined(moneyOfCircle(amount))
  const reference = destination.address === undefined ? undefined : referenceOf(destination.address)
  if (source.type !== "blockchain" || status !== "complete" || money?.isPositive !== true) return null
  // Payment intents have addresses of their own, and are booked as payins.
  if (reference === undefined || !addresses.has(reference)) return null
  const sender = source.identities?.[0]?.name ?? null
  return { id, kind: "collection", providerReference: reference, amount: money, sender }
}

/** `network`: of the addresses; without it Ethereum. */
export const circleAccounts = (call: Call, network: string | undefined) => {
  const chain = chainOfNetwork(network)

  const known = Effect.map(
    Effect.flatMap(call(listAddresses), (reply) => readOk(reply, addressesIn)),
    (all): ReadonlySet<string> => new Set(all.map(({ address }) => referenceOf(address)))
  )

  const issueAddress = (order: DetailsOrder) =>
    Effect.gen(function* () {
      if (chain === undefined) return new NotIssued({ reason: `Circle has no addresses on ${network}` })
      const reply = yield* Effect.mapError(call(createAddress(order, chain)), unanswered)
      if (!isMade(reply)) return notMade(reply, messageIn(reply))
      const made = Option.getOrUndefined(addressIn(reply.json))
      if (made === undefined) return new MaybeIssued({ reason: "Circle's answer cannot be read" })
      return new Issued({
        providerReference: referenceOf(made.address),
        details: knownDetails({ address: made.address, network: networkOfChain(chain) })
      })
    }).pipe(Effect.merge)

  const wire = issueWire(call)

  const issuer: AccountIssuer = {
    currencies: issuedCurrencies,
    issue: (order) => (wiredCurrencies.includes(order.currency) ? wire(order) : issueAddress(order)),
    incoming: (since, until) =>
      Effect.gen(function* () {
        const addresses = yield* known
        // Listed by the time at which they were first seen, and complete later.
        const seen = new Date(since.getTime() - Duration.toMillis(transferConfirmation))
        const all = yield* listAll((after) =>
          Effect.flatMap(call(listTransfers(seen, until, after)), (reply) => pageOf(reply, arrivalsIn))
        )
        const wired = yield* depositsBetween(call, since, until)
        return [...all.flatMap((one) => transferOf(one, addresses) ?? []), ...wired]
      }).pipe(Effect.mapError(notListed))
  }

  /** The transfer that a callback names, as the account's own look-up shows it. */
  const transferAt = (id: string): Effect.Effect<Pick<Callback, "transfers" | "listTransfers">> =>
    Effect.gen(function* () {
      const request = get("look up transfer", `${paths.transfer}/${encodeURIComponent(id)}`)
      const reply = yield* call(request)
      const arrival = yield* readOk(reply, arrivalIn)
      const proof = yield* Proof.lookedUp(reply)
      const transfer = transferOf(arrival, yield* known)
      return transfer === null ? {} : { transfers: [{ ...transfer, proof }] }
    }).pipe(Effect.orElseSucceed(() => ({ listTransfers: true as const })))

  return { issuer, transferAt }
}
