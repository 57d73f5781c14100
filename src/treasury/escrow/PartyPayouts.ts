/**
 * Pays parties from their ledger accounts: the share of one disbursement, or the whole balance. A failed payout returns
 * the money there.
 */
import { Effect, Option } from "effect"
import { type BeneficiaryId, type EscrowId, type OrgId, PaymentId, TransactionId, Ids } from "../../domain/Ids.ts"
import { notOwnBeneficiary } from "../accounts/AccountMovements.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orRefuse, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { atConfigVersion } from "../../platform/database/Batcher.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { Beneficiaries } from "../../payments/beneficiaries/Beneficiaries.ts"
import type { Beneficiary } from "../../payments/beneficiaries/Beneficiary.ts"
import type { Permit } from "../../domain/Access.ts"
import { totalOf } from "../../domain/Fee.ts"
import { Conflict, Invalid } from "../../domain/Failure.ts"
import { LedgerAccount, partyIn } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import { escrowPayoutPause } from "../../domain/policies/PaymentPolicies.ts"
import { Fees } from "../../money/fees/Fees.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { Initiation, planPayout } from "../../payments/initiate/Initiation.ts"
import { partyLedgerAccount, makeEscrowTransaction, EscrowStore } from "./EscrowStore.ts"
import { initiatorOf, type NewPayout, EscrowPayoutStore } from "./EscrowPayoutStore.ts"
import { payoutView, payoutAnswer } from "./EscrowView.ts"
import { partyOf } from "./EscrowTransitions.ts"
import type { ReplayedAnswer } from "../../payments/read/Payments.ts"
import { traced } from "../../platform/observability/Spans.ts"

/**
 * The largest amount that, with its fee, fits into `available`; zero or less if the fee alone is more. A fee is a
 * rounded share plus a fixed amount, so two fees determine the rest. One or two minor units may remain.
 */
export const payoutNetOfFee = Effect.fnUntraced(function* (available: Money, feeOn: (amount: Money) => Stored<Money>) {
  const { currency, minor } = available
  const money = (units: bigint) => new Money({ currency, minor: units })
  const spareAfter = (units: bigint) => Effect.map(feeOn(money(units)), (fee) => minor - units - fee.minor)
  const most = (yield* feeOn(available)).minor
  if (most === 0n) return available
  const fixed = (yield* feeOn(money(0n))).minor
  const guess = ((minor - fixed) * minor) / (minor + most - fixed)
  if (guess <= 0n) return money(guess)
  const spare = yield* spareAfter(guess)
  // A smaller payout never has a larger fee.
  if (spare <= 0n) return money(guess + spare)
  return money((yield* spareAfter(guess + spare)) < 0n ? guess : guess + spare)
})

interface PayOptions<E> {
  readonly key?: NewKey | undefined
  /** Marks the row as sent, in the transaction that creates the payment. */
  readonly inSameTransaction: Stored<void, E>
}

interface PartyPayoutRequest {
  readonly escrowId: EscrowId
  readonly partyId: string
  /** Defaults to the party's own. */
  readonly beneficiaryId: BeneficiaryId | undefined
  readonly key?: NewKey | undefined
}

