/** Creates, funds, disburses and cancels escrows. Each change is audited in its transaction. */
import { type BigDecimal, Clock, Context, Effect, Either, Layer } from "effect"
import { type EscrowId, TransactionId, Ids, uuidOrNil, BeneficiaryId, idOrNil } from "../../domain/Ids.ts"
import { RecordMovement } from "../accounts/RecordMovement.ts"
import { ledgerAccountOf, ensureCanPay, ensureCanReceive } from "../accounts/VirtualAccountStore.ts"
import { VirtualAccounts } from "../accounts/VirtualAccounts.ts"
import { orDefect } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { Invalid } from "../../domain/Failure.ts"
import type { Entry } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import type { Window } from "../../platform/database/Query.ts"
import { makeBlockedPayouts } from "./BlockedPayouts.ts"
import { makeDisburseMilestone } from "./DisburseMilestone.ts"
import {
  type Escrow,
  partyLedgerAccount,
  makeEscrowTransaction,
  type EscrowFilter,
  EscrowStore
} from "./EscrowStore.ts"
import {
  fundEntry,
  type EscrowMovement,
  movementRow,
  returnEntry,
  cancel,
  changeSplits,
  fund,
  type SplitUpdate,
  submitContract
} from "./EscrowTransitions.ts"
import {
  canceledAnswer,
  escrowView,
  fundedAnswer,
  milestoneView,
  disbursedAnswer,
  payoutAnswer,
  retriedAnswer
} from "./EscrowView.ts"
import { makeCreateEscrow, type EscrowDraft } from "./CreateEscrow.ts"
import { makePartyPayouts } from "./PartyPayouts.ts"
import type { EscrowApi } from "../../contract/api/EscrowApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { traced } from "../../platform/observability/Spans.ts"

type EscrowPermit = Permit<"escrow">

const make = Effect.gen(function* () {
  const store = yield* EscrowStore
  const accounts = yield* VirtualAccounts
  const ledger = yield* Ledger
  const ids = yield* Ids
  const transaction = yield* makeEscrowTransaction
  const record = yield* RecordMovement
  const create = yield* makeCreateEscrow
  const { payOut } = yield* makePartyPayouts
  const blocked = yield* makeBlockedPayouts
  const keys = yield* Idempotency
  const { atomically } = yield* Transactor

  const views = (escrows: ReadonlyArray<Escrow>) =>
    Effect.map(
      ledger.balances(escrows.flatMap((escrow) => escrow.parties.map((party) => partyLedgerAccount(escrow, party)))),
      (balances) => escrows.map((escrow) => escrowView(escrow, balances))
    )
  const view = (escrow: Escrow) => Effect.map(views([escrow]), ([one]) => one!)

  /** Locks the escrow's account, which always exists. */
  const accountOf = ({ account_id, org_id }: Escrow) => orDefect(Effect.flatten(accounts.lock(org_id, account_id)))

  const moved = Effect.fnUntraced(function* (entry: Entry, movement: EscrowMovement) {
    yield* record([entry], [movementRow(yield* ids.make(TransactionId), entry, movement)])
  })

  const funded = Effect.fnUntraced(function* (permit: EscrowPermit, id: EscrowId, wanted: BigDecimal.BigDecimal) {
    const before = yield* transaction.lock(permit, id)
    const amount = yield* Either.mapLeft(
      Money.fromDecimal(wanted, before.currency),
      (why) => new Invalid({ message: `amount: ${why}.` })
    )
    const escrow = yield* fund(before, amount)
    const account = yield* ensureCanPay(yield* accountOf(escrow))
    const detail = { amount: amount.toNumericText(), currency: escrow.currency, account_id: escrow.account_id }
    const saved = yield* transaction.save(permit, escrow, "escrow.funded", detail)
    const entry = fundEntry(escrow, yield* ids.next, ledgerAccountOf(account), amount)
    yield* moved(entry, { account, type: "debit", amount, description: `${escrow.name}: funding` })
    return yield* view(saved)
  })

  const canceled = Effect.fnUntraced(function* (permit: EscrowPermit, id: EscrowId, reason: string | null) {
    const { escrow, left } = yield* cancel(yield* transaction.lock(permit, id))
    const account = yield* ensureCanReceive(yield* accountOf(escrow))
    const detail = { returned: left.toNumericText(), currency: escrow.currency, reason }
    const saved = yield* transaction.save(permit, escrow, "escrow.canceled", detail)
    if (left.isPositive) {
      const entry = returnEntry(escrow, ledgerAccountOf(account), left)
      const credit = { account, type: "credit", amount: left, description: `${escrow.name}: canceled` } as const
      yield* Effect.catchTag(moved(entry, credit), "InsufficientFunds", Effect.die)
    }
    return yield* view(saved)
  })

  return {
    create: traced("Escrows.create")((permit: EscrowPermit, draft: EscrowDraft) =>
      Effect.flatMap(create(permit, draft), view)
    ),
    list: (permit: EscrowPermit, filter: EscrowFilter, window: Window) =>
      Effect.flatMap(store.list(permit.scope, filter, window), views),
    get: (permit: EscrowPermit, id: EscrowId) => Effect.flatMap(transaction.find(permit, id), view),
    fund: traced("Escrows.fund")((permit: EscrowPermit, id: EscrowId, amount: BigDecimal.BigDecimal, key?: NewKey) =>
      keys.once(key, funded(permit, id, amount), fundedAnswer.textOf)
    ),
    submitContract: traced("Escrows.submitContract")(function* (
      permit: EscrowPermit,
      id: EscrowId,
      milestone_id: string,
      reference: string | null
    ) {
      const at = new Date(yield* Clock.currentTimeMillis)
      const escrow = yield* submitContract(yield* transaction.lock(permit, id), milestone_id, reference, at)
      const detail = { milestone_id, reference }
      return milestoneView(yield* transaction.save(permit, escrow, "escrow.contract_submitted", detail), milestone_id)
    }, atomically),
    changeParties: traced("Escrows.changeParties")(function* (
      permit: EscrowPermit,
      id: EscrowId,
      milestone_id: string,
      updates: ReadonlyArray<SplitUpdate>
    ) {
      const named = updates.map((update) => ({ ...update, party_id: uuidOrNil(update.party_id) }))
      const escrow = yield* changeSplits(yield* transaction.lock(permit, id), milestone_id, named)
      const detail = { milestone_id, parties: named.map(({ party_id }) => party_id) }
      return milestoneView(yield* transaction.save(permit, escrow, "escrow.splits_changed", detail), milestone_id)
    }, atomically),
    disburse: yield* makeDisburseMilestone,
    payOut,
    blocked,
    cancel: traced("Escrows.cancel")((permit: EscrowPermit, id: EscrowId, reason: string | null, key?: NewKey) =>
      keys.once(key, canceled(permit, id, reason), canceledAnswer.textOf)
    )
  }
})

