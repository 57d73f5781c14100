/** Pays a party out of the account in its name. A payout that fails puts the money back there, by itself. */
import { Effect } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Beneficiary } from "../../payments/beneficiaries/Beneficiary.ts"
import type { Permit } from "../../domain/Access.ts"
import { totalOf } from "../../domain/Fee.ts"
import { Conflict } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { Fees } from "../../money/fees/Fees.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { Initiation } from "../../payments/initiate/Initiation.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { planPayout } from "../../payments/initiate/PayoutPlan.ts"
import { type Escrow, type Party, partyBooks } from "./Escrow.ts"
import { payableFrom } from "./Payable.ts"

export interface WantedPartyPayout {
  readonly escrow: Escrow
  readonly party: Party
  readonly beneficiary: Beneficiary
  /** What the payout and its fee may take. */
  readonly available: Money
  readonly description: string
  readonly key?: NewKey | undefined
}

export const makePartyPayout = Effect.gen(function* () {
  const initiation = yield* Initiation
  const fees = yield* Fees
  const audit = yield* AuditLog

  return Effect.fnUntraced(function* (permit: Permit<"escrow">, wanted: WantedPartyPayout) {
    const { available, beneficiary, description, escrow, key, party } = wanted
    const { currency, escrow_id, org_id } = escrow
    const { payment } = yield* planPayout({ amount: available, beneficiary, description })
    const feeOn = (amount: Money) =>
      Effect.map(
        fees.charge({ ...payment, org_id, amount, target: amount }),
        (charged) => totalOf(charged.map((fee) => fee.amount)) ?? Money.zero(currency)
      )
    const amount = yield* payableFrom(available, feeOn)
    if (!amount.isPositive) {
      return yield* new Conflict({ message: `${available.toString()} do not cover the fee of a payout.` })
    }
    const alongside = ({ payment_id }: Payment) =>
      audit.record(permit, {
        action: "escrow.party_payout",
        org: org_id,
        subject: ["escrow", escrow_id],
        detail: {
          party_id: party.party_id,
          beneficiary_id: beneficiary.beneficiary_id,
          payment_id,
          amount: amount.toNumericText(),
          currency
        }
      })
    const options = { funding: partyBooks(escrow, party), key, alongside }
    return yield* initiation.payFrom(permit, org_id, { amount, beneficiary, description }, options)
  })
})

export type PayParty = Effect.Effect.Success<typeof makePartyPayout>
