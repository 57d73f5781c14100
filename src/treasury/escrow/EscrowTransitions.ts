/** Transitions of an escrow and their ledger entries, as pure functions. */
import { type BigDecimal, Either } from "effect"
import { Conflict, Invalid, type NotFound, notFound } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { split } from "../../domain/Split.ts"
import {
  coverageOf,
  type Escrow,
  type Milestone,
  type Party,
  type PartySplit,
  escrowLedgerAccount
} from "./EscrowStore.ts"
import type { TransactionId } from "../../domain/Ids.ts"
import { completedRow } from "../accounts/RecordMovement.ts"
import type { VirtualAccount, NewVirtualTransaction } from "../accounts/VirtualAccountStore.ts"
import { type Entry, type LedgerAccount, move } from "../../domain/Ledger.ts"

const plus = (a: Money, b: Money): Money => Either.getOrThrow(a.add(b))
const minus = (a: Money, b: Money): Money => Either.getOrThrow(a.subtract(b))

const mustBeActive = ({ status }: Escrow): Either.Either<void, Conflict> =>
  status === "active" ? Either.void : Either.left(new Conflict({ message: `This escrow is ${status}.` }))

const milestoneOf = ({ milestones }: Escrow, id: string): Either.Either<Milestone, NotFound> =>
  Either.fromNullable(
    milestones.find(({ milestone_id }) => milestone_id === id),
    () => notFound("milestone")
  )

export const partyOf = ({ parties }: Escrow, id: string): Either.Either<Party, NotFound> =>
  Either.fromNullable(
    parties.find(({ party_id }) => party_id === id),
    () => notFound("party")
  )

/** Disbursed and canceled milestones are final. */
const openMilestone = (escrow: Escrow, id: string): Either.Either<Milestone, NotFound | Conflict> =>
  Either.filterOrLeft(
    milestoneOf(escrow, id),
    ({ status }) => status !== "disbursed" && status !== "canceled",
    ({ status }) => new Conflict({ message: `This milestone is ${status} already.` })
  )

const withMilestone = (escrow: Escrow, changed: Milestone): Escrow => ({
  ...escrow,
  milestones: escrow.milestones.map((one) => (one.milestone_id === changed.milestone_id ? changed : one))
})

export const fund = (escrow: Escrow, amount: Money): Either.Either<Escrow, Conflict | Invalid> =>
  Either.gen(function* () {
    yield* mustBeActive(escrow)
    const missing = minus(escrow.total, escrow.funded)
    if (amount.minor > missing.minor) {
      const reason = missing.isZero ? "it is fully funded" : `at most ${missing.toString()} can be added`
      return yield* Either.left(new Invalid({ message: `amount: exceeds the escrow's total: ${reason}.` }))
    }
    return { ...escrow, funded: plus(escrow.funded, amount) }
  })

export const submitContract = (
  escrow: Escrow,
  milestoneId: string,
  contract_reference: string | null,
  contract_submitted_at: Date
): Either.Either<Escrow, NotFound | Conflict> =>
  Either.map(openMilestone(escrow, milestoneId), (milestone) =>
    withMilestone(escrow, { ...milestone, status: "contract_submitted", contract_reference, contract_submitted_at })
  )

/** A party's share; zero if its percentage is less than a minor unit. */
export interface PartyShare {
  readonly party: Party
  readonly amount: Money
}

export interface Disbursement {
  readonly escrow: Escrow
  readonly milestone: Milestone
  readonly shares: ReadonlyArray<PartyShare>
}

const isOver = ({ status }: Milestone): boolean => status === "disbursed" || status === "canceled"

export const disburse = (
  escrow: Escrow,
  milestoneId: string,
  disbursed_at: Date
): Either.Either<Disbursement, NotFound | Conflict> =>
  Either.gen(function* () {
    const milestone = yield* openMilestone(escrow, milestoneId)
    const { expected, splits } = milestone
    const { covered } = coverageOf(escrow).get(milestoneId)!
    if (covered.minor < expected.minor) {
      const missing = minus(expected, covered)
      return yield* Either.left(
        new Conflict({
          message: `This milestone is not covered: fund ${missing.toString()} more first.`
        })
      )
    }
    const amounts = Either.getOrThrowWith(split(expected, splits), (why) => new Error(`${milestoneId}: ${why}`))
    const shares = splits.map(({ party_id }, at): PartyShare => ({
      party: escrow.parties.find((party) => party.party_id === party_id)!,
      amount: amounts[at]!
    }))
    const after = { ...milestone, status: "disbursed", disbursed_at } as const
    const changed = withMilestone(escrow, after)
    const status = changed.milestones.every(isOver) ? "completed" : "active"
    return {
      escrow: { ...changed, status, disbursed: plus(escrow.disbursed, expected) },
      milestone: after,
      shares
    }
  })

