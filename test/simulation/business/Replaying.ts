/** People who switch an endpoint on again that was given up, and have its dead letters sent again. */
import { Effect } from "effect"
import { ask } from "./Scene.ts"
import { ownerIn } from "./Banking.ts"
import { type Act, purposeOf } from "./Step.ts"

const HOUR = 3_600_000

export const replay: Act = (scene, step) =>
  Effect.gen(function* () {
    const { chance } = scene.outside
    const purpose = purposeOf(step)
    const { endpoints, owner } = ownerIn(scene, step)
    if (endpoints.length === 0) return
    const { webhookId } = chance.pick(endpoints, `${purpose} which`)
    const path = `/v1/public/webhooks/${webhookId}`
    for (let time = 1; time <= chance.between(1, 3, `${purpose} times`); time++) {
      yield* Effect.sleep(chance.pick([2, 30, 150, 320], `${purpose} hours ${time}`) * HOUR)
      if (scene.world.tables.webhooks.get(webhookId)?.status === "disabled")
        yield* ask(scene, owner, { method: "PATCH", path, body: { status: "active" } })
      const reply = yield* ask(scene, owner, { path: `${path}/replay`, body: {} })
      if (reply !== null && reply.status < 300) scene.outside.count("webhooks: replayed")
    }
  })
