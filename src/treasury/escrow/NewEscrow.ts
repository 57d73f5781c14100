/** Turns a request into an escrow, as a pure function: every refusal names its field. */
import { Either } from "effect"
import { type AccountId, type BeneficiaryId, EscrowId, type OrgId } from "../../domain/Identifiers.ts"
import type * as Api from "../../contract/api/Escrow.ts"
import { Invalid } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { split } from "../../domain/Split.ts"
import type { Milestone, NewEscrow, Party, PartySplit } from "./Escrow.ts"
import { keptValue } from "./Steps.ts"

export type Draft = Omit<typeof Api.CreateEscrow.Type, "org_id">

type DraftParty = Omit<Draft["parties"][number], "account_id" | "beneficiary_id">

/** As it was sent, but for its ids: they are as the database knows them. */
export interface NamedDraft extends Omit<Draft, "account_id" | "parties"> {
  readonly account_id: AccountId
  readonly parties: ReadonlyArray<
    DraftParty & { readonly account_id: AccountId | null; readonly beneficiary_id: BeneficiaryId | null }
  >
}

type Checked<A> = Either.Either<A, string>

/** What must be true of a list of names: each is there once. */
const firstRepeated = (values: ReadonlyArray<string | number | undefined>): number =>
  values.findIndex((value, at) => value !== undefined && values.indexOf(value) < at)

const partiesOf = (draft: NamedDraft, newId: () => string): Checked<ReadonlyArray<Party>> => {
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

type DraftMilestone = Draft["milestones"][number]

const splitsOf = (
  draft: NamedDraft,
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
        keptValue({ party_id, split_type, split_value }, draft.currency),
        (why) => `${place}.split_value: ${why}`
      )
      splits.push({ party_id, split_type, split_value: kept })
    }
    return splits
  })

const milestonesOf = (
  draft: NamedDraft,
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

/** `newId` gives one id after the other: one for the escrow, for every party and every milestone. */
export const planEscrow = (org_id: OrgId, draft: NamedDraft, newId: () => string): Either.Either<NewEscrow, Invalid> =>
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

/** How many ids a draft takes. */
export const idsFor = ({ milestones, parties }: Draft): number => 1 + parties.length + milestones.length
