/** Statuses, movements and disputes of Paystack. Its published schemas are unreliable, so few fields are read. */
import { Option, Schema } from "effect"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"
import type { Money } from "../../domain/Money.ts"
import type { Movement, MovementState } from "../../domain/Movement.ts"
import { Report } from "../../domain/Outcome.ts"
import { withMovements, providerIds } from "../client/ProviderReplies.ts"
import { meanings, moneyOfMinor, optional, optionalText, present } from "../client/WireValues.ts"
import { PAYSTACK_DIGITS } from "./PaystackRequests.ts"

/** Fields that transactions, transfers and refunds share. */
export const Moved = Schema.Struct({
  status: Schema.String,
  reference: optionalText,
  id: optionalText,
  transfer_code: optionalText,
  receipt_number: optionalText,
  amount: optionalText,
  requested_amount: optionalText,
  currency: optionalText,
  fees: optionalText,
  fee_charged: optionalText,
  channel: optionalText,
  gateway_response: optionalText,
  message: optionalText
})
export type Moved = typeof Moved.Type

export const readMoved = Schema.decodeUnknownOption(Moved)
type State = Report["state"]

const transactionStates = meanings<State>({
  completed: "success",
  failed: "failed",
  returned: "reversed",
  // The customer has not finished, and still may: our own expiry ends it.
  pending: "abandoned ongoing pending_bank_transfer send_otp open_url",
  processing: "pending processing queued pay_offline"
})

const transferStates = meanings<State>({
  completed: "success",
  failed: "failed abandoned blocked rejected",
  returned: "reversed",
  // `otp` waits for a password at Paystack: the account must have transfer passwords switched off.
  processing: "pending received processing queued otp"
})

const refundStates = meanings<State>({
  completed: "processed",
  failed: "failed",
  processing: "pending processing needs-attention"
})

const statesOf = { transaction: transactionStates, transfer: transferStates, refund: refundStates } as const

export type Kind = keyof typeof statesOf

/** Neither unknown nor waiting for a person at Paystack; other statuses are logged. */
export const isExpectedStatus = (kind: Kind, status: string): boolean =>
  statesOf[kind].has(status) && !["otp", "needs-attention"].includes(status)

const moneyOf = (amount: string | undefined, currency: string | undefined): Money | undefined =>
  Option.getOrUndefined(moneyOfMinor(amount, currency, PAYSTACK_DIGITS))

const wordings: ReadonlyArray<readonly [RegExp, RefusalCode]> = [
  [/insufficient (funds|balance)/i, "INSUFFICIENT_FUNDS"],
  [/expired card|card (has )?expired/i, "CARD_EXPIRED"],
  [/(incorrect|invalid|wrong) (pin|otp)/i, "AUTHENTICATION_FAILED"],
  [/timed? ?out|not approved|cancelled by/i, "NOT_APPROVED"],
  [/fraud/i, "SUSPECTED_FRAUD"]
]

/** Paystack passes on the bank's text; only unambiguous texts get a code. */
const codeOf = ({ channel, gateway_response: said }: Moved): RefusalCode | undefined => {
  if (said === undefined) return undefined
  const known = wordings.find(([wording]) => wording.test(said))?.[1]
  return known ?? (channel === "card" && said === "Declined" ? "CARD_DECLINED" : undefined)
}

const reasonOf = (moved: Moved): string => moved.gateway_response ?? moved.message ?? moved.status

const idOf = (kind: Kind, { id, transfer_code: transferCode }: Moved): string | null =>
  (kind === "transfer" ? transferCode : id) ?? null

/** Of a refund, its id; of a transaction, also the receipt of the mobile network. */
const idsOf = (kind: Kind, { id, receipt_number, transfer_code }: Moved) =>
  providerIds({
    [`${kind}_id`]: id,
    ...(kind === "transfer" ? { transfer_code } : {}),
    ...(kind === "transaction" ? { receipt_number } : {})
  })

/** An account may have its payers bear Paystack's fee: they pay it on top of what was asked for, and it never reaches us. */
const askedOf = ({ amount, currency, fees, requested_amount }: Moved): Money | undefined => {
  const [paid, fee, asked] = [amount, fees, requested_amount].map((one) => moneyOf(one, currency))
  return fee?.isPositive === true && asked !== undefined && paid?.minor === asked.minor + fee.minor ? asked : undefined
}

