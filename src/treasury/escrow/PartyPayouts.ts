/**
 * Pays parties out of the accounts in their names: what a disbursement brought them, or all that stands there when
 * someone asks. A payout that fails puts the money back there, by itself.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { BeneficiaryId, EscrowId, OrgId } from "../../domain/Identifiers.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { atTerms } from "../../platform/database/Terms.ts"
import { Beneficiaries } from "../../payments/beneficiaries/Beneficiaries.ts"
import type { Beneficiary } from "../../payments/beneficiaries/Beneficiary.ts"
import type { Permit } from "../../domain/Access.ts"
import { totalOf } from "../../domain/Fee.ts"
import { Conflict, Invalid, type NotFound } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { Fees } from "../../money/fees/Fees.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { Initiation, type LaunchFailure, planPayout } from "../../payments/initiate/Initiation.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { type Escrow, type Party, partyBooks } from "./Escrow.ts"
import { EscrowTransaction } from "./EscrowTransaction.ts"
import { type PayoutView, payoutView } from "./EscrowView.ts"
import { payableFrom } from "./Payable.ts"
import { partyOf } from "./Steps.ts"

export interface WantedPartyPayout {
  readonly escrow: Escrow
  readonly party: Party
  readonly beneficiary: Beneficiary
  /** What the payout and its fee may take. */
  readonly available: Money
  readonly description: string
  readonly key?: NewKey | undefined
}

export interface WantedPayout {
  readonly escrowId: EscrowId
  readonly partyId: string
  /** The party's own when not given. */
  readonly beneficiaryId: BeneficiaryId | undefined
  readonly key?: NewKey | undefined
}

export class PartyPayouts extends Context.Tag("corridor/PartyPayouts")<
  PartyPayouts,
  {
    readonly pay: (
      permit: Permit<"escrow">,
      wanted: WantedPartyPayout
    ) => Effect.Effect<Payment, Conflict | LaunchFailure>
    /** All that stands in a party's name, to a beneficiary of the organisation. */
    readonly payOut: (
      permit: Permit<"escrow">,
      wanted: WantedPayout
    ) => Effect.Effect<PayoutView, NotFound | Conflict | LaunchFailure>
  }
>() {
  static readonly layer = Layer.effect(
    PartyPayouts,
    Effect.gen(function* () {
      const initiation = yield* Initiation
      const fees = yield* Fees
      const audit = yield* AuditLog
      const beneficiaries = yield* Beneficiaries
      const ledger = yield* Ledger
      const transaction = yield* EscrowTransaction

      const pay = Effect.fnUntraced(function* (permit: Permit<"escrow">, wanted: WantedPartyPayout) {
        const { available, beneficiary, description, escrow, key, party } = wanted
        const { currency, escrow_id, org_id } = escrow
        const { payment } = yield* planPayout({ amount: available, beneficiary, description })
        const feeOn = (amount: Money) =>
          Effect.map(
            fees.charge({ ...payment, org_id, amount, target: amount }),
            (charged) => totalOf(charged.map((fee) => fee.amount)) ?? Money.zero(currency)
          )
        // By the terms that its fee is charged by, or what is paid would not come to what there is.
        const amount = yield* atTerms(permit.terms ?? null)(payableFrom(available, feeOn))
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

      const beneficiaryOf = Effect.fnUntraced(function* (orgId: OrgId, id: BeneficiaryId | null) {
        if (id === null) {
          return yield* new Invalid({ message: "beneficiary_id: is needed, since the party has none of its own." })
        }
        return yield* Effect.mapError(
          Effect.flatten(beneficiaries.find(Option.some(orgId), id)),
          () => new Invalid({ message: "beneficiary_id: is not a beneficiary of this organisation." })
        )
      })

      const payOut = Effect.fn("PartyPayouts.payOut")(function* (permit: Permit<"escrow">, wanted: WantedPayout) {
        const escrow = yield* transaction.find(permit, wanted.escrowId)
        const party = yield* partyOf(escrow, wanted.partyId)
        const beneficiary = yield* beneficiaryOf(escrow.org_id, wanted.beneficiaryId ?? party.beneficiary_id)
        const available = yield* ledger.balance(partyBooks(escrow, party))
        if (available.isZero) {
          return yield* new Conflict({ message: "Nothing stands in this party's name: there is nothing to pay out." })
        }
        const description = `${escrow.name}: ${party.name}`
        const payment = yield* pay(permit, { escrow, party, beneficiary, available, description, key: wanted.key })
        return payoutView(escrow, party.party_id, beneficiary.beneficiary_id, payment)
      })

      return { pay, payOut }
    })
  )
}
