/**
 * Creates an escrow from a request. Accounts and beneficiaries must belong to the organisation and have the escrow's
 * currency.
 */
import { Effect, Option, Either } from "effect"
import { AccountId, BeneficiaryId, type Naming, EscrowId, type OrgId, idOrNil, Ids } from "../../domain/Ids.ts"
import { VirtualAccounts } from "../accounts/VirtualAccounts.ts"
import { Beneficiaries } from "../../payments/beneficiaries/Beneficiaries.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { organizationOf, type Permit } from "../../domain/Access.ts"
import { Invalid, NotFound } from "../../domain/Failure.ts"
import {
  type NewEscrow,
  type Milestone,
  type Party,
  type PartySplit,
  makeEscrowTransaction,
  EscrowStore
} from "./EscrowStore.ts"
import type * as Api from "../../contract/api/EscrowApi.ts"
import { Money } from "../../domain/Money.ts"
import { split } from "../../domain/Split.ts"
import { normalizedSplitValue } from "./EscrowTransitions.ts"

export type EscrowDraft = Omit<typeof Api.CreateEscrow.Type, "org_id">

type DraftParty = Omit<EscrowDraft["parties"][number], "account_id" | "beneficiary_id">

/** A draft with parsed ids. */
interface ResolvedDraft extends Omit<EscrowDraft, "account_id" | "parties"> {
  readonly account_id: AccountId
  readonly parties: ReadonlyArray<
    DraftParty & { readonly account_id: AccountId | null; readonly beneficiary_id: BeneficiaryId | null }
  >
}

type Checked<A> = Either.Either<A, string>

/** Index of the first repeated value, or -1. */
const firstRepeated = (values: ReadonlyArray<string | number | undefined>): number =>
  values.findIndex((value, at) => value !== undefined && values.indexOf(value) < at)

const partiesOf = (draft: ResolvedDraft, newId: () => string): Checked<ReadonlyArray<Party>> => {
  for (const field of ["name", "party_id"] as const) {
    const repeated = firstRepeated(draft.parties.map((party) => party[field]))
    if (repeated >= 0) return Either.left(`parties[${repeated}].${field}: is the same as another party's`)
  }
  return Either.right(
    draft.parties.map(({ account_id, beneficiary_id, email, name }) => ({
      party_id: newId(),
      name,
      beneficiary_id,
      account_id,
      email: email ?? null
    }))
  )
}

type DraftMilestone = EscrowDraft["milestones"][number]

const splitsOf = (
  draft: ResolvedDraft,
  parties: ReadonlyArray<Party>,
  wanted: DraftMilestone["parties"],
  path: string
): Checked<ReadonlyArray<PartySplit>> =>
  Either.gen(function* () {
    const splits: Array<PartySplit> = []
    for (const [at, one] of wanted.entries()) {
      const [field, key] =
        one.party_id === undefined ? (["name", one.name] as const) : (["party_id", one.party_id] as const)
      const place = `${path}.parties[${at}]`
      if (key === undefined) return yield* Either.left(`${place}: needs the party_id or the name of a party`)
      const index = draft.parties.findIndex((party) => party[field] === key)
      const party = parties[index]
      if (party === undefined) return yield* Either.left(`${place}.${field}: is not one of the parties`)
      const { party_id } = party
      if (splits.some((other) => other.party_id === party_id)) {
        return yield* Either.left(`${place}.${field}: this party has a split of this milestone already`)
      }
      const { split_type, split_value } = one
      const kept = yield* Either.mapLeft(
        normalizedSplitValue({ party_id, split_type, split_value }, draft.currency),
        (why) => `${place}.split_value: ${why}`
      )
      splits.push({ party_id, split_type, split_value: kept })
    }
    return splits
  })

const milestonesOf = (
  draft: ResolvedDraft,
  parties: ReadonlyArray<Party>,
  newId: () => string
): Checked<ReadonlyArray<Milestone>> =>
  Either.gen(function* () {
    const repeated = firstRepeated(draft.milestones.map(({ sequence }) => sequence))
    if (repeated >= 0) return yield* Either.left(`milestones[${repeated}].sequence: is the same as another milestone's`)
    const milestones: Array<Milestone> = []
    for (const [at, one] of draft.milestones.entries()) {
      const path = `milestones[${at}]`
      const expected = yield* Either.mapLeft(
        Money.fromDecimal(one.expected_disbursement, draft.currency),
        (why) => `${path}.expected_disbursement: ${why}`
      )
      const splits = yield* splitsOf(draft, parties, one.parties, path)
      yield* Either.mapLeft(split(expected, splits), (why) => `${path}.parties: ${why}`)
      milestones.push({
        milestone_id: newId(),
        label: one.label,
        sequence: one.sequence,
        expected,
        status: "pending",
        description: one.description ?? null,
        due_date: one.due_date ?? null,
        contract_reference: null,
        contract_submitted_at: null,
        disbursed_at: null,
        splits
      })
    }
    return milestones.toSorted((a, b) => a.sequence - b.sequence)
  })

