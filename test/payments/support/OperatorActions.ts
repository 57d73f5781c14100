/** Actions of an operator on a payment, and the items that wait for one. */
import { BigDecimal, Effect, Layer } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import { queueOf } from "./PaymentCalls.ts"

const operator = operatorPermit("platform", "amina")

/** The service's own stands over the usual providers. */
const overTheProviders = Resolution.layer.pipe(Layer.provide(RecordOutcome.layer))

export const resolve = (
  paymentId: PaymentId,
  outcome: "completed" | "failed",
  reason = "seen at the bank",
  item?: string,
  movementId?: string,
  amount?: number
) =>
  Effect.flatMap(Resolution, (resolution) =>
    resolution.resolve(operator, paymentId, {
      ...{ outcome, reason, item, movementId },
      amount: amount === undefined ? undefined : BigDecimal.unsafeFromNumber(amount)
    })
  ).pipe(Effect.provide(overTheProviders))

export const giveBack = (paymentId: PaymentId, reason = "paid twice", item?: string) =>
  Effect.flatMap(Resolution, (resolution) => resolution.giveBack(operator, paymentId, { reason, item })).pipe(
    Effect.provide(overTheProviders)
  )

export const itemsOf = (paymentId: string) =>
  Effect.map(queueOf(), (items) => items.filter((item) => item["payment_id"] === paymentId))
