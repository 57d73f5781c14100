/**
 * Disburses a milestone in one transaction: the ledger entry, the milestone's state, and a row for each payout to a
 * beneficiary. Until its payout is sent, the money is on the party's ledger account.
 */
import { Clock, Effect, Either, Option } from "effect"
import { type EscrowId, type OrgId, PaymentId, TransactionId, Ids } from "../../domain/Ids.ts"
import { RecordMovement } from "../accounts/RecordMovement.ts"
import { ledgerAccountOf, ensureCanReceive, type VirtualAccount } from "../accounts/VirtualAccountStore.ts"
import { VirtualAccounts } from "../accounts/VirtualAccounts.ts"
import type { Permit } from "../../domain/Access.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import { type Escrow, partyLedgerAccount, makeEscrowTransaction } from "./EscrowStore.ts"
import { disbursedAnswer, milestoneView } from "./EscrowView.ts"
import {
  disburseEntry,
  type EscrowMovement,
  movementRow,
  type Disbursement,
  disburse,
  type PartyShare
} from "./EscrowTransitions.ts"
import { initiatorOf, type NewPayout, EscrowPayoutStore } from "./EscrowPayoutStore.ts"
import { EscrowPayoutWorker } from "./EscrowPayoutWorker.ts"
import { traced } from "../../platform/observability/Spans.ts"

interface DisburseRequest {
  readonly escrowId: EscrowId
  readonly milestoneId: string
  readonly description: string | null
  readonly key?: NewKey | undefined
}

/** `account` none: the money goes to the party's ledger account. */
interface Destined extends PartyShare {
  readonly account: Option.Option<VirtualAccount>
}

interface Done {
  readonly escrow: Escrow
  readonly payouts: ReadonlyArray<NewPayout>
}

const detailOf = ({ escrow, milestone, shares }: Disbursement) => ({
  milestone_id: milestone.milestone_id,
  amount: milestone.expected.toNumericText(),
  currency: escrow.currency,
  parties: shares.map(({ amount, party }) => ({ party_id: party.party_id, amount: amount.toNumericText() }))
})

export const makeDisburseMilestone = Effect.gen(function* () {
  const accounts = yield* VirtualAccounts
  const ids = yield* Ids
  const keys = yield* Idempotency
  const transaction = yield* makeEscrowTransaction
  const payoutStore = yield* EscrowPayoutStore
  const payoutWorker = yield* EscrowPayoutWorker
  const record = yield* RecordMovement
  const runDetached = yield* makeRunDetached

  const destinationOf = Effect.fnUntraced(function* (orgId: OrgId, share: PartyShare) {
    const { account_id } = share.party
    const found = account_id === null ? Option.none() : yield* accounts.lock(orgId, account_id)
    const account = Option.filter(found, (one) => Either.isRight(ensureCanReceive(one)))
    return { ...share, account } satisfies Destined
  })

  const write = Effect.fnUntraced(function* (done: Disbursement, description: string) {
    const { escrow, milestone, shares } = done
    const destined = yield* Effect.forEach(
      shares.filter(({ amount }) => amount.isPositive),
      (share) => destinationOf(escrow.org_id, share)
    )
    const delivered = destined.map(({ account, amount, party }) => ({
      amount,
      to: Option.match(account, { onNone: () => partyLedgerAccount(escrow, party), onSome: ledgerAccountOf })
    }))
    const movements = destined.flatMap(({ account, amount }) =>
      Option.toArray(
        Option.map(account, (one): EscrowMovement => ({ account: one, type: "credit", amount, description }))
      )
    )
    const entry = disburseEntry(escrow, milestone, delivered)
    const rows = yield* Effect.forEach(movements, (movement) =>
      Effect.map(ids.make(TransactionId), (id) => movementRow(id, entry, movement))
    )
    // Coverage guarantees the funds: a shortage is a defect of the ledger.
    yield* Effect.catchTag(record([entry], rows), "InsufficientFunds", Effect.die)
    return destined.filter(({ account }) => Option.isNone(account))
  })

  /** Payout of a share; none if the party has no beneficiary: its money stays on the party's ledger account. */
  const payoutOf = Effect.fnUntraced(function* (
    permit: Permit<"escrow">,
    { escrow: { escrow_id, org_id }, milestone: { milestone_id } }: Disbursement,
    { amount, party: { beneficiary_id, party_id } }: PartyShare,
    description: string
  ) {
    if (beneficiary_id === null) return Option.none<NewPayout>()
    return Option.some<NewPayout>({
      payout_id: yield* ids.next,
      org_id,
      escrow_id,
      milestone_id,
      party_id,
      beneficiary_id,
      amount,
      description,
      payment_id: yield* ids.make(PaymentId),
      transaction_id: yield* ids.make(TransactionId),
      initiator: initiatorOf(permit)
    })
  })

  const disbursed = Effect.fnUntraced(function* (permit: Permit<"escrow">, wanted: DisburseRequest) {
    const before = yield* transaction.lock(permit, wanted.escrowId)
    const done = yield* disburse(before, wanted.milestoneId, new Date(yield* Clock.currentTimeMillis))
    const description = wanted.description ?? `${before.name}: ${done.milestone.label}`
    const escrow = yield* transaction.save(permit, done.escrow, "escrow.disbursed", detailOf(done))
    const waiting = yield* write(done, description)
    const rows = yield* Effect.forEach(waiting, (share) => payoutOf(permit, done, share, description))
    const payouts = rows.flatMap(Option.toArray)
    yield* payoutStore.insert(payouts)
    return { escrow, payouts } satisfies Done
  })

  const run = Effect.fnUntraced(function* (permit: Permit<"escrow">, wanted: DisburseRequest) {
    const viewOf = ({ escrow }: Done) => milestoneView(escrow, wanted.milestoneId)
    const done = yield* keys.once(wanted.key, disbursed(permit, wanted), (one) => disbursedAnswer.textOf(viewOf(one)))
    const payoutIds = done.payouts.map(({ payout_id }) => payout_id)
    yield* payoutWorker.awaitFirstTry(done.escrow.org_id, payoutIds)
    return viewOf(done)
  })

  return traced("DisburseMilestone.disburse")((permit: Permit<"escrow">, wanted: DisburseRequest) =>
    runDetached(run(permit, wanted))
  )
})
