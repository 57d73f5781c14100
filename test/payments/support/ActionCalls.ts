/** Acting on payments over HTTP, at providers that do what the test says. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { organizationTables } from "../../../src/people/organizations/OrganizationMemory.ts"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import type { Outcome } from "../../../src/domain/Outcome.ts"
import type { OneTimePasswords, Provider, RefundOrder } from "../../../src/providers/port/Provider.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { type Json, jsonOf } from "./PaymentCalls.ts"
import { accepts, type Scripted, scripted } from "./ScriptedProvider.ts"

type Answer<A> = A | Effect.Effect<A>

const answered = <A>(answer: Answer<A>): Effect.Effect<A> => (Effect.isEffect(answer) ? answer : Effect.succeed(answer))

type Otp = Effect.Effect.Success<ReturnType<OneTimePasswords["submit"]>>
type Cancel = Effect.Effect.Success<ReturnType<NonNullable<Provider["cancel"]>>>

export interface Actable extends Scripted {
  readonly refunds: ReadonlyArray<RefundOrder>
  readonly passwords: ReadonlyArray<string>
  /** Number of requests for another password. */
  readonly resent: () => number
  /** Sets the answer from now on. */
  readonly will: (answers: {
    readonly otp?: Answer<Otp>
    readonly resend?: boolean
    readonly cancel?: Answer<Cancel>
    readonly refund?: Answer<Outcome> | ((order: RefundOrder) => Effect.Effect<Outcome>)
  }) => void
}

export const actable = (name: ProviderName): Actable => {
  const refunds: Array<RefundOrder> = []
  const passwords: Array<string> = []
  let resent = 0
  let answers: Parameters<Actable["will"]>[0] = {}
  const provider: Scripted = scripted(name, {
    otp: {
      submit: (_, otp) =>
        Effect.suspend(() => {
          passwords.push(otp)
          return answered(answers.otp ?? "unknown")
        }),
      resend: () =>
        Effect.sync(() => {
          resent += 1
          return answers.resend ?? false
        })
    },
    cancel: () => Effect.suspend(() => answered(answers.cancel ?? "unknown")),
    refund: (order) =>
      Effect.suspend(() => {
        refunds.push(order)
        provider.funds.opened(order.reference, order.money, -1n, order.attempt.reference)
        const { refund = accepts() } = answers
        return typeof refund === "function" ? refund(order) : answered(refund)
      }).pipe(
        Effect.tap((outcome) =>
          Effect.sync(() => {
            if (outcome._tag === "Accepted") provider.funds.reported(order.reference, outcome.state)
          })
        )
      )
  })
  return {
    ...provider,
    refunds,
    passwords,
    resent: () => resent,
    will: (next) => void (answers = { ...answers, ...next })
  }
}

export const act = (
  paymentId: string,
  body: object,
  credential?: Credential,
  headers: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const answer = yield* post(
      `/v1/payments-init/${paymentId}/action`,
      { ...(credential ?? acme.key), ...headers },
      body
    )
    const envelope = jsonOf(answer)
    return {
      status: answer.status,
      headers: answer.headers,
      body: envelope,
      response: (envelope["response"] ?? envelope) as Json
    }
  })

/** Sets the highest amount without a review; null for every amount. */
export const setThreshold = (orgId: string, threshold: string | null) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isSome(sql)) {
      yield* sql.value`update organizations set review_threshold = ${threshold}::numeric where org_id = ${orgId}`
      return
    }
    const { organizations } = (yield* Effect.serviceOptional(MemoryDatabase)).open(organizationTables)
    organizations.set(orgId, { ...organizations.get(orgId)!, review_threshold: threshold })
  }).pipe(Effect.orDie)
