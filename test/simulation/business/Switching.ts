/** Operators who switch a provider off for a while: whatever is begun after that goes to others. */
import { Effect } from "effect"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { memoryTable } from "../../../src/platform/database/MemoryDatabase.ts"
import { ProviderConfigs } from "../../../src/providers/configs/ProviderConfigs.ts"
import type { WholeConfig } from "../../../src/providers/configs/ProviderConfigStore.ts"
import type { Asked } from "../providers/Orders.ts"
import type { Scene } from "./Scene.ts"
import { type Act, purposeOf } from "./Step.ts"

const operator = operatorPermit("platform", "amina")

const configTables = { providerConfigs: memoryTable<WholeConfig>("providerConfigs") }

/** Whether all of its configurations have been switched. */
const turn = (scene: Scene, provider: ProviderName, is_active: boolean) =>
  Effect.gen(function* () {
    const { providerConfigs } = scene.world.database.open(configTables)
    const ids = Array.from(providerConfigs.values()).flatMap((one) =>
      one.provider === provider ? [one.config_id] : []
    )
    const done = yield* scene.world.atTheConsole(
      Effect.flatMap(ProviderConfigs, ({ update }) =>
        Effect.forEach(ids, (config_id) => Effect.orDie(update(operator, { provider, config_id }, { is_active })))
      )
    )
    scene.outside.tell(
      `${provider} is switched ${is_active ? "on" : "off"}: ${done === null ? "nobody knows" : "done"}`
    )
    return done !== null
  })

export const switchOff: Act = (scene, step) =>
  Effect.gen(function* () {
    const { chance, time } = scene.outside
    const purpose = purposeOf(step)
    const provider = chance.pick(["stripe", "adyen", "paystack", "circle"] as const, `${purpose} which`)
    scene.outside.count("fault: provider switched off")
    if (yield* turn(scene, provider, false)) scene.off.set(provider, time.now)
    yield* Effect.sleep(chance.pick([5, 60, 900, 7200], `${purpose} seconds`) * 1000)
    scene.off.delete(provider)
    for (let tries = 0; tries < 20; tries++) {
      if (yield* turn(scene, provider, true)) return
      yield* Effect.sleep(60_000)
    }
  })

/** What was begun before may still go there, as may what gives money back. */
export const offProblem = ({ off, world }: Scene, { paymentId, provider }: Asked): string | undefined => {
  const since = off.get(provider)
  const payment = world.tables.payments.get(paymentId)
  return since === undefined || payment === undefined || payment.created_at.getTime() <= since
    ? undefined
    : `${provider} was sent a payment that was begun after it had been switched off`
}
