/** Entries of the fake of Stripe in the shape of Stripe's objects. */
import { Option } from "effect"
import { sha256Hex } from "../../src/domain/Digest.ts"
import { Money } from "../../src/domain/Money.ts"
import type { Dispute } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import { amountText, testCards } from "../../src/providers/stripe/StripeRequests.ts"
import type { FakeError, NewIntent, NewSession } from "./StripeFakeForms.ts"

/** Fields that an entry of a payment keeps. */
export interface Kept extends Record<string, unknown> {
  readonly intent: NewIntent
  confirmed: boolean
  returnUrl: string | null
  lastError: FakeError | null
  canceled: boolean
  /** The page that it is paid on. `isBegun`: a payer has tried, so that there is a payment. */
  readonly session?: { readonly form: NewSession; isBegun: boolean }
  /** Refund that was made in the dashboard, and the dispute of the payer. */
  byHand?: Money
  dispute?: Omit<Dispute, "of">
}

/** Behind a page there is no payment before somebody tries to pay. */
export const isThere = (entry: Entry): boolean => keptOf(entry).session?.isBegun !== false

export const keptOf = ({ kept }: Entry): Kept => kept as Kept

export const idOf = (prefix: string, of: string): string => `${prefix}_${sha256Hex(of).slice(0, 24)}`

export const secretOf = (id: string): string => `${id}_secret_${sha256Hex(id).slice(0, 16)}`

/** Only what Stripe's own digits can say was ever taken, so that there always is a text. */
export const counted = (money: Money): number => Number(Option.getOrThrow(amountText(money)))

export const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

const isTransfer = (entry: Entry): boolean => keptOf(entry).intent.payment_method_data?.type === "customer_balance"

export const statusOf = (entry: Entry): string => {
  const { canceled, confirmed, session } = keptOf(entry)
  // A page survives refused cards: one that fails for good has expired, and its payment with it.
  if (canceled || (entry.state === "failed" && session !== undefined)) return "canceled"
  switch (entry.state) {
    case "waiting":
      return confirmed ? "requires_action" : "requires_payment_method"
    case "processing":
      return isTransfer(entry) ? "requires_action" : "processing"
    case "failed":
      return "requires_payment_method"
    default:
      return "succeeded"
  }
}

const sixteenDigits = (id: string): string => (BigInt(`0x${sha256Hex(id)}`) % 10n ** 16n).toString().padStart(16, "0")

export const addressOf = (type: string, id: string): unknown => {
  const digits = sixteenDigits(id)
  const account_holder_name = "Corridor Fake"
  switch (type) {
    case "gb_bank_transfer":
      return {
        type: "sort_code",
        supported_networks: ["bacs", "fps"],
        sort_code: { account_holder_name, account_number: digits.slice(0, 8), sort_code: "108800" }
      }
    case "jp_bank_transfer":
      return {
        type: "zengin",
        supported_networks: ["zengin"],
        zengin: {
          account_holder_name,
          account_number: digits.slice(0, 7),
          account_type: "futsu",
          bank_code: "0009",
          bank_name: "Fake Bank",
          branch_code: "950",
          branch_name: "Fake Branch"
        }
      }
    case "mx_bank_transfer":
      return {
        type: "spei",
        supported_networks: ["spei"],
        spei: { bank_code: "002", bank_name: "Fake Bank", clabe: `00${digits}` }
      }
    case "us_bank_transfer":
      return {
        type: "aba",
        aba: { account_number: digits, bank_name: "Fake Bank", routing_number: "110000000", account_holder_name }
      }
    default:
      return {
        type: "iban",
        supported_networks: ["sepa"],
        iban: { account_holder_name, bic: "FAKEIE2D", country: "IE", iban: `IE00FAKE${digits.slice(0, 14)}` }
      }
  }
}

const nextActionOf = (entry: Entry, url: string): unknown => {
  if (statusOf(entry) !== "requires_action") return null
  const { intent, returnUrl } = keptOf(entry)
  const type = intent.payment_method_options?.customer_balance?.bank_transfer?.type
  if (type === undefined) {
    return returnUrl === null
      ? { type: "use_stripe_sdk", use_stripe_sdk: {} }
      : {
          type: "redirect_to_url",
          redirect_to_url: { return_url: returnUrl, url: `${url}/hosted/authenticate/${entry.id}` }
        }
  }
  return {
    type: "display_bank_transfer_instructions",
    display_bank_transfer_instructions: {
      amount_remaining: counted(entry.asked),
      currency: intent.currency,
      financial_addresses: [addressOf(type, entry.id)],
      hosted_instructions_url: `${url}/hosted/transfers/${entry.id}`,
      reference: entry.id.slice(-8).toUpperCase(),
      type
    }
  }
}

/** `refunded`: in minor units, by refunds of ours. */
export const chargeOf = (entry: Entry, refunded: bigint): Readonly<Record<string, unknown>> => {
  const { byHand, dispute, intent } = keptOf(entry)
  const { currency } = entry.moved
  const amount_refunded = counted(new Money({ currency, minor: refunded + (byHand?.minor ?? 0n) }))
  return {
    id: idOf("ch", entry.id),
    object: "charge",
    amount: counted(entry.moved),
    amount_captured: counted(entry.moved),
    amount_refunded,
    created: seconds(entry.createdAt),
    currency: currency.toLowerCase(),
    disputed: dispute !== undefined,
    livemode: false,
    metadata: intent.metadata,
    paid: true,
    payment_intent: entry.id,
    refunded: amount_refunded === counted(entry.moved),
    status: "succeeded"
  }
}

