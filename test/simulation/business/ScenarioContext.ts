/** Context of the steps of a run, and the HTTP calls that they make. */
import { Clock, Effect } from "effect"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import type { Orders } from "../providers/ProviderOrders.ts"
import type { SimulatedProvider } from "../providers/SimulatedProvider.ts"
import type { DeletedRows } from "../world/RetentionAudit.ts"
import type { SimulationEnvironment, HttpReply } from "../world/SimulationEnvironment.ts"
import type { World } from "../world/SimulationWorld.ts"
import type { EscrowAnswers } from "./EscrowSteps.ts"
import type { Credential, Organisation } from "./SimulationFixtures.ts"

export interface KeyedReply extends HttpReply {
  readonly at?: number
}

/** Replies under one idempotency key. */
export interface KeyedReplies {
  readonly what: string
  readonly replies: Array<KeyedReply>
}

export interface ScenarioContext {
  readonly world: World
  readonly env: SimulationEnvironment
  readonly orders: Orders
  readonly organisations: ReadonlyArray<Organisation>
  readonly keyed: Map<string, KeyedReplies>
  readonly escrows: Map<string, EscrowAnswers>
  /** Disabled providers, and since when. */
  readonly off: Map<ProviderName, number>
  /** Replaces the credentials of a provider account. */
  readonly replaceAccount: (place: string) => void
  /** Provider by account key: its name, or its name and configuration. */
  readonly providerAt: (place: string) => SimulatedProvider | undefined
  /** Deleted rows, kept for the final checks. */
  readonly deleted: DeletedRows
  /** Whether a fault may have cost a caller its answer. */
  isDisturbed: boolean
}

export interface ApiRequest {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  /** Sent instead of `body`, as a browser does. */
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Idempotency key: the request is repeated until there is an answer. */
  readonly key?: string
}

export type Json = Readonly<Record<string, unknown>>

export const jsonOf = ({ body }: HttpReply): Json => (body.startsWith("{") ? (JSON.parse(body) as Json) : {})

export const responseOf = (reply: HttpReply): Json =>
  (jsonOf(reply)["response"] ?? jsonOf(reply)["data"] ?? jsonOf(reply)) as Json

const sendOnce = (
  { env }: ScenarioContext,
  credential: Pick<Credential, "headers"> | null,
  { body, form, headers, key, method = "POST", path }: ApiRequest
) =>
  Effect.async<HttpReply | null>((resume) => {
    const sent = {
      method,
      path,
      headers: {
        ...credential?.headers,
        ...headers,
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
        ...(key === undefined ? {} : { "idempotency-key": key.replaceAll(" ", "-") })
      },
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }
    env.send(sent, (reply) => {
      env.log(
        `${method} ${path} ${JSON.stringify(body ?? form ?? null).slice(0, 200)} -> ${reply === null ? "nothing" : `${reply.status} ${reply.body.slice(0, 200)}`}`
      )
      env.count(reply === null ? "answer: none" : `answer: ${reply.status}`)
      if (reply?.status === 500) env.problem(`${method} ${path} was answered with 500`)
      resume(Effect.succeed(reply))
    })
  })

/** Whether the outcome is still unknown to the caller. */
export const isUnresolved = (reply: HttpReply | null): boolean =>
  reply === null || reply.status === 503 || (reply.status === 409 && reply.body.includes("still running"))

const retrySeconds = [1, 5, 50, 300, 3600]

/** Repeats requests with a key until they are answered. */
export const callApi = (
  scenario: ScenarioContext,
  credential: Pick<Credential, "headers"> | null,
  asked: ApiRequest
): Effect.Effect<HttpReply | null> =>
  Effect.gen(function* () {
    let reply = yield* sendOnce(scenario, credential, asked)
    const { key } = asked
    if (key === undefined) return reply
    const kept = scenario.keyed.get(key) ?? { what: `${asked.path} ${JSON.stringify(asked.body)}`, replies: [] }
    scenario.keyed.set(key, kept)
    for (const seconds of retrySeconds) {
      if (reply !== null && !isUnresolved(reply)) {
        kept.replies.push({ ...reply, at: scenario.env.time.now })
        return reply
      }
      yield* Effect.sleep(seconds * 1000)
      reply = yield* sendOnce(scenario, credential, asked)
    }
    return reply
  })

export const now = Clock.currentTimeMillis

export const paymentsOf = ({ world }: ScenarioContext): ReadonlyArray<Payment> =>
  Array.from(world.tables.payments.values())

export const ownerOf = ({ organisations }: ScenarioContext, { org_id }: Payment): Organisation =>
  organisations.find(({ orgId }) => orgId === org_id)!

export const paymentOf = ({ world }: ScenarioContext, id: PaymentId): Payment | undefined =>
  world.tables.payments.get(id)

/** One step of a run. Any step may be left out. */
export interface Step {
  readonly number: number
  readonly kind: string
  /** Milliseconds after the start. */
  readonly at: number
  /** Index of the organisation. */
  readonly by: number
}

/** Everything else is drawn by the step's number. */
export type StepAction = (scenario: ScenarioContext, step: Step) => Effect.Effect<void>

export const purposeOf = ({ kind, number }: Step): string => `${kind} ${number}`
