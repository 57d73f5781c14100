/** Whoever lost the answer to a party's payout gets one that is a party's payout. */
import { Effect, Option } from "effect"
import { partyIn } from "../../domain/Ledger.ts"
import type { FundingAnswer } from "../../payments/read/FundingAnswers.ts"
import { EscrowStore } from "./EscrowStore.ts"
import { payoutText, payoutView } from "./EscrowView.ts"

export const payoutAnswers = Effect.map(EscrowStore, (escrows): FundingAnswer => (payment) => {
  const { beneficiary_id, funding, org_id } = payment
  if (funding === null || beneficiary_id === null) return Effect.succeedNone
  const partyId = partyIn(funding)
  return Effect.map(
    escrows.findByParty(org_id, partyId),
    Option.map((escrow) => payoutText(payoutView(escrow, partyId, beneficiary_id, payment)))
  )
})
