/** All that an actor sees of a run: the world, who lives in it, what really happened at the providers, what was answered. */
import { Clock, Effect } from "effect"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import type { Orders } from "../providers/Orders.ts"
import type { SimulatedProvider } from "../providers/SimulatedProvider.ts"
import type { DeletedRows } from "../world/RetentionAudit.ts"
import type { SimulationEnvironment, HttpReply } from "../world/SimulationEnvironment.ts"
import type { World } from "../world/World.ts"
import type { EscrowAnswers } from "./Escrows.ts"
import type { Credential, Organisation } from "./Fixtures.ts"

export interface KeyedReply extends HttpReply {
  /** When it came; nothing where nobody looked at a clock. */
  readonly at?: number
}

/** What callers were answered under one idempotency key. */
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
  /** What callers were told of each escrow. */
  readonly escrows: Map<string, EscrowAnswers>
  /** Providers that are switched off, and since when for certain. */
  readonly off: Map<ProviderName, number>
  /** The account behind a provider, or behind a configuration, becomes another. */
  readonly replaceAccount: (place: string) => void
  /** Who is reached at a place: a provider, or an account at it. */
  readonly providerAt: (place: string) => SimulatedProvider | undefined
  /** What was deleted, so that it can still be counted. */
  readonly deleted: DeletedRows
  /** Whether anything of the world failed that may cost a caller its answer. */
  isDisturbed: boolean
}

export interface ApiRequest {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  /** What a browser sends instead. */
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Safe to repeat: repeated until there is an answer. */
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

/** Nobody knows yet what became of it. */
export const isUnresolved = (reply: HttpReply | null): boolean =>
  reply === null || reply.status === 503 || (reply.status === 409 && reply.body.includes("still running"))

const retrySeconds = [1, 5, 50, 300, 3600]

/** Callers whose answer was lost ask again where that is safe. */
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

/** One thing that somebody does in a run. A run is a list of them, each of which may be left out. */
export interface Step {
  readonly number: number
  readonly kind: string
  /** Milliseconds after the beginning. */
  readonly at: number
  /** Which of the organisations. */
  readonly by: number
}

/** What a step does; what else it needs it draws by its number. */
export type StepAction = (scenario: ScenarioContext, step: Step) => Effect.Effect<void>

export const purposeOf = ({ kind, number }: Step): string => `${kind} ${number}`
