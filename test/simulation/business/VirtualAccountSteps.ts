/** Steps on virtual accounts: deposits, withdrawals and transfers, in one currency or two. */
import { Effect } from "effect"
import { memoryTable } from "../../../src/platform/database/MemoryDatabase.ts"
import type { VirtualAccount } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { lockedRate } from "./PaymentSteps.ts"
import { callApi, type ScenarioContext, type StepAction, purposeOf, type Step } from "./ScenarioContext.ts"
import type { Organisation } from "./SimulationFixtures.ts"

export const accountTables = { virtualAccounts: memoryTable<VirtualAccount>("virtualAccounts") }

const accountsOf = ({ world }: ScenarioContext, { orgId }: Organisation): ReadonlyArray<VirtualAccount> =>
  Array.from(world.database.open(accountTables).virtualAccounts.values()).filter(({ org_id }) => org_id === orgId)

/** `part` distinguishes the requests of one step. */
export const idempotencyKeyOf = ({ env }: ScenarioContext, step: Step, part = "") => {
  const purpose = `${purposeOf(step)} ${part}`.trim()
  return env.chance.happens(0.7, `${purpose} has a key`) ? { key: `key of ${purpose}` } : {}
}

export const organisationOf = (scenario: ScenarioContext, step: Step): Organisation =>
  scenario.organisations[step.by % scenario.organisations.length]!

const openAccount = (scenario: ScenarioContext, { orgId, owner }: Organisation, currency: string) =>
  callApi(scenario, owner, {
    path: "/v1/virtual-accounts/internal/bank",
    body: { org_id: orgId, user_id: owner.userId, currency }
  })

const fillAccount = (scenario: ScenarioContext, step: Step, { owner }: Organisation, accountId: string) =>
  callApi(scenario, owner, {
    path: `/v1/virtual-accounts/${accountId}/simulate-deposit`,
    body: { amount: scenario.env.chance.between(1_000, 900_000, `${purposeOf(step)} amount`) / 100 },
    ...idempotencyKeyOf(scenario, step)
  })

/** Finds or opens a KES account with a deposit. */
export const openedAccount = (scenario: ScenarioContext, step: Step, organisation: Organisation) =>
  Effect.gen(function* () {
    const inShillings = () => accountsOf(scenario, organisation).find(({ currency }) => currency === "KES")
    const there = inShillings()
    if (there !== undefined) return there
    yield* openAccount(scenario, organisation, "KES")
    const opened = inShillings()
    if (opened !== undefined) yield* fillAccount(scenario, step, organisation, opened.account_id)
    return opened
  })

export const deposit: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const organisation = organisationOf(scenario, step)
    if (accountsOf(scenario, organisation).length < 2) {
      yield* openAccount(scenario, organisation, chance.pick(["KES", "KES", "USD"], `${purpose} currency`))
    }
    const accounts = accountsOf(scenario, organisation)
    if (accounts.length === 0) return
    yield* fillAccount(scenario, step, organisation, chance.pick(accounts, `${purpose} which`).account_id)
  })

export const withdraw: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const organisation = organisationOf(scenario, step)
    const accounts = accountsOf(scenario, organisation).filter(({ currency }) => currency === "KES")
    if (accounts.length === 0) return
    const { account_id } = chance.pick(accounts, `${purpose} which`)
    const amount = chance.between(100, 500_000, `${purpose} amount`) / 100
    const beneficiary_id = chance.pick([organisation.phone, organisation.bank], `${purpose} whom`)
    yield* callApi(scenario, organisation.owner, {
      path: `/v1/virtual-accounts/${account_id}/withdraw`,
      body: { amount, beneficiary_id, description: purpose },
      ...idempotencyKeyOf(scenario, step)
    })
  })

export const transfer: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const organisation = organisationOf(scenario, step)
    const [one, other] = accountsOf(scenario, organisation)
    if (one === undefined || other === undefined) return
    const [from, to] = chance.happens(0.5, `${purpose} way`) ? [one, other] : [other, one]
    const amount = chance.between(1, 100_000, `${purpose} amount`) / 100
    const locked =
      from.currency === to.currency
        ? undefined
        : yield* lockedRate(scenario, organisation, from.currency, to.currency, amount)
    yield* callApi(scenario, organisation.owner, {
      path: "/v1/virtual-accounts/transfer",
      body: {
        from_account_id: from.account_id,
        to_account_id: to.account_id,
        amount,
        ...(locked === undefined ? {} : { org_rate_id: locked.org_rate_id })
      },
      ...idempotencyKeyOf(scenario, step)
    })
  })
