/** Reads payouts and their single item into outcomes and reports. */
import { Equal, Option, Schema } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { Movement } from "../../domain/Movement.ts"
import { Absent, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import {
  outcomeOfReport,
  isMade,
  withMovements,
  unknownOutcome,
  outcomeFrom,
  providerIds,
  unreadable
} from "../client/ProviderReplies.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { meanings, optional, optionalText, present, objectReader } from "../client/WireValues.ts"
import { payoutCode, problemIn, refused, moneyOf } from "./PaypalSchemas.ts"

const PayoutAmount = Schema.Struct({ currency: Schema.String, value: Schema.String })

const Item = Schema.Struct({
  payout_item_id: optionalText,
  transaction_id: optionalText,
  transaction_status: optionalText,
  payout_batch_id: optionalText,
  payout_item_fee: optional(PayoutAmount),
  payout_item: optional(Schema.Struct({ sender_item_id: optionalText, amount: optional(PayoutAmount) })),
  errors: optional(Schema.Struct({ name: optionalText, message: optionalText }))
})
type Item = typeof Item.Type

const readBatch = objectReader({
  batch_header: Schema.Struct({ payout_batch_id: Schema.String, batch_status: Schema.String }),
  items: optional(Schema.Array(Item))
})

type State = Report["state"]

const batchStates = meanings<State>({
  // Of a batch that succeeded its item says more.
  processing: "PENDING PROCESSING SUCCESS",
  failed: "DENIED CANCELED"
})

const itemStates = meanings<State>({
  completed: "SUCCESS",
  processing: "PENDING ONHOLD UNCLAIMED",
  failed: "FAILED BLOCKED RETURNED",
  returned: "REFUNDED REVERSED"
})

export const isExpectedPayoutStatus = (status: string): boolean => batchStates.has(status) || itemStates.has(status)

/**
 * A batch has one item, whose id names its money. Money that came back has no id of its own: it is derived from the item's.
 * PayPal returns the money of an unclaimed item after thirty days.
 */
const movementsOf = (batchId: string | null, item: Item): ReadonlyArray<Movement> => {
  const { payout_item, payout_item_id, transaction_status: status = "" } = item
  const id = payout_item_id ?? batchId
  const isBack = status === "RETURNED" || status === "REFUNDED" || status === "REVERSED"
  if (id === null || (status !== "SUCCESS" && !isBack)) return []
  const amount = moneyOf(payout_item?.amount, payout_item?.amount?.currency) ?? null
  const paid = { kind: "disbursement", id, amount, state: "settled" } as const
  return isBack ? [paid, { ...paid, kind: "reinstatement", id: `${id}:returned` }] : [paid]
}

export const itemReport = (batchId: string | null, item: Item): Report => {
  const state = itemStates.get(item.transaction_status ?? "PENDING") ?? "processing"
  return new Report({
    state,
    reason:
      state === "failed" || state === "returned" ? (item.errors?.message ?? item.transaction_status ?? null) : null,
    providerPaymentId: batchId,
    providerStatus: item.transaction_status ?? null,
    ...providerIds({
      payout_batch_id: batchId,
      payout_item_id: item.payout_item_id,
      transaction_id: item.transaction_id
    }),
    ...present({
      code: payoutCode(item.errors?.name),
      providerCode: item.errors?.name,
      fee: moneyOf(item.payout_item_fee, item.payout_item_fee?.currency)
    }),
    ...withMovements(movementsOf(batchId, item))
  })
}

const batchIn = /\/v1\/payments\/payouts\/([A-Za-z0-9_-]{1,64})(?:$|[?#])/

const isDuplicate = (reply: ProviderReply): boolean => {
  const problem = problemIn(reply)
  return (
    problem !== undefined &&
    reply.status < 500 &&
    (/duplicate/i.test(problem.issue ?? "") || /^sender_batch_id$/i.test(problem.field ?? ""))
  )
}

/** Batch that a refusal as duplicate names. */
export const existingBatch = (reply: ProviderReply): Option.Option<string> =>
  isDuplicate(reply)
    ? Option.fromNullable(
        problemIn(reply)
          ?.links.map(({ href }) => batchIn.exec(href)?.[1])
          .find((id) => id !== undefined)
      )
    : Option.none()

export const payoutOutcome = (reply: ProviderReply): Outcome => {
  if (isDuplicate(reply)) return new Unknown({ reason: "it has this batch already, and does not say which" })
  return batchOutcome(reply)
}

const batchOutcome = outcomeFrom(
  readBatch,
  ({ batch_header: { batch_status: status, payout_batch_id: id } }) =>
    outcomeOfReport(
      new Report({
        state: batchStates.get(status) ?? "processing",
        reason: null,
        providerPaymentId: id,
        providerStatus: status,
        ...providerIds({ payout_batch_id: id })
      })
    ),
  refused,
  isMade
)

/** `money`: of a payout that a hint named, what it must be of. */
export const payoutReportOf =
  (reference: string, money?: Money) =>
  (reply: ProviderReply): Enquiry => {
    if (reply.status === 404 && problemIn(reply) !== undefined) return new Absent()
    if (!isMade(reply)) return unknownOutcome(reply)
    const batch = Option.getOrUndefined(readBatch(reply.json))
    if (batch === undefined) return unreadable(reply)
    const { batch_status: status, payout_batch_id: id } = batch.batch_header
    const item = batch.items?.[0]
    const { amount, sender_item_id: named } = item?.payout_item ?? {}
    if ((item !== undefined || money !== undefined) && named !== reference) {
      return new Unknown({ reason: "the payout of this id is not of this reference" })
    }
    if (money !== undefined && !Equal.equals(moneyOf(amount, amount?.currency), money)) {
      return new Unknown({ reason: "the payout of this id is of another amount" })
    }
    const state = batchStates.get(status) ?? "processing"
    if (state !== "failed" && item?.transaction_status !== undefined) return itemReport(id, item)
    const why = item?.errors
    return new Report({
      state,
      reason: state === "failed" ? (why?.message ?? status) : null,
      providerPaymentId: id,
      providerStatus: status,
      ...providerIds({ payout_batch_id: id }),
      ...present({ code: payoutCode(why?.name), providerCode: why?.name })
    })
  }