export class Escrows extends Context.Tag("corridor/Escrows")<Escrows, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.scoped(Escrows, make)
}

export const escrowHandlers = Effect.map(
  Effect.all([Escrows, makePages]),
  ([escrows, pages]): Handlers<typeof EscrowApi> => ({
    create: ({ payload, permit }) => answer("Escrow created", escrows.create(permit, payload)),
    list: (request) => {
      const { account_id, status } = request.urlParams
      return pages(request, {
        message: "Escrows",
        filters: [account_id, status],
        fetch: (window) => escrows.list(request.permit, { account_id, status }, window),
        idOf: (escrow) => escrow.escrow_id
      })
    },
    get: ({ path, permit }) => answer("Escrow", escrows.get(permit, path.escrow_id)),
    fund: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(escrows.fund(permit, path.escrow_id, payload.amount, idempotencyKey), fundedAnswer.of),
    contract: ({ path, payload, permit }) =>
      answer(
        "Contract submitted",
        escrows.submitContract(permit, path.escrow_id, path.milestone_id, payload.reference ?? null)
      ),
    parties: ({ path, payload, permit }) =>
      answer("Party splits updated", escrows.changeParties(permit, path.escrow_id, path.milestone_id, payload.parties)),
    disburse: ({ idempotencyKey: key, path, payload, permit }) => {
      const { escrow_id: escrowId, milestone_id: milestoneId } = path
      const wanted = { escrowId, milestoneId, description: payload.description ?? null, key }
      return Effect.map(escrows.disburse(permit, wanted), disbursedAnswer.of)
    },
    payout: ({ idempotencyKey: key, path, payload, permit }) => {
      const { beneficiary_id } = payload
      const beneficiaryId = beneficiary_id === undefined ? undefined : idOrNil(BeneficiaryId)(beneficiary_id)
      const wanted = { escrowId: path.escrow_id, partyId: path.party_id, beneficiaryId, key }
      return Effect.map(escrows.payOut(permit, wanted), payoutAnswer.of)
    },
    retryPayout: ({ idempotencyKey, path, permit }) => {
      const named = { escrowId: path.escrow_id, payoutId: path.payout_id }
      return Effect.map(escrows.blocked.retry(permit, named, idempotencyKey), retriedAnswer.of)
    },
    resolvePayout: ({ path, payload, permit }) => {
      const named = { escrowId: path.escrow_id, payoutId: path.payout_id }
      return answer("Payout resolved", escrows.blocked.resolve(permit, named, payload.reason))
    },
    cancel: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(escrows.cancel(permit, path.escrow_id, payload.reason ?? null, idempotencyKey), canceledAnswer.of)
  })
)