export const intentOf = (entry: Entry, url: string): Readonly<Record<string, unknown>> => {
  const { canceled, intent, lastError } = keptOf(entry)
  const isPaid = entry.state === "completed" || entry.state === "returned"
  const failed: FakeError = {
    type: "card_error",
    code: "card_declined",
    message: entry.reason ?? "Your card was declined."
  }
  return {
    id: entry.id,
    object: "payment_intent",
    amount: counted(entry.asked),
    amount_capturable: 0,
    amount_received: isPaid ? counted(entry.moved) : 0,
    capture_method: "automatic",
    client_secret: secretOf(entry.id),
    confirmation_method: "automatic",
    created: seconds(entry.createdAt),
    currency: intent.currency,
    customer: intent.customer ?? null,
    description: intent.description ?? null,
    last_payment_error: entry.state === "failed" && !canceled ? failed : lastError,
    latest_charge: isPaid ? idOf("ch", entry.id) : null,
    livemode: false,
    metadata: intent.metadata ?? {},
    next_action: nextActionOf(entry, url),
    payment_method: intent.payment_method ?? null,
    payment_method_types: intent.payment_method_types ?? ["card"],
    status: statusOf(entry)
  }
}

const refundStatuses: Readonly<Record<Entry["state"], string>> = {
  waiting: "pending",
  processing: "pending",
  completed: "succeeded",
  failed: "failed",
  returned: "failed"
}

const refundShown = (intent: string | null, money: Money, { createdAt }: Entry) => ({
  object: "refund",
  amount: counted(money),
  charge: idOf("ch", intent ?? ""),
  created: seconds(createdAt),
  currency: money.currency.toLowerCase(),
  payment_intent: intent
})

export const refundOf = (entry: Entry): Readonly<Record<string, unknown>> => ({
  ...refundShown(entry.of, entry.asked, entry),
  id: entry.id,
  metadata: entry.kept["metadata"] ?? {},
  reason: null,
  status: refundStatuses[entry.state],
  ...(entry.state === "failed" ? { failure_reason: "unknown" } : {})
})

export const refundByHandOf = (entry: Entry, money: Money): Readonly<Record<string, unknown>> => ({
  ...refundShown(entry.id, money, entry),
  id: idOf("re", `by hand ${entry.id}`),
  metadata: {},
  reason: "requested_by_customer",
  status: "succeeded"
})

export const disputeOf = (
  entry: Entry,
  { money, stage }: Omit<Dispute, "of"> = { money: entry.moved, stage: "opened" }
): Readonly<Record<string, unknown>> => ({
  id: idOf("dp", entry.id),
  object: "dispute",
  amount: counted(money),
  charge: idOf("ch", entry.id),
  created: seconds(entry.createdAt),
  currency: entry.moved.currency.toLowerCase(),
  livemode: false,
  metadata: {},
  payment_intent: entry.id,
  reason: "fraudulent",
  balance_transactions: [-counted(money), ...(stage === "won" ? [counted(money)] : [])].map((amount) => ({
    object: "balance_transaction",
    amount,
    currency: entry.moved.currency.toLowerCase(),
    type: "adjustment"
  })),
  status: stage === "opened" ? "needs_response" : stage
})

const declined = (code: string, decline_code = code, message = "Your card was declined."): FakeError => ({
  type: "card_error",
  code,
  decline_code,
  message
})

const declinedMethods: Readonly<Record<string, FakeError>> = {
  pm_card_visa_chargeDeclined: declined("card_declined", "generic_decline"),
  pm_card_visa_chargeDeclinedInsufficientFunds: declined(
    "card_declined",
    "insufficient_funds",
    "Your card has insufficient funds."
  ),
  pm_card_visa_chargeDeclinedLostCard: declined("card_declined", "lost_card"),
  pm_card_visa_chargeDeclinedStolenCard: declined("card_declined", "stolen_card"),
  pm_card_visa_chargeDeclinedVelocityLimitExceeded: declined("card_declined", "card_velocity_exceeded"),
  pm_card_chargeDeclinedExpiredCard: declined("expired_card", "expired_card", "Your card has expired."),
  pm_card_chargeDeclinedIncorrectCvc: declined(
    "incorrect_cvc",
    "incorrect_cvc",
    "Your card's security code is incorrect."
  ),
  pm_card_chargeDeclinedProcessingError: declined(
    "processing_error",
    "processing_error",
    "The card could not be processed."
  )
}

type Paying = Pick<NewIntent, "payment_method" | "payment_method_data">

/** Payment method that pays, by its token where it is one of the test cards. */
const methodOf = ({ payment_method, payment_method_data }: Paying): string | undefined =>
  payment_method ?? testCards[payment_method_data?.card?.number ?? ""]

export const declineOf = (paying: Paying): FakeError | undefined => declinedMethods[methodOf(paying) ?? ""]

export const authenticates = (paying: Paying): boolean => methodOf(paying) === "pm_card_authenticationRequired"

export const isKnownMethod = ({ payment_method }: Paying): boolean =>
  payment_method === undefined || Object.values(testCards).includes(payment_method)

export const genericDecline = declined("card_declined", "generic_decline")
