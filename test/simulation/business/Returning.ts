/** Customers who come back from a provider's page, again and again, and several times at once. */
import { Effect } from "effect"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import { ask, paymentsOf } from "./Scene.ts"
import { type Act, purposeOf } from "./Step.ts"

const ORIGIN = "http://corridor.test"

export const comeBack: Act = (scene, step) =>
  Effect.gen(function* () {
    const { chance } = scene.outside
    const purpose = purposeOf(step)
    const sentAway = paymentsOf(scene).filter(({ payment_id }) => scene.orders.returns.has(payment_id))
    const waits = ({ next_action, status }: Payment) => status === "pending" && next_action === "redirect"
    const waiting = sentAway.filter(waits)
    const candidates = waiting.length > 0 ? waiting : sentAway
    if (candidates.length === 0) return
    const { payment_id } = chance.pick(candidates, `${purpose} which`)
    const path = scene.orders.returns.get(payment_id)!.slice(ORIGIN.length)
    const look = Effect.gen(function* () {
      const reply = yield* ask(scene, null, { method: "GET", path })
      if (reply !== null && reply.status !== 303 && reply.status < 500)
        scene.outside.problem(`a customer who came back was answered with ${reply.status}`)
    })
    for (let at = 1; at <= chance.between(1, 4, `${purpose} times`); at++) {
      const tabs = chance.happens(0.3, `${purpose} tabs ${at}`) ? [1, 2, 3] : [1]
      yield* Effect.forEach(tabs, () => look, { concurrency: 3, discard: true })
      yield* Effect.sleep(chance.pick([0, 1, 8, 90], `${purpose} rests ${at}`) * 1000)
    }
  })
