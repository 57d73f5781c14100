/** Environments of MTN with the country of each, request bodies, and the endpoint of each attempt. */
import { Either } from "effect"
import type { MovementKind } from "../../domain/Movement.ts"
import { type Declined } from "../../domain/Outcome.ts"
import { notSupported } from "../client/ProviderReplies.ts"
import {
  type AttemptContext,
  attemptKind,
  type PaymentOrder,
  type Provider,
  type RefundOrder
} from "../port/Provider.ts"
import { servedBy, serving } from "../port/ThirdParty.ts"
import { shortText } from "../client/WireValues.ts"

const MTN = "mtn"

/** MTN's environment for tests, which belongs to no country and takes one currency. */
export const SANDBOX = { name: "sandbox", currency: "EUR" } as const

/** Country and currency of each environment. */
const platforms: ReadonlyMap<string, readonly [country: string, currency: string]> = new Map([
  ["mtnuganda", ["UG", "UGX"]],
  ["mtnghana", ["GH", "GHS"]],
  ["mtnrwanda", ["RW", "RWF"]],
  ["mtnzambia", ["ZM", "ZMW"]],
  ["mtnivorycoast", ["CI", "XOF"]],
  ["mtncameroon", ["CM", "XAF"]],
  ["mtnbenin", ["BJ", "XOF"]],
  ["mtncongo", ["CG", "XAF"]],
  ["mtnguineaconakry", ["GN", "GNF"]],
  ["mtnliberia", ["LR", "LRD"]],
  ["mtnswaziland", ["SZ", "SZL"]],
  ["mtnsouthafrica", ["ZA", "ZAR"]]
])

const servedIn = (countries: string, currency: string) => serving("both", "mobile_money", countries, currency, [MTN])

export const serves = Array.from(platforms.values()).flatMap(([country, currency]) => servedIn(country, currency))

/** Currency of an environment; undefined for an unknown one. */
export const currencyOf = (environment: string): string | undefined =>
  environment === SANDBOX.name ? SANDBOX.currency : platforms.get(environment)?.[1]

/** Support by environment: one account belongs to one environment, so to one of MTN's countries. */
export const supportsIn = (environment: string): Provider["supports"] => {
  if (environment === SANDBOX.name) return servedBy("MTN MoMo's sandbox", servedIn("everywhere", SANDBOX.currency))
  const platform = platforms.get(environment)
  const names = [SANDBOX.name, ...platforms.keys()].join(", ")
  return platform === undefined
    ? () => Either.left(`MTN_MOMO_TARGET_ENVIRONMENT is ${environment}, which is none of ${names}.`)
    : servedBy(`MTN MoMo (${environment})`, servedIn(...platform))
}

/** Each has a subscription key and tokens of its own. */
export type Product = "collection" | "disbursement"

export interface Endpoint {
  readonly product: Product
  /** Orders are posted to it; what became of one is found below it, by its reference. */
  readonly path: string
  readonly moves: MovementKind
}

const requestToPay: Endpoint = {
  product: "collection",
  path: "/collection/v1_0/requesttopay",
  moves: "collection"
}
const transfer: Endpoint = { product: "disbursement", path: "/disbursement/v1_0/transfer", moves: "disbursement" }
const refunds: Endpoint = { product: "disbursement", path: "/disbursement/v1_0/refund", moves: "refund" }

export const tokenPath = (product: Product): string => `/${product}/token/`
export const balancePath = (product: Product): string => `/${product}/v1_0/account/balance`

export const lookUpPath = ({ path }: Endpoint, reference: string): string => `${path}/${encodeURIComponent(reference)}`

const endpoints = { payin: requestToPay, payout: transfer, refund: refunds }

export const endpointOf = (attempt: Pick<AttemptContext, "flow" | "leg">): Endpoint => endpoints[attemptKind(attempt)]

/** Some of its platforms refuse a message with an unknown character; nothing depends on the text. */
const LONGEST_MESSAGE = 160

const message = (text: string | null): string => {
  const plain = (text ?? "")
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9 .,-]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_MESSAGE)
  return plain === "" ? "Payment" : plain
}

const party = (phoneNumber: string) => ({ partyIdType: "MSISDN", partyId: phoneNumber.replace(/\D/g, "") })

/** The reference is also the external id, by which a callback names what it is about. */
const common = ({ money, reference }: Pick<PaymentOrder, "money" | "reference">, words: string | null) => ({
  amount: shortText(money),
  currency: money.currency,
  externalId: reference,
  payerMessage: message(words),
  payeeNote: message(words)
})

export interface MtnOrder {
  readonly endpoint: Endpoint
  readonly reference: string
  readonly body: Readonly<Record<string, unknown>>
}

export const orderRequest = (order: PaymentOrder): Either.Either<MtnOrder, Declined> => {
  const { description, flow, mobileMoney, reference } = order
  if (flow === "external" || mobileMoney === null || mobileMoney.network !== MTN) {
    return Either.left(notSupported("only numbers of MTN are asked or paid by MTN MoMo"))
  }
  const side = party(mobileMoney.phoneNumber)
  return Either.right(
    flow === "inbound"
      ? { endpoint: requestToPay, reference, body: { ...common(order, description), payer: side } }
      : { endpoint: transfer, reference, body: { ...common(order, description), payee: side } }
  )
}

export const refundRequest = (order: RefundOrder): Either.Either<MtnOrder, Declined> =>
  endpointOf(order.attempt) === requestToPay
    ? Either.right({
        endpoint: refunds,
        reference: order.reference,
        body: { ...common(order, order.reason), referenceIdToRefund: order.collectionId ?? order.attempt.reference }
      })
    : Either.left(notSupported("MTN refunds only what it collected"))
