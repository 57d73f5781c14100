/** Rules for answers: one key makes one payment, and no stored text is unfit for PostgreSQL. */
import { type KeyedReplies, responseOf, type ScenarioContext } from "../business/ScenarioContext.ts"

/**
 * One key has one answer. After a crash the answer may show a later state of the same payment. `isCalm`: nothing
 * crashed.
 */
export const keyProblems = (keyed: Iterable<KeyedReplies>, isCalm: boolean): ReadonlyArray<string> =>
  Array.from(keyed).flatMap(({ replies, what }) => {
    const [first, ...others] = replies.filter(({ status }) => status === 200)
    if (first === undefined) return []
    const idOf = (reply: typeof first) =>
      String(responseOf(reply)["payment_id"] ?? responseOf(reply)["transaction_id"] ?? "")
    return others.flatMap((other) => {
      if (idOf(other) !== idOf(first)) return [`one key made two payments: ${what}`]
      return isCalm && other.body !== first.body ? [`one key was answered in two ways: ${what}`] : []
    })
  })

const SECOND = 1000

/** A repeated key must not be answered before its first request. */
const runningProblems = (keyed: Iterable<KeyedReplies>): ReadonlyArray<string> =>
  Array.from(keyed).flatMap(({ replies, what }) => {
    const isReplay = ({ headers }: KeyedReplies["replies"][number]) => headers["idempotent-replayed"] !== undefined
    const fresh = replies.find((reply) => reply.status === 200 && !isReplay(reply))
    const early = replies.find((reply) => reply.status === 200 && isReplay(reply))
    const isEarly = fresh?.at !== undefined && early?.at !== undefined && early.at < fresh.at - SECOND
    return isEarly ? [`a key was answered while its request was running: ${what}`] : []
  })

const isUnfit = (text: string): boolean => text.includes("\u0000") || !text.isWellFormed()

const unfitIn = (value: unknown, depth = 0): boolean => {
  if (typeof value === "string") return isUnfit(value)
  if (value === null || typeof value !== "object" || value instanceof Date || depth > 4) return false
  return Object.values(value).some((one) => unfitIn(one, depth + 1))
}

const textProblems = ({ world }: ScenarioContext): ReadonlyArray<string> => {
  const { attempts, callbacks, events, history, operatorItems, payments } = world.tables
  const tables = { attempts, callbacks, events, history, operatorItems, payments }
  return Object.entries(tables).flatMap(([name, rows]) =>
    Array.from<unknown>((rows as ReadonlyMap<unknown, unknown>).values()).some((row) => unfitIn(row))
      ? [`${name} holds text that no database takes`]
      : []
  )
}

const isCalm = ({ isDisturbed, env }: ScenarioContext): boolean =>
  !isDisturbed && !env.databaseFailed && !env.hasSuspended

export const answerProblems = (scenario: ScenarioContext): ReadonlyArray<string> => [
  ...keyProblems(scenario.keyed.values(), isCalm(scenario)),
  ...(isCalm(scenario) ? runningProblems(scenario.keyed.values()) : []),
  ...textProblems(scenario)
]
