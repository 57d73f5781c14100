/** Steps that change providers: disabled for a while, credentials replaced, callbacks through another account. */
import { Effect } from "effect"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { memoryTable } from "../../../src/platform/database/MemoryDatabase.ts"
import { ProviderConfigs } from "../../../src/providers/configs/ProviderConfigs.ts"
import type { WholeConfig } from "../../../src/providers/configs/ProviderConfigStore.ts"
import type { SentOrder } from "../providers/ProviderOrders.ts"
import { type ScenarioContext, type StepAction, purposeOf, callApi } from "./ScenarioContext.ts"
import { accountKeyOf, sharesIds } from "../providers/SimulatedProvider.ts"

const operator = operatorPermit("platform", "amina")

const configTables = { providerConfigs: memoryTable<WholeConfig>("providerConfigs") }

/** Whether all configurations of the provider were changed. */
const setProviderActive = (scenario: ScenarioContext, provider: ProviderName, is_active: boolean) =>
  Effect.gen(function* () {
    const { providerConfigs } = scenario.world.database.open(configTables)
    const ids = Array.from(providerConfigs.values()).flatMap((one) =>
      one.provider === provider ? [one.config_id] : []
    )
    const done = yield* scenario.world.runAsOperator(
      Effect.flatMap(ProviderConfigs, ({ update }) =>
        Effect.forEach(ids, (config_id) => Effect.orDie(update(operator, { provider, config_id }, { is_active })))
      )
    )
    scenario.env.log(`${provider} is switched ${is_active ? "on" : "off"}: ${done === null ? "nobody knows" : "done"}`)
    return done !== null
  })

export const disableProvider: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance, time } = scenario.env
    const purpose = purposeOf(step)
    const provider = chance.pick(["stripe", "adyen", "paystack", "circle"] as const, `${purpose} which`)
    scenario.env.count("fault: provider switched off")
    if (yield* setProviderActive(scenario, provider, false)) scenario.off.set(provider, time.now)
    yield* Effect.sleep(chance.pick([5, 60, 900, 7200], `${purpose} seconds`) * 1000)
    scenario.off.delete(provider)
    for (let tries = 0; tries < 20; tries++) {
      if (yield* setProviderActive(scenario, provider, true)) return
      yield* Effect.sleep(60_000)
    }
  })

/** Payments that began before, and refunds, may still be sent. */
export const disabledProviderProblem = (
  { off, world }: ScenarioContext,
  { paymentId, provider }: SentOrder
): string | undefined => {
  const since = off.get(provider)
  const payment = world.tables.payments.get(paymentId)
  return since === undefined || payment === undefined || payment.created_at.getTime() <= since
    ? undefined
    : `${provider} was sent a payment that was begun after it had been switched off`
}

/**
 * Replaces the credentials by those of another account, which knows nothing of open attempts. The old account still
 * calls back.
 */
export const replaceAccount: StepAction = (scenario, step) =>
  Effect.sync(() => {
    const { chance } = scenario.env
    const providers: ReadonlyArray<ProviderName> = ["stripe", "adyen", "paystack", "circle", "coinbase"]
    const places = new Set(
      Array.from(scenario.world.tables.attempts.values(), ({ account, provider }) => accountKeyOf(provider, account))
    )
    const place = chance.pick(places.size > 0 ? Array.from(places) : providers, `${purposeOf(step)} which`)
    scenario.env.count("fault: another account")
    scenario.env.log(`${place} is reached through another account from now on`)
    scenario.replaceAccount(place)
  })

const GUESSED_IDS = [1, 2, 3, 4]

/** An organisation signs callbacks with its own account's secret for payments of the platform's account. */
export const claimThroughOtherAccount: StepAction = (scenario, step) =>
  Effect.suspend(() => {
    const own = scenario.organisations.find(({ ownAccount }) => ownAccount !== null)?.ownAccount
    // With shared ids the callback would be true for its own payments.
    if (own === undefined || own === null || sharesIds(scenario.env)) return Effect.void
    scenario.env.count("fault: claim through another account")
    const said = GUESSED_IDS.map((number) => ({
      key: `${purposeOf(step)} ${number}`,
      reference: null,
      providerPaymentId: `stripe-${number}`,
      state: "completed",
      status: "claimed"
    }))
    const path = `/callbacks/${accountKeyOf("stripe", own)}`
    return Effect.asVoid(callApi(scenario, null, { path, headers: { "x-proof": "genuine" }, body: said }))
  })