export interface Cancellation {
  readonly escrow: Escrow
  /** Returned to the account. */
  readonly left: Money
}

export const cancel = (escrow: Escrow): Either.Either<Cancellation, Conflict> =>
  Either.map(mustBeActive(escrow), () => ({
    left: minus(escrow.funded, escrow.disbursed),
    escrow: {
      ...escrow,
      status: "canceled",
      funded: escrow.disbursed,
      milestones: escrow.milestones.map((one): Milestone => (isOver(one) ? one : { ...one, status: "canceled" }))
    }
  }))

export interface SplitUpdate {
  readonly party_id: string
  readonly split_value: BigDecimal.BigDecimal
}

const invalid = (message: string): Invalid => new Invalid({ message: `${message}.` })

/** Amounts get the scale of their currency, percentages stay as sent. */
export const normalizedSplitValue = ({ split_type, split_value }: PartySplit, currency: Escrow["currency"]) =>
  split_type === "fixed"
    ? Either.map(Money.fromDecimal(split_value, currency), (money) => money.toDecimal())
    : Either.right(split_value)

/** Changes some of a milestone's splits; together they must still cover the milestone. */
export const changeSplits = (
  escrow: Escrow,
  milestoneId: string,
  updates: ReadonlyArray<SplitUpdate>
): Either.Either<Escrow, NotFound | Conflict | Invalid> =>
  Either.gen(function* () {
    const milestone = yield* openMilestone(escrow, milestoneId)
    const partyIds = new Set(milestone.splits.map(({ party_id }) => party_id))
    const wanted = new Map<string, BigDecimal.BigDecimal>()
    for (const [at, { party_id, split_value }] of updates.entries()) {
      if (!partyIds.has(party_id)) return yield* Either.left(notFound("party of this milestone"))
      if (wanted.has(party_id)) return yield* Either.left(invalid(`parties[${at}].party_id: is given more than once`))
      const changed = { party_id, split_value, split_type: milestone.splits[0]!.split_type }
      const kept = yield* Either.mapLeft(normalizedSplitValue(changed, escrow.currency), (why) =>
        invalid(`parties[${at}].split_value: ${why}`)
      )
      wanted.set(party_id, kept)
    }
    const splits = milestone.splits.map((one) => ({ ...one, split_value: wanted.get(one.party_id) ?? one.split_value }))
    yield* Either.mapLeft(split(milestone.expected, splits), (why) => invalid(`parties: split_value: ${why}`))
    return withMilestone(escrow, { ...milestone, splits })
  })

const about = ({ escrow_id, org_id }: Escrow, entry_id: string) => ({
  entry_id,
  org_id,
  payment_id: null,
  reference: escrow_id
})

/** Each funding is an entry with an id of its own. */
export const fundEntry = (escrow: Escrow, entryId: string, from: LedgerAccount, amount: Money): Entry => ({
  ...about(escrow, entryId),
  kind: "escrow_fund",
  postings: move(from, escrowLedgerAccount(escrow), amount)
})

interface SharePosting {
  readonly to: LedgerAccount
  readonly amount: Money
}

/** The entry has the milestone's id, so that the ledger accepts it once. */
export const disburseEntry = (
  escrow: Escrow,
  { milestone_id }: Milestone,
  delivered: ReadonlyArray<SharePosting>
): Entry => ({
  ...about(escrow, milestone_id),
  kind: "escrow_disburse",
  postings: delivered.flatMap(({ amount, to }) => move(escrowLedgerAccount(escrow), to, amount))
})

/** The entry has the escrow's id, so that the ledger accepts it once. */
export const returnEntry = (escrow: Escrow, to: LedgerAccount, left: Money): Entry => ({
  ...about(escrow, escrow.escrow_id),
  kind: "escrow_return",
  postings: move(escrowLedgerAccount(escrow), to, left)
})

export interface EscrowMovement {
  readonly account: VirtualAccount
  readonly type: NewVirtualTransaction["type"]
  readonly amount: Money
  readonly description: string
}

export const movementRow = (
  transaction_id: TransactionId,
  { entry_id: reference }: Entry,
  { account, amount, description, type }: EscrowMovement
): NewVirtualTransaction =>
  completedRow(account, { transaction_id, type, amount, description, payment_rail: "escrow", reference })
