/** Rules when all is at rest: callers, providers, receivers and ledger agree. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { accountProblems } from "../../simulation/invariants/VirtualAccountRules.ts"
import { keyProblems } from "../../simulation/invariants/AnswerRules.ts"
import { moneyProblems } from "../../simulation/invariants/MoneyRules.ts"
import { progressProblems } from "../../simulation/invariants/ProgressRules.ts"
import { type Dossier, dossiersOf } from "../../simulation/invariants/RecordRules.ts"
import { deliveryProblems, eventProblems } from "../../simulation/invariants/EventRules.ts"
import type { Problem } from "../../../src/money/ledger/LedgerCheck.ts"
import type { RequestLog } from "../business/RequestLog.ts"
import type { Organisation } from "../business/ChaosFixtures.ts"
import type { Environment } from "../environment/Environment.ts"
import { type Read, readRecords } from "./ReadRecords.ts"
import { answerProblems } from "./AnswersAudit.ts"

interface Failed {
  readonly stdout: string
}

/** Runs `corridor ledger check`. */
const checkBooks = ({ bundle, environment }: Environment) =>
  Effect.promise(async () => {
    const args = [join(bundle, "cli", "main.mjs"), "ledger", "check", "--json"]
    const env = { PATH: process.env["PATH"], ...environment }
    const { stdout } = await promisify(execFile)(process.execPath, args, { env }).catch(
      (cause: unknown) => cause as Failed
    )
    return (JSON.parse(stdout) as { readonly data: { readonly problems: ReadonlyArray<Problem> } }).data.problems
  })

export const recordsOf = (env: Environment, organisations: ReadonlyArray<Organisation>): Effect.Effect<Read> =>
  readRecords(
    env.postgres.ownUrl(),
    env.fakes,
    organisations.flatMap(({ endpoints, orgId }) =>
      endpoints.map(({ events, receiver, webhookId }) => ({ orgId, webhookId, events, taken: receiver.taken }))
    )
  )

/** History, attempts and items of a payment. */
const describePayment = ({ attempts, history, items }: Dossier): string =>
  [
    ...history.map(({ at, cause, to_status }) => `${at.toISOString()} ${to_status} (${cause})`),
    ...attempts.map(
      ({ enquiries, leg, next_enquiry_at, outcome, provider, reason, sends, started_at }) =>
        `${started_at.toISOString()} ${leg} at ${provider}: ${outcome ?? "unanswered"} (${reason ?? "no reason"}), sent ${sends} times, asked about ${enquiries} times, again ${next_enquiry_at?.toISOString() ?? "never"}`
    ),
    ...items.map(({ closed_at, kind }) => `${closed_at === null ? "open" : "closed"} item: ${kind}`)
  ].join("; ")

/** Adds the payment to each problem. */
const named =
  (problemsOf: (dossier: Dossier) => ReadonlyArray<string>) =>
  (dossier: Dossier): ReadonlyArray<string> =>
    problemsOf(dossier).map(
      (problem) => `payment ${dossier.payment.payment_id}: ${problem}: ${describePayment(dossier)}`
    )

/** Work that is still open and ends by itself before the horizon. */
export const progress = ({ attempts, deliveries, ...read }: Read, horizon: number): ReadonlyArray<string> => [
  ...attempts.flatMap(({ attempt_id, next_enquiry_at }) =>
    next_enquiry_at === null || next_enquiry_at.getTime() > horizon
      ? []
      : [`attempt ${attempt_id} is still asked about`]
  ),
  ...deliveries.flatMap(({ delivery_id, status }) =>
    status === "pending" ? [`delivery ${delivery_id} is under way`] : []
  ),
  ...dossiersOf({ attempts, deliveries, ...read }).flatMap(named(progressProblems))
]

export const audit = (
  env: Environment,
  organisations: ReadonlyArray<Organisation>,
  requestLog: RequestLog,
  read: Read
) =>
  Effect.gen(function* () {
    const orders = Array.from(requestLog.orders.values())
    const dossiers = dossiersOf(read)
    const found = yield* checkBooks(env)
    return [
      ...requestLog.problems,
      ...organisations.flatMap(({ endpoints }) => endpoints.flatMap(({ receiver }) => receiver.problems)),
      ...orders.flatMap(({ replies, what }) => (replies.length === 0 ? [`${what}: never answered`] : [])),
      ...keyProblems(orders, false),
      ...answerProblems(orders, read),
      ...read.unmatched,
      ...found.map(({ message }) => message),
      ...dossiers.flatMap(named(moneyProblems)),
      ...dossiers.flatMap(named(progressProblems)),
      ...dossiers.flatMap(named(eventProblems)),
      ...deliveryProblems(read),
      ...accountProblems(read)
    ]
  })
