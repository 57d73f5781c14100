/**
 * Events of all accounts of the treasury. A payout to a party that its provider sends back, at any time, becomes an item
 * of the operations queue. Its money is on the party's account again.
 */
import { Effect, Layer, Option } from "effect"
import { kindOf } from "../../domain/Ledger.ts"
import { FundingEvents } from "../../payments/settlement/PaymentEvents.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { RecordMovement } from "../accounts/RecordMovement.ts"
import { withdrawalEvents } from "../accounts/WithdrawalEvents.ts"
import { EscrowPayoutStore, permitOf } from "./EscrowPayoutStore.ts"

const REASON = "It was paid, and its provider sent it back."

export const TreasuryEvents = Layer.effect(
  FundingEvents,
  Effect.gen(function* () {
    const accounts = yield* withdrawalEvents
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
      ...accounts,
      posted: (payment, entries, note) => {
        const posted = accounts.posted(payment, entries, note)
        const isBack = payment.status === "refunded" && payment.funding !== null && kindOf(payment.funding) === "party"
        return isBack ? Effect.zipRight(posted, reopen(payment)) : posted
      }
    }
  })
).pipe(Layer.provide(RecordMovement.layer))
