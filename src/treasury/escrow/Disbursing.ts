/**
 * A milestone's money on its way to the parties. It reaches accounts in one transaction; payouts come after it, from
 * accounts in the parties' names, so that one that fails, or a crash, leaves the money where it can be paid from again.
 */
import { Clock, Context, Effect, Either, Layer, Option } from "effect"
import { type EscrowId, type OrgId, TransactionId } from "../../domain/Identifiers.ts"
import { RecordMovement } from "../accounts/RecordMovement.ts"
import { booksOf, mayReceive, type VirtualAccount } from "../accounts/VirtualAccount.ts"
import { VirtualAccounts } from "../accounts/VirtualAccounts.ts"
import { Beneficiaries } from "../../payments/beneficiaries/Beneficiaries.ts"
import type { Permit } from "../../domain/Access.ts"
import type { Conflict, IdempotencyConflict, NotFound } from "../../domain/Failure.ts"
import { Ids } from "../../domain/Ids.ts"
import { escrowPayoutConcurrency } from "../../domain/policies/Payments.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { makeRunDetached } from "../../platform/fibers/RunDetached.ts"
import { type Escrow, partyBooks } from "./Escrow.ts"
import { disbursedText, type MilestoneView, milestoneView } from "./EscrowView.ts"
import { disburseEntry, type Movement, movementRow } from "./EscrowBooks.ts"
import { EscrowTransaction } from "./EscrowTransaction.ts"
import { PartyPayouts } from "./PartyPayouts.ts"
import { type Disbursal, disburse, type PartyShare } from "./Steps.ts"

export interface WantedDisbursal {
  readonly escrowId: EscrowId
  readonly milestoneId: string
  readonly description: string | null
  readonly key?: NewKey | undefined
}

/** None: the money goes to the account in the party's name. */
interface Destined extends PartyShare {
  readonly account: Option.Option<VirtualAccount>
}

interface Done {
  readonly escrow: Escrow
  readonly description: string
  readonly waiting: ReadonlyArray<PartyShare>
}

const detailOf = ({ escrow, milestone, shares }: Disbursal) => ({
  milestone_id: milestone.milestone_id,
  amount: milestone.expected.toNumericText(),
  currency: escrow.currency,
  parties: shares.map(({ amount, party }) => ({ party_id: party.party_id, amount: amount.toNumericText() }))
})

export class Disbursing extends Context.Tag("corridor/Disbursing")<
  Disbursing,
  (
    permit: Permit<"escrow">,
    wanted: WantedDisbursal
  ) => Effect.Effect<MilestoneView, NotFound | Conflict | IdempotencyConflict>
>() {
  static readonly layer = Layer.scoped(
    Disbursing,
    Effect.gen(function* () {
      const accounts = yield* VirtualAccounts
      const beneficiaries = yield* Beneficiaries
      const ids = yield* Ids
      const keys = yield* Idempotency
      const transaction = yield* EscrowTransaction
      const payouts = yield* PartyPayouts
      const record = yield* RecordMovement
      const runDetached = yield* makeRunDetached

      const destinationOf = Effect.fnUntraced(function* (orgId: OrgId, share: PartyShare) {
        const { account_id } = share.party
        const found = account_id === null ? Option.none() : yield* accounts.lock(orgId, account_id)
        const account = Option.filter(found, (one) => Either.isRight(mayReceive(one)))
        return { ...share, account } satisfies Destined
      })

      const write = Effect.fnUntraced(function* (done: Disbursal, description: string) {
        const { escrow, milestone, shares } = done
        const destined = yield* Effect.forEach(
          shares.filter(({ amount }) => amount.isPositive),
          (share) => destinationOf(escrow.org_id, share)
        )
        const delivered = destined.map(({ account, amount, party }) => ({
          amount,
          to: Option.match(account, { onNone: () => partyBooks(escrow, party), onSome: booksOf })
        }))
        const movements = destined.flatMap(({ account, amount }) =>
          Option.toArray(
            Option.map(account, (one): Movement => ({ account: one, type: "credit", amount, description }))
          )
        )
        const entry = disburseEntry(escrow, milestone, delivered)
        const rows = yield* Effect.forEach(movements, (movement) =>
          Effect.map(ids.make(TransactionId), (id) => movementRow(id, entry, movement))
        )
        // What is covered is there: books that say otherwise are wrong.
        yield* Effect.catchTag(record([entry], rows), "InsufficientFunds", Effect.die)
        return destined.filter(({ account }) => Option.isNone(account))
      })

      const disbursed = Effect.fnUntraced(function* (permit: Permit<"escrow">, wanted: WantedDisbursal) {
        const before = yield* transaction.locked(permit, wanted.escrowId)
        const done = yield* disburse(before, wanted.milestoneId, new Date(yield* Clock.currentTimeMillis))
        const description = wanted.description ?? `${before.name}: ${done.milestone.label}`
        const escrow = yield* transaction.save(permit, done.escrow, "escrow.disbursed", detailOf(done))
        return { escrow, description, waiting: yield* write(done, description) } satisfies Done
      })

      /** Whatever goes wrong here, the party has its money: the disbursement stands, and the failure is on record. */
      const payBeneficiary = Effect.fnUntraced(
        function* (permit: Permit<"escrow">, { description, escrow }: Done, { amount, party }: PartyShare) {
          if (party.beneficiary_id === null) return
          const failed = (reason: string) =>
            transaction.record(permit, escrow, "escrow.party_payout_failed", { party_id: party.party_id, reason })
          const found = yield* beneficiaries.find(Option.some(escrow.org_id), party.beneficiary_id)
          if (Option.isNone(found)) return yield* failed("The beneficiary was deleted.")
          const wanted = { escrow, party, beneficiary: found.value, available: amount, description }
          yield* Effect.catchAll(payouts.pay(permit, wanted), ({ message }) => failed(message))
        },
        Effect.catchAllCause((cause) => Effect.logWarning("A payout of an escrow could not be sent", cause))
      )

      const run = Effect.fnUntraced(function* (permit: Permit<"escrow">, wanted: WantedDisbursal) {
        const viewOf = ({ escrow }: Done) => milestoneView(escrow, wanted.milestoneId)
        const done = yield* keys.once(wanted.key, disbursed(permit, wanted), (one) => disbursedText(viewOf(one)))
        yield* Effect.forEach(done.waiting, (share) => payBeneficiary(permit, done, share), {
          concurrency: escrowPayoutConcurrency,
          discard: true
        })
        return viewOf(done)
      })

      return (permit, wanted) => runDetached(run(permit, wanted))
    })
  )
}