export const makePartyPayouts = Effect.gen(function* () {
  const initiation = yield* Initiation
  const fees = yield* Fees
  const audit = yield* AuditLog
  const beneficiaries = yield* Beneficiaries
  const ids = yield* Ids
  const ledger = yield* Ledger
  const store = yield* EscrowPayoutStore
  const transaction = yield* makeEscrowTransaction
  const { atomically } = yield* Transactor

  /** Creates the payment of a payout. */
  const pay = Effect.fnUntraced(function* <E>(
    permit: Permit<"escrow">,
    payout: NewPayout,
    beneficiary: Beneficiary,
    { inSameTransaction, key }: PayOptions<E>
  ) {
    const { amount: available, description, escrow_id, org_id, party_id, payment_id, transaction_id } = payout
    const { currency } = available
    const { payment } = yield* planPayout({ amount: available, beneficiary, description })
    const feeOn = (amount: Money) =>
      Effect.map(
        fees.charge({ ...payment, org_id, amount, target: amount }),
        (charged) => totalOf(charged.map((fee) => fee.amount)) ?? Money.zero(currency)
      )
    // Uses the same fee rules as the payment, so that amount and fee add up to the balance.
    const amount = yield* atConfigVersion(permit.terms ?? null)(payoutNetOfFee(available, feeOn))
    if (!amount.isPositive) {
      return yield* new Conflict({ message: `${available.toString()} do not cover the fee of a payout.` })
    }
    const { beneficiary_id } = beneficiary
    const detail = { party_id, beneficiary_id, payment_id, amount: amount.toNumericText(), currency }
    const recorded = audit.record(permit, {
      action: "escrow.party_payout",
      org: org_id,
      subject: ["escrow", escrow_id],
      detail
    })
    return yield* initiation.payFrom(
      permit,
      org_id,
      { amount, beneficiary, description },
      {
        ids: { payment_id, transaction_id },
        funding: LedgerAccount.party(party_id, currency),
        key,
        inSameTransaction: () => Effect.zipRight(inSameTransaction, recorded)
      }
    )
  })

  const beneficiaryOf = Effect.fnUntraced(function* (orgId: OrgId, id: BeneficiaryId | null) {
    if (id === null) {
      return yield* new Invalid({ message: "beneficiary_id: is needed, since the party has none of its own." })
    }
    return yield* beneficiaries.find(Option.some(orgId), id).pipe(orRefuse(notOwnBeneficiary))
  })

  /** The party's balance without reserved payouts. The lock orders it with disbursements. */
  const unclaimed = Effect.fnUntraced(function* (permit: Permit<"escrow">, { escrowId, partyId }: PartyPayoutRequest) {
    const escrow = yield* transaction.lock(permit, escrowId)
    const party = yield* partyOf(escrow, partyId)
    const reserved = yield* store.reserved(escrow.org_id, party.party_id, Money.zero(escrow.currency))
    const balance = yield* ledger.balance(partyLedgerAccount(escrow, party))
    const available = new Money({ currency: escrow.currency, minor: balance.minor - reserved.minor })
    return { escrow, party, available }
  })

  /** Pays out the party's balance, except what other payouts have reserved. */
  const payOut = traced("PartyPayouts.payOut")(function* (permit: Permit<"escrow">, wanted: PartyPayoutRequest) {
    const { available, escrow, party } = yield* atomically(unclaimed(permit, wanted))
    const beneficiary = yield* beneficiaryOf(escrow.org_id, wanted.beneficiaryId ?? party.beneficiary_id)
    if (!available.isPositive) {
      return yield* new Conflict({ message: "This party has no balance to pay out." })
    }
    const payout_id = yield* ids.next
    const { escrow_id, org_id } = escrow
    const lease = { payout_id, org_id, lease_token: payout_id }
    const payout: NewPayout = {
      payout_id,
      org_id,
      escrow_id,
      milestone_id: null,
      party_id: party.party_id,
      beneficiary_id: beneficiary.beneficiary_id,
      amount: available,
      description: `${escrow.name}: ${party.name}`,
      payment_id: yield* ids.make(PaymentId),
      transaction_id: yield* ids.make(TransactionId),
      initiator: initiatorOf(permit)
    }
    const inSameTransaction = Effect.all(
      [
        store.closeBlocked(org_id, party.party_id, `Paid out by payment ${payout.payment_id}.`),
        store.insert([payout]),
        store.markSent(lease, escrowPayoutPause(1))
      ],
      { discard: true }
    )
    const payment = yield* pay(permit, payout, beneficiary, { key: wanted.key, inSameTransaction }).pipe(
      Effect.tapError((failure) =>
        failure._tag === "AllProvidersFailed" || failure._tag === "RefusedByRule"
          ? store.change(lease, { status: "blocked", reason: failure.message, dueIn: null })
          : Effect.void
      )
    )
    return payoutView(escrow, party.party_id, beneficiary.beneficiary_id, payment)
  })

  return { pay, payOut }
})

/** Answer to a repeated payout request whose first answer was lost. */
export const replayedPayoutAnswer = Effect.map(EscrowStore, (escrows): ReplayedAnswer => (payment) => {
  const { beneficiary_id, funding, org_id } = payment
  if (funding === null || beneficiary_id === null) return Effect.succeedNone
  const partyId = partyIn(funding)
  return Effect.map(
    escrows.findByParty(org_id, partyId),
    Option.map((escrow) => payoutAnswer.textOf(payoutView(escrow, partyId, beneficiary_id, payment)))
  )
})
