/** Answers of the simulators to accepted orders. */
import { Duration } from "effect"
import type { BuiltInRail } from "../../domain/Corridor.ts"
import { isCryptoAssetCode, networksOf } from "../../domain/CryptoAsset.ts"
import type { Movement } from "../../domain/Movement.ts"
import { Accepted } from "../../domain/Outcome.ts"
import { simulatorFundingTime } from "../../domain/policies/ProviderPolicies.ts"
import type { PaymentOrder } from "../port/Provider.ts"
import { type Behaviour, methodOf } from "./SimulatorBehaviour.ts"
import type { SimulatorAnswer, SimulatorPayment } from "./SimulatorStore.ts"
import { sha256Hex } from "../../domain/Digest.ts"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { base58 } from "@scure/base"
import { base58check, checksumCase, keyHashVersion, tronVersion } from "../../domain/WalletAddress.ts"

/** Deposit address: valid for its network, derived from the reference, without a private key. */
const versioned = (version: number, hash: Uint8Array): string =>
  base58check.encode(concatBytes(Uint8Array.of(version), hash))

export const depositAddress = (network: string, reference: string): string => {
  const digest = sha256(utf8ToBytes(`deposit ${network} ${reference}`))
  const hash = digest.subarray(0, 20)
  switch (network) {
    case "BITCOIN":
      return versioned(keyHashVersion, hash)
    case "TRON":
      return versioned(tronVersion, hash)
    case "SOLANA":
      return base58.encode(digest)
    default:
      return `0x${checksumCase(bytesToHex(hash))}`
  }
}

/** The simulator's id of a payment, derived from our reference. */
export const simulatorPaymentId = (rail: BuiltInRail, reference: string): string =>
  `${rail}_${sha256Hex(reference).slice(0, 24)}`

/** A simulated payment moves money once, so its id is also the id of its movement. */
export const movementsOf = ({
  kind,
  money,
  rail,
  reference,
  state
}: Pick<SimulatorPayment, "kind" | "money" | "rail" | "reference" | "state">): ReadonlyArray<Movement> =>
  state === "completed" ? [{ kind, id: simulatorPaymentId(rail, reference), amount: money, state: "settled" }] : []

const accountFor = (reference: string, nowMillis: number): Readonly<Record<string, string>> => {
  const digest = sha256Hex(reference)
  return {
    account_name: "Corridor Sandbox",
    account_number: (BigInt(`0x${digest}`) % 10_000_000_000n).toString().padStart(10, "0"),
    bank_name: "Corridor Sandbox Bank",
    bank_code: "999",
    reference: `CR${digest.slice(0, 10).toUpperCase()}`,
    expires_at: new Date(nowMillis + Duration.toMillis(simulatorFundingTime)).toISOString()
  }
}

const depositFor = ({ money, reference, walletAddress }: PaymentOrder): Readonly<Record<string, string>> => {
  const usual = isCryptoAssetCode(money.currency) ? networksOf(money.currency)[0] : undefined
  const network = walletAddress?.network ?? usual ?? "ETHEREUM"
  return { address: depositAddress(network, reference), network }
}

/** Waits for an operator; the customer has nothing to do. */
export const byHand: SimulatorAnswer = { state: "processing", nextAction: "wait", actionData: {} }

const usualAnswer = (order: PaymentOrder, nowMillis: number): SimulatorAnswer => {
  if (order.flow === "outbound") return { state: "processing", nextAction: null, actionData: {} }
  switch (methodOf(order)) {
    case "bank_transfer":
      return { state: "pending", nextAction: "bank_transfer", actionData: accountFor(order.reference, nowMillis) }
    case "crypto":
      return { state: "pending", nextAction: "wait", actionData: depositFor(order) }
    case "mobile_money":
      return { state: "processing", nextAction: "wait", actionData: {} }
    default:
      return { state: "processing", nextAction: null, actionData: {} }
  }
}

export const answerTo = (order: PaymentOrder, behaviour: Behaviour, nowMillis: number): SimulatorAnswer => {
  switch (behaviour) {
    case "redirects":
      return { state: "pending", nextAction: "redirect", actionData: { redirect_url: order.checkoutUrl } }
    case "asks_password":
      return { state: "pending", nextAction: "collect_otp", actionData: {} }
    case "pays_by_link":
      return { state: "pending", nextAction: "pay_by_link", actionData: { payment_link: order.checkoutUrl } }
    case "by_hand":
      return byHand
    default:
      return usualAnswer(order, nowMillis)
  }
}

export const acceptedAs = ({ answer, rail, reference }: SimulatorPayment): Accepted =>
  new Accepted({
    ...answer,
    providerPaymentId: simulatorPaymentId(rail, reference),
    providerStatus: answer.state,
    providerData: { rail }
  })