/** `newId` is called once for the escrow, each party and each milestone. Every error names its field. */
const escrowFromDraft = (org_id: OrgId, draft: ResolvedDraft, newId: () => string): Either.Either<NewEscrow, Invalid> =>
  Either.gen(function* () {
    const { account_id, currency, name } = draft
    const parties = yield* partiesOf(draft, newId)
    const milestones = yield* milestonesOf(draft, parties, newId)
    const minor = milestones.reduce((sum, { expected }) => sum + expected.minor, 0n)
    return {
      escrow_id: EscrowId.make(newId()),
      org_id,
      name,
      currency,
      account_id,
      status: "active" as const,
      total: new Money({ currency, minor }),
      funded: Money.zero(currency),
      disbursed: Money.zero(currency),
      parties,
      milestones
    }
  }).pipe(Either.mapLeft((message) => new Invalid({ message: `${message}.` })))

const idCountOf = ({ milestones, parties }: EscrowDraft): number => 1 + parties.length + milestones.length

const idOrNull = <Id extends string>(of: Naming<Id>, given: string | undefined): Id | null =>
  given === undefined ? null : idOrNil(of)(given)

const withIds = (draft: EscrowDraft): ResolvedDraft => ({
  ...draft,
  account_id: idOrNil(AccountId)(draft.account_id),
  parties: draft.parties.map((party) => ({
    ...party,
    account_id: idOrNull(AccountId, party.account_id),
    beneficiary_id: idOrNull(BeneficiaryId, party.beneficiary_id)
  }))
})

export const makeCreateEscrow = Effect.gen(function* () {
  const store = yield* EscrowStore
  const accounts = yield* VirtualAccounts
  const beneficiaries = yield* Beneficiaries
  const transaction = yield* makeEscrowTransaction
  const ids = yield* Ids
  const { atomically } = yield* Transactor

  const mustBeIn = (currency: string, escrow: NewEscrow, field: string) =>
    currency === escrow.currency
      ? Effect.void
      : Effect.fail(new Invalid({ message: `${field}: is in ${currency}, the escrow in ${escrow.currency}.` }))

  const checkAccount = Effect.fnUntraced(function* (escrow: NewEscrow, id: AccountId, field: string) {
    const account = yield* accounts.find(escrow.org_id, id)
    if (Option.isNone(account)) {
      return yield* new NotFound({ message: `${field}: no virtual account with this id.` })
    }
    yield* mustBeIn(account.value.currency, escrow, field)
  })

  const checkBeneficiary = Effect.fnUntraced(function* (escrow: NewEscrow, id: BeneficiaryId, field: string) {
    const beneficiary = yield* beneficiaries.find(Option.some(escrow.org_id), id)
    if (Option.isNone(beneficiary)) {
      return yield* new Invalid({ message: `${field}: is not a beneficiary of this organisation.` })
    }
    yield* mustBeIn(beneficiary.value.currency, escrow, field)
  })

  const check = Effect.fnUntraced(function* (escrow: NewEscrow) {
    yield* checkAccount(escrow, escrow.account_id, "account_id")
    for (const [at, { account_id, beneficiary_id }] of escrow.parties.entries()) {
      if (account_id !== null) yield* checkAccount(escrow, account_id, `parties[${at}].account_id`)
      if (beneficiary_id !== null) yield* checkBeneficiary(escrow, beneficiary_id, `parties[${at}].beneficiary_id`)
    }
  })

  return Effect.fnUntraced(function* (permit: Permit<"escrow">, draft: EscrowDraft) {
    const org_id = yield* organizationOf(permit, "org_id: say which organisation the escrow is for.")
    const newId = yield* ids.atMost(idCountOf(draft))
    const planned = yield* escrowFromDraft(org_id, withIds(draft), newId)
    yield* check(planned)
    return yield* atomically(
      Effect.tap(store.insert(planned), (escrow) =>
        transaction.record(permit, escrow, "escrow.created", {
          name: escrow.name,
          account_id: escrow.account_id,
          total_amount: escrow.total.toNumericText(),
          currency: escrow.currency
        })
      )
    )
  })
})
