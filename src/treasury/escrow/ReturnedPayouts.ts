/**
 * Puts a payout to a party into the operations queue when its provider sends it back, however long after it was paid. Its
 * money is on the party's account again.
 */
import { Effect, Layer, Option } from "effect"
import { kindOf } from "../../domain/Ledger.ts"
import { FundingEvents } from "../../payments/settlement/PaymentEvents.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { EscrowPayoutStore, permitOf } from "./EscrowPayoutStore.ts"

const REASON = "It was paid, and its provider sent it back."

/** Over the events of the other accounts that fund payments. */
export const ReturnedPayouts = Layer.effect(
  FundingEvents,
  Effect.gen(function* () {
    const funding = yield* FundingEvents
    const store = yield* EscrowPayoutStore
    const audit = yield* AuditLog

    const reopen = Effect.fnUntraced(function* ({ org_id, payment_id }: Payment) {
      const found = yield* store.reopen(org_id, payment_id, REASON)
      if (Option.isNone(found)) return
      const { escrow_id, party_id, payout_id } = found.value
      yield* audit.record(permitOf(found.value), {
        action: "escrow.party_payout_failed",
        org: org_id,
        subject: ["escrow", escrow_id],
        detail: { party_id, payout_id, reason: REASON }
      })
    })

    return {
      ...funding,
      posted: (payment, entries, note) => {
        const posted = funding.posted(payment, entries, note)
        const isBack = payment.status === "refunded" && payment.funding !== null && kindOf(payment.funding) === "party"
        return isBack ? Effect.zipRight(posted, reopen(payment)) : posted
      }
    }
  })
)
