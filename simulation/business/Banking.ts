/** Virtual accounts: opened, filled, emptied to beneficiaries, and moved between, in one currency or two. */
import { Effect } from "effect"
import { memoryTable } from "../../src/platform/database/MemoryDatabase.ts"
import type { VirtualAccount } from "../../src/treasury/accounts/VirtualAccount.ts"
import { lockedRate } from "./Paying.ts"
import { ask, type Scene } from "./Scene.ts"
import type { Organisation } from "./Society.ts"
import { type Act, purposeOf, type Step } from "./Step.ts"

const accountTables = { virtualAccounts: memoryTable<VirtualAccount>("virtualAccounts") }

const accountsOf = ({ world }: Scene, { orgId }: Organisation): ReadonlyArray<VirtualAccount> =>
  Array.from(world.database.open(accountTables).virtualAccounts.values()).filter(({ org_id }) => org_id === orgId)

const keyOf = ({ outside }: Scene, step: Step) =>
  outside.chance.happens(0.7, `${purposeOf(step)} has a key`) ? { key: `key of ${purposeOf(step)}` } : {}

const ownerIn = (scene: Scene, step: Step): Organisation => scene.organisations[step.by % scene.organisations.length]!

export const deposit: Act = (scene, step) =>
  Effect.gen(function* () {
    const { chance } = scene.outside
    const purpose = purposeOf(step)
    const organisation = ownerIn(scene, step)
    if (accountsOf(scene, organisation).length < 2) {
      yield* ask(scene, organisation.owner, {
        path: "/v1/virtual-accounts/internal/bank",
        body: {
          org_id: organisation.orgId,
          user_id: organisation.owner.userId,
          currency: chance.pick(["KES", "KES", "USD"], `${purpose} currency`)
        }
      })
    }
    const accounts = accountsOf(scene, organisation)
    if (accounts.length === 0) return
    const { account_id } = chance.pick(accounts, `${purpose} which`)
    const amount = chance.between(1_000, 900_000, `${purpose} amount`) / 100
    yield* ask(scene, organisation.owner, {
      path: `/v1/virtual-accounts/${account_id}/simulate-deposit`,
      body: { amount },
      ...keyOf(scene, step)
    })
  })

export const withdraw: Act = (scene, step) =>
  Effect.gen(function* () {
    const { chance } = scene.outside
    const purpose = purposeOf(step)
    const organisation = ownerIn(scene, step)
    const accounts = accountsOf(scene, organisation).filter(({ currency }) => currency === "KES")
    if (accounts.length === 0) return
    const { account_id } = chance.pick(accounts, `${purpose} which`)
    const amount = chance.between(100, 500_000, `${purpose} amount`) / 100
    const beneficiary_id = chance.pick([organisation.phone, organisation.bank], `${purpose} whom`)
    yield* ask(scene, organisation.owner, {
      path: `/v1/virtual-accounts/${account_id}/withdraw`,
      body: { amount, beneficiary_id, description: purpose },
      ...keyOf(scene, step)
    })
  })

export const transfer: Act = (scene, step) =>
  Effect.gen(function* () {
    const { chance } = scene.outside
    const purpose = purposeOf(step)
    const organisation = ownerIn(scene, step)
    const [one, other] = accountsOf(scene, organisation)
    if (one === undefined || other === undefined) return
    const [from, to] = chance.happens(0.5, `${purpose} way`) ? [one, other] : [other, one]
    const amount = chance.between(1, 100_000, `${purpose} amount`) / 100
    const locked =
      from.currency === to.currency
        ? undefined
        : yield* lockedRate(scene, organisation, from.currency, to.currency, amount)
    yield* ask(scene, organisation.owner, {
      path: "/v1/virtual-accounts/transfer",
      body: {
        from_account_id: from.account_id,
        to_account_id: to.account_id,
        amount,
        ...(locked === undefined ? {} : { org_rate_id: locked.org_rate_id })
      },
      ...keyOf(scene, step)
    })
  })
