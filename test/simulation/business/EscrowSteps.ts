/** Steps on escrows: create, fund, release milestones, pay out and cancel, sometimes by two people at once. */
import { Effect } from "effect"
import { memoryTable } from "../../../src/platform/database/MemoryDatabase.ts"
import type { Escrow } from "../../../src/treasury/escrow/EscrowStore.ts"
import { idempotencyKeyOf, openedAccount, organisationOf } from "./VirtualAccountSteps.ts"
import {
  callApi,
  type ApiRequest,
  isUnresolved,
  type ScenarioContext,
  type StepAction,
  purposeOf,
  type Step
} from "./ScenarioContext.ts"
import type { Organisation } from "./SimulationFixtures.ts"

export const escrowTables = { escrows: memoryTable<Escrow>("escrows") }

/** State of an escrow as callers know it from the answers. */
export interface EscrowAnswers {
  /** In minor units. */
  readonly funded: bigint
  readonly perhapsFunded: bigint
  /** Milestones whose release was requested, and whether it is certain. */
  readonly released: ReadonlyMap<string, "surely" | "perhaps">
}

const noAnswers: EscrowAnswers = { funded: 0n, perhapsFunded: 0n, released: new Map() }

const noteAnswer = (
  { escrows }: ScenarioContext,
  id: string,
  change: (before: EscrowAnswers) => EscrowAnswers
): void => {
  escrows.set(id, change(escrows.get(id) ?? noAnswers))
}

const PATH = "/v1/virtual-accounts/escrow"

const escrowsOf = ({ world }: ScenarioContext, { orgId }: Organisation): ReadonlyArray<Escrow> =>
  Array.from(world.database.open(escrowTables).escrows.values()).filter(({ org_id }) => org_id === orgId)

/** "perhaps": the answer was lost or is a 5xx. */
const outcomeOf = (reply: Effect.Effect.Success<ReturnType<typeof callApi>>): "surely" | "perhaps" | "no" => {
  if (reply === null || isUnresolved(reply) || reply.status >= 500) return "perhaps"
  return reply.status < 300 ? "surely" : "no"
}

const createEscrow = (scenario: ScenarioContext, step: Step, organisation: Organisation, accountId: string) =>
  Effect.suspend(() => {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const parties = [
      { party_id: "a", name: "Mason", beneficiary_id: organisation.phone },
      { party_id: "b", name: "Painter", account_id: accountId },
      { party_id: "c", name: "Roofer" }
    ].slice(0, chance.between(1, 3, `${purpose} parties`))
    const shares = [["100"], ["60.5", "39.5"], ["33.33", "33.33", "33.34"]][parties.length - 1]!
    const milestones = Array.from({ length: chance.between(1, 2, `${purpose} milestones`) }, (_, at) => ({
      label: `Part ${at + 1}`,
      sequence: at,
      expected_disbursement: chance.between(101, 60_000, `${purpose} part ${at}`) / 100,
      parties: parties.map(({ party_id }, place) => ({
        party_id,
        split_type: "percentage",
        split_value: Number(shares[place])
      }))
    }))
    const body = { name: purpose, currency: "KES", account_id: accountId, parties, milestones }
    return callApi(scenario, organisation.owner, { path: PATH, body })
  })

const fund = (
  scenario: ScenarioContext,
  organisation: Organisation,
  escrow: Escrow,
  purpose: string,
  key: Pick<ApiRequest, "key">
) =>
  Effect.gen(function* () {
    const { escrow_id, funded, total } = escrow
    const missing = total.minor - funded.minor
    const share = scenario.env.chance.pick([1n, 1n, 2n, 3n], `${purpose} share`)
    const minor = missing / share || 1n
    const asked = { path: `${PATH}/${escrow_id}/fund`, body: { amount: Number(minor) / 100 }, ...key }
    const outcome = outcomeOf(yield* callApi(scenario, organisation.owner, asked))
    if (outcome === "no") return
    noteAnswer(scenario, escrow_id, (before) =>
      outcome === "surely"
        ? { ...before, funded: before.funded + minor }
        : { ...before, perhapsFunded: before.perhapsFunded + minor }
    )
  })

const release = (
  scenario: ScenarioContext,
  organisation: Organisation,
  { escrow_id, milestones }: Escrow,
  purpose: string,
  key: Pick<ApiRequest, "key">
) =>
  Effect.gen(function* () {
    const { milestone_id } = scenario.env.chance.pick(milestones, `${purpose} which part`)
    const asked = { path: `${PATH}/${escrow_id}/milestones/${milestone_id}/disburse`, body: {}, ...key }
    const outcome = outcomeOf(yield* callApi(scenario, organisation.owner, asked))
    if (outcome === "no") return
    noteAnswer(scenario, escrow_id, (before) => {
      const known = before.released.get(milestone_id)
      return { ...before, released: new Map(before.released).set(milestone_id, known === "surely" ? known : outcome) }
    })
  })

const payOut = (
  scenario: ScenarioContext,
  organisation: Organisation,
  { escrow_id, parties }: Escrow,
  purpose: string,
  key: Pick<ApiRequest, "key">
) => {
  const { party_id } = scenario.env.chance.pick(parties, `${purpose} whom`)
  const body = { beneficiary_id: organisation.bank }
  return callApi(scenario, organisation.owner, {
    path: `${PATH}/${escrow_id}/parties/${party_id}/payout`,
    body,
    ...key
  })
}

const callOff = (
  scenario: ScenarioContext,
  organisation: Organisation,
  { escrow_id }: Escrow,
  purpose: string,
  key: Pick<ApiRequest, "key">
) => callApi(scenario, organisation.owner, { path: `${PATH}/${escrow_id}/cancel`, body: { reason: purpose }, ...key })

const escrowActions = { fund, release, payOut, callOff }

export const useEscrow: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const organisation = organisationOf(scenario, step)
    const account = yield* openedAccount(scenario, step, organisation)
    if (account === undefined) return
    const isNew = escrowsOf(scenario, organisation).length === 0 || chance.happens(0.25, `${purpose} is new`)
    if (isNew) yield* createEscrow(scenario, step, organisation, account.account_id)
    const escrows = escrowsOf(scenario, organisation)
    if (escrows.length === 0) return
    const { escrow_id } = isNew ? escrows.at(-1)! : chance.pick(escrows, `${purpose} which`)
    for (let at = isNew ? 0 : 1; at <= chance.between(1, 3, `${purpose} deeds`); at++) {
      const drawn = chance.weighed({ fund: 3, release: 5, payOut: 2, callOff: 1 }, `${purpose} deed ${at}`)
      const deed = at === 0 ? "fund" : drawn
      const present = escrowsOf(scenario, organisation).find((one) => one.escrow_id === escrow_id)!
      const once = (nth: number) =>
        escrowActions[deed](
          scenario,
          organisation,
          present,
          `${purpose} ${at}`,
          idempotencyKeyOf(scenario, step, `${at} ${nth}`)
        )
      // Two people press the same button.
      const times = chance.happens(0.2, `${purpose} ${at} twice`) ? [1, 2] : [1]
      yield* Effect.forEach(times, once, { concurrency: 2, discard: true })
    }
  })
