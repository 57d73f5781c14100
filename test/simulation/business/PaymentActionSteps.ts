/** Steps on existing payments: refund, cancel, review, forged callbacks and customers who return. */
import { Effect } from "effect"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import { accountKeyOf } from "../providers/SimulatedProvider.ts"
import {
  callApi,
  ownerOf,
  paymentsOf,
  type ScenarioContext,
  type StepAction,
  purposeOf,
  type Step
} from "./ScenarioContext.ts"

const drawPayment = (
  scenario: ScenarioContext,
  step: Step,
  fits: (payment: Payment) => boolean
): Payment | undefined => {
  const all = paymentsOf(scenario).filter(fits)
  return all.length === 0 ? undefined : scenario.env.chance.pick(all, `${purposeOf(step)} which`)
}

const postAction = (scenario: ScenarioContext, step: Step, payment: Payment, body: object, byColleague = false) => {
  const organisation = ownerOf(scenario, payment)
  return callApi(scenario, byColleague ? organisation.colleague : organisation.owner, {
    path: `/v1/payments-init/${payment.payment_id}/action`,
    body,
    ...(scenario.env.chance.happens(0.6, `${purposeOf(step)} has a key`) ? { key: `key of ${purposeOf(step)}` } : {})
  })
}

export const refund: StepAction = (scenario, step) =>
  Effect.suspend(() => {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const completed = ({ direction, status }: Payment) => direction === "inbound" && status === "completed"
    const anything = chance.happens(0.1, `${purpose} anything`)
    const payment = drawPayment(scenario, step, anything ? () => true : completed)
    if (payment === undefined) return Effect.void
    // A quarter and three fifths are also drawn by disputes.
    const percent = chance.pick([0n, 0n, 33n, 50n, 14n, 25n, 60n], `${purpose} share`)
    const amount = percent === 0n ? {} : { amount: Number((payment.amount.minor * percent) / 100n || 1n) / 100 }
    return Effect.asVoid(postAction(scenario, step, payment, { action: "refund", reason: purpose, ...amount }))
  })

/** Several people refund the same payment at once, each a part or all of it. */
export const refundConcurrently: StepAction = (scenario, step) =>
  Effect.suspend(() => {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const payment = drawPayment(
      scenario,
      step,
      ({ direction, status }) => direction === "inbound" && status === "completed"
    )
    if (payment === undefined) return Effect.void
    const { colleague, owner } = ownerOf(scenario, payment)
    const people = Array.from({ length: chance.between(2, 4, `${purpose} people`) }, (_, at) => at + 1)
    const one = (at: number) =>
      Effect.gen(function* () {
        yield* Effect.sleep(chance.pick([0, 0, 20, 300, 2_000], `${purpose} person ${at} comes`))
        const percent = chance.pick([100n, 80n, 60n, 50n, 34n], `${purpose} person ${at} share`)
        const amount = Number((payment.amount.minor * percent) / 100n || 1n) / 100
        yield* callApi(scenario, at % 2 === 0 ? colleague : owner, {
          path: `/v1/payments-init/${payment.payment_id}/action`,
          body: { action: "refund", reason: purpose, amount },
          ...(chance.happens(0.5, `${purpose} person ${at} has a key`) ? { key: `key of ${purpose} ${at}` } : {})
        })
      })
    return Effect.forEach(people, one, { concurrency: "unbounded", discard: true })
  })

export const cancel: StepAction = (scenario, step) =>
  Effect.suspend(() => {
    const open = ({ status }: Payment) => ["initiated", "pending", "processing", "confirmed"].includes(status)
    const payment = drawPayment(scenario, step, open)
    return payment === undefined
      ? Effect.void
      : Effect.asVoid(postAction(scenario, step, payment, { action: "cancel" }))
  })

export const review: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const payment = drawPayment(
      scenario,
      step,
      ({ next_action, status }) => status === "initiated" && next_action === "wait"
    )
    if (payment === undefined) return
    const action = chance.happens(0.75, `${purpose} approves`) ? "review" : "reject"
    const reply = yield* postAction(scenario, step, payment, { action }, true)
    const rate = reply === null || reply.status !== 409 ? null : /accept_rate ([\d.]+)/.exec(reply.body)
    if (rate !== null)
      yield* callApi(scenario, ownerOf(scenario, payment).colleague, {
        path: `/v1/payments-init/${payment.payment_id}/action`,
        body: { action, accept_rate: Number(rate[1]) }
      })
  })

/** Sends an unsigned callback, which may cause an enquiry at most. */
export const forgeCallback: StepAction = (scenario, step) =>
  Effect.suspend(() => {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const attempts = Array.from(scenario.world.tables.attempts.values())
    if (attempts.length === 0) return Effect.void
    const { account, attempt_id, provider } = chance.pick(attempts, `${purpose} which`)
    const said = [
      {
        key: purpose,
        reference: attempt_id,
        providerPaymentId: `${provider}-1`,
        state: chance.pick(["completed", "failed", "returned"], `${purpose} state`),
        status: "forged"
      }
    ]
    scenario.env.count("fault: forged callback")
    return Effect.asVoid(callApi(scenario, null, { path: `/callbacks/${accountKeyOf(provider, account)}`, body: said }))
  })

/** A customer returns from the provider's page repeatedly and in several tabs. */
const PUBLIC_ORIGIN = "http://corridor.test"

export const returnFromProvider: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const sentAway = paymentsOf(scenario).filter(({ payment_id }) => scenario.orders.returns.has(payment_id))
    const waits = ({ next_action, status }: Payment) => status === "pending" && next_action === "redirect"
    const waiting = sentAway.filter(waits)
    const candidates = waiting.length > 0 ? waiting : sentAway
    if (candidates.length === 0) return
    const { payment_id } = chance.pick(candidates, `${purpose} which`)
    const path = scenario.orders.returns.get(payment_id)!.slice(PUBLIC_ORIGIN.length)
    const look = Effect.gen(function* () {
      const reply = yield* callApi(scenario, null, { method: "GET", path })
      if (reply !== null && reply.status !== 303 && reply.status < 500)
        scenario.env.problem(`a customer who came back was answered with ${reply.status}`)
    })
    for (let at = 1; at <= chance.between(1, 4, `${purpose} times`); at++) {
      const tabs = chance.happens(0.3, `${purpose} tabs ${at}`) ? [1, 2, 3] : [1]
      yield* Effect.forEach(tabs, () => look, { concurrency: 3, discard: true })
      yield* Effect.sleep(chance.pick([0, 1, 8, 90], `${purpose} rests ${at}`) * 1000)
    }
  })
