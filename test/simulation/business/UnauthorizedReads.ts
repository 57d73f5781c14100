/** Steps that try to read other organisations' objects, or use a revoked key. */
import { Effect } from "effect"
import { callApi, paymentsOf, responseOf, type ScenarioContext, type StepAction, purposeOf } from "./ScenarioContext.ts"
import type { Organisation } from "./SimulationFixtures.ts"

const expectStatus = (
  scenario: ScenarioContext,
  wanted: number,
  what: string,
  reply: { readonly status: number } | null
): void => {
  if (reply === null || reply.status === 503) return
  if (reply.status !== wanted) scenario.env.problem(`${what} was answered with ${reply.status} instead of ${wanted}`)
}

/** Another organisation's payment must be 404, and in no list. */
export const readForeignObjects: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const { organisations } = scenario
    const foreignTo = ({ orgId }: Organisation) => paymentsOf(scenario).filter(({ org_id }) => org_id !== orgId)
    const curious = organisations.map((_, at) => organisations[(step.by + at) % organisations.length]!)
    const organisation = curious.find((one) => foreignTo(one).length > 0)
    if (organisation === undefined) return
    const foreign = foreignTo(organisation)
    const { payment_id, transaction_id } = chance.pick(foreign, `${purposeOf(step)} which`)
    const look = (path: string) => callApi(scenario, organisation.owner, { method: "GET", path })
    expectStatus(scenario, 404, "a look at another's payment", yield* look(`/v1/payments/${payment_id}`))
    expectStatus(scenario, 404, "a look at another's timeline", yield* look(`/v1/payments/${payment_id}/timeline`))
    expectStatus(
      scenario,
      404,
      "a look at another's transaction",
      yield* look(`/v1/payments/transaction/${transaction_id}`)
    )
    const path = `/v1/payments-init/${payment_id}/action`
    expectStatus(
      scenario,
      404,
      "a refund of another's payment",
      yield* callApi(scenario, organisation.owner, { path, body: { action: "refund" } })
    )
    const list = yield* look("/v1/transactions?limit=100")
    if (list !== null && foreign.some((one) => list.body.includes(one.payment_id))) {
      scenario.env.problem("a list shows another's payment")
    }
    const queue = yield* look("/v1/operations/queue?limit=100")
    if (queue !== null && foreign.some((one) => queue.body.includes(one.payment_id))) {
      scenario.env.problem("a queue shows another's payment")
    }
  })

const credentialOf = (organisation: Organisation, api_key: string) => ({
  ...organisation.owner,
  headers: { authorization: "NONE", "x-api-key": api_key }
})

/** A revoked key must be refused at once, by every instance. */
export const revokeKey: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const organisation = scenario.organisations[step.by % scenario.organisations.length]!
    const made = yield* callApi(scenario, organisation.owner, {
      path: "/v1/public/api-keys",
      body: { name: purposeOf(step), role: "staff" }
    })
    if (made === null || made.status >= 300) return
    const { api_key, api_key_id } = responseOf(made) as Record<string, string>
    const credential = credentialOf(organisation, api_key!)
    const look = { method: "GET", path: "/v1/transactions?limit=1" }
    expectStatus(scenario, 200, "a look with a new key", yield* callApi(scenario, credential, look))
    const gone = yield* callApi(scenario, organisation.owner, {
      method: "DELETE",
      path: `/v1/public/api-keys/${api_key_id}`
    })
    if (gone === null || gone.status >= 300) return
    expectStatus(scenario, 401, "a look with a key that was taken away", yield* callApi(scenario, credential, look))
  })