const feeOf = (moved: Moved) =>
  askedOf(moved) === undefined ? present({ fee: moneyOf(moved.fees ?? moved.fee_charged, moved.currency) }) : {}

export const refusalOf = (moved: Moved) => present({ code: codeOf(moved), providerCode: moved.gateway_response })

/** State by status. A collection is completed only with a readable amount, if there is one. */
const stateOf = (kind: Kind, { amount, currency, status }: Moved): State => {
  const state = statesOf[kind].get(status) ?? "processing"
  const isUnreadable = amount !== undefined && moneyOf(amount, currency) === undefined
  return kind === "transaction" && state === "completed" && isUnreadable ? "processing" : state
}

const refundMovements = meanings<MovementState>({ settled: "completed", failed: "failed" })

/**
 * A reference is one transaction and one transfer, each of which moves money once. A transfer that was reversed has no id
 * for the money that came back: it is derived from the transfer's code.
 */
export const movementsOf = (kind: Kind, moved: Moved): ReadonlyArray<Movement> => {
  const [id, state] = [idOf(kind, moved), stateOf(kind, moved)]
  if (id === null) return []
  const amount = moneyOf(moved.amount, moved.currency) ?? null
  if (kind === "refund") return [{ kind, id, amount, state: refundMovements.get(state) ?? "pending" }]
  if (state !== "completed" && state !== "returned") return []
  if (kind === "transaction") return [{ kind: "collection", id, amount: askedOf(moved) ?? amount, state: "settled" }]
  const paid = { kind: "disbursement", id, amount, state: "settled" } as const
  const back = { kind: "reinstatement", id: `${id}:returned`, amount, state: "settled" } as const
  return state === "returned" ? [paid, back] : [paid]
}

export const reportOf = (kind: Kind, moved: Moved): Report => {
  const state = stateOf(kind, moved)
  const over = state === "failed" || state === "returned"
  return new Report({
    state,
    reason: over ? reasonOf(moved) : null,
    providerPaymentId: idOf(kind, moved),
    providerStatus: moved.status,
    ...idsOf(kind, moved),
    ...feeOf(moved),
    ...withMovements(movementsOf(kind, moved)),
    ...(over ? refusalOf(moved) : {})
  })
}

const reference = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a refund's note, or a transaction's reference, can be one of ours. */
export const isOurs = (text: string | undefined): text is string => text !== undefined && reference.test(text)

/** Disputes at Paystack: how they end, and what they take. */
const Dispute = Schema.Struct({
  id: optionalText,
  resolution: optionalText,
  refund_amount: optionalText,
  currency: optionalText,
  transaction: optional(
    Schema.Struct({ reference: optionalText, id: optionalText, status: optionalText, currency: optionalText })
  )
})
export type Dispute = typeof Dispute.Type

export const readDispute = Schema.decodeUnknownOption(Dispute)

/** Results of a dispute. Money is taken only when it is resolved against the merchant: accepted, or not answered. */
const resolutions = meanings({ lost: "merchant-accepted auto-accepted", won: "declined" })

export const endOf = ({ resolution }: Dispute): "lost" | "won" | undefined => resolutions.get(resolution)

/** Reversal by a dispute that was lost. */
export const reversalOf = (dispute: Dispute): (Movement & { readonly amount: Money }) | undefined => {
  const { currency, id, refund_amount: amount, transaction } = dispute
  const taken = moneyOf(amount, currency ?? transaction?.currency)
  return endOf(dispute) !== "lost" || id === undefined || taken === undefined
    ? undefined
    : { kind: "reversal", id, amount: taken, state: "settled" }
}

/** Of one transaction. The published answer is one dispute, where its name promises a list. */
export const reversalsIn = (data: unknown): Option.Option<ReadonlyArray<Movement>> => {
  const all = (Array.isArray(data) ? data : [data]).map((one: unknown) => readDispute(one))
  return Option.map(Option.all(all), (disputes) => disputes.flatMap((one) => reversalOf(one) ?? []))
}
