/** Finishes orders by their scenario, and sends the callbacks. */
import { Duration } from "effect"
import { Money } from "../../src/domain/Money.ts"
import type { FakeTasks } from "./FakeTasks.ts"
import type { Fake, FakeCallback, FakeWorld, Dispute, FakeDisputes } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import { type Scenario, scenarioOf } from "./MagicAmounts.ts"
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"

const fakeCallbackTimeout = Duration.seconds(5)

/** A callback that was not taken is sent again after so many times a fake's pace, each in turn; then it is given up. */
const fakeCallbackRetries = [1, 2, 4, 8]

/** Dispute stages of each scenario. */
const stages: Partial<Readonly<Record<Scenario, ReadonlyArray<Dispute["stage"]>>>> = {
  disputed: ["opened"],
  dispute_won: ["opened", "won"],
  dispute_lost: ["opened", "lost"],
  dispute_lost_in_part: ["opened", "lost"]
}

const half = ({ currency, minor }: Money): Money => new Money({ currency, minor: minor / 2n })

/** One after the other. */
export const disputesOf = (entry: Entry): ReadonlyArray<Dispute> => {
  if (entry.kind !== "payin" || entry.state !== "completed") return []
  const money = entry.scenario === "dispute_lost_in_part" ? half(entry.moved) : entry.moved
  return (stages[entry.scenario] ?? []).map((stage) => ({ of: entry, money, stage }))
}

/** Amount of the refund made by hand, in its scenario. */
export const byHandOf = (entry: Entry): Money | undefined =>
  entry.kind === "payin" && entry.state === "completed" && entry.scenario === "refunded_by_hand"
    ? half(entry.moved)
    : undefined

/** Sum taken back of the payin as the dispute stands, in minor units. */
export const takenBackBy = ({ money, stage }: Dispute, { takes }: FakeDisputes): bigint => {
  if (stage === "won") return 0n
  return stage === "lost" || takes === "at once" ? money.minor : 0n
}

/** Sends a callback over HTTP, with a few retries. */
const isTaken = (status: number): boolean => status >= 200 && status < 300

/** The status of the answer; nothing where none came. */
const sendOnce = (url: URL, { body, headers, method = "POST" }: FakeCallback, { untilStopped }: FakeTasks) =>
  new Promise<number | undefined>((resolve) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp
    const bytes = Buffer.from(body)
    const options = {
      method,
      headers: { "content-type": "application/json", ...headers, "content-length": bytes.length },
      // A connection of its own, so that none is left open when the fake ends.
      agent: false as const,
      timeout: Duration.toMillis(fakeCallbackTimeout)
    }
    const request = send(url, options, (response) => {
      response.resume()
      response.on("close", () => resolve(response.statusCode))
    })
    const { over } = untilStopped(() => request.destroy())
    request.on("timeout", () => request.destroy())
    request.on("close", () => {
      over()
      resolve(undefined)
    })
    request.on("error", () => resolve(undefined))
    request.end(bytes)
  })

/** Whether it was taken in the end. */
export const deliver = async (
  callback: FakeCallback,
  to: string,
  pace: Duration.Duration,
  tasks: FakeTasks
): Promise<boolean> => {
  const url = new URL(to)
  for (const times of [0, ...fakeCallbackRetries]) {
    if (times > 0) await tasks.sleep(Duration.times(pace, times))
    if (tasks.isStopped()) return false
    const status = await sendOnce(url, callback, tasks)
    if (status !== undefined && isTaken(status)) return true
  }
  return false
}

export interface Paces {
  readonly pace: Duration.Duration
  readonly late: Duration.Duration
  readonly onUndelivered?: ((to: string) => void) | undefined
}

/** Takes off a tenth: amounts with these digits are never below 14. */
const less = ({ currency, minor }: Money): Money => new Money({ currency, minor: minor - minor / 10n })

const failures: ReadonlySet<Scenario> = new Set(["fails_later", "declined_instrument", "declined_provider"])

const beginningOf = (entry: Entry): Entry => ({ ...entry, state: "processing" })

/** Address that the caller named in its order, kept with the entry. */
const addressOf = ({ kept }: Entry, world: FakeWorld): string =>
  typeof kept["callbackUrl"] === "string" ? kept["callbackUrl"] : world.callbackUrl

export const makeOrderProgress = (
  fake: Pick<Fake, "callbackOf" | "disputes" | "name" | "refundedByHand" | "wholeUnits">,
  paces: Paces,
  tasks: FakeTasks,
  onError: (error: unknown) => void,
  world: () => FakeWorld
): Pick<FakeWorld, "approve" | "callBack" | "take" | "takeOnce"> => {
  const { callbackOf, disputes, refundedByHand } = fake
  const callbacksOf = (entry: Entry): ReadonlyArray<FakeCallback> => {
    const last = callbackOf(entry, world())
    if (last === undefined) return []
    if (entry.scenario === "twice") return [last, last]
    const first = entry.scenario === "reordered" ? callbackOf(beginningOf(entry), world()) : undefined
    return first === undefined ? [last] : [last, first]
  }

  const delivered = async (callback: FakeCallback, to: string): Promise<void> => {
    const isTaken = await deliver(callback, to, paces.pace, tasks)
    if (!isTaken && !tasks.isStopped()) paces.onUndelivered?.(to)
  }

  const send = async (callbacks: ReadonlyArray<FakeCallback>, entry: Entry): Promise<void> => {
    for (const callback of callbacks) await delivered(callback, addressOf(entry, world()))
  }

  const sendCallback = async (entry: Entry): Promise<void> => {
    const { end } = tasks.begin()
    try {
      await send(callbacksOf(entry), entry)
      const byHand = byHandOf(entry)
      if (refundedByHand !== undefined && byHand !== undefined) {
        await tasks.sleep(paces.pace)
        entry.takenBack = byHand.minor
        await send([refundedByHand(entry, byHand, world())], entry)
      }
      if (disputes === undefined) return
      for (const dispute of disputesOf(entry)) {
        await tasks.sleep(paces.pace)
        entry.takenBack = takenBackBy(dispute, disputes)
        await send(disputes.callbacksOf(dispute, world()), entry)
      }
    } catch (error) {
      onError(error)
    } finally {
      end()
    }
  }

  const finish = (entry: Entry): void => {
    // Keeps a state that the fake's own routes have set meanwhile.
    if (entry.state === "processing") {
      const fails = failures.has(entry.scenario)
      entry.state = fails ? "failed" : "completed"
      if (fails) entry.reason = "It failed, as its amount asks for."
    }
    void sendCallback(entry)
  }

  const start = (entry: Entry): void => {
    entry.state = "processing"
    if (entry.scenario === "silent") return
    tasks.after(entry.scenario === "late" ? paces.late : paces.pace, () => finish(entry))
  }

  const take: FakeWorld["take"] = ({ id, kept = {}, kind, money, of = null, reference, waits = false }) => {
    const { books, now } = world()
    const scenario = scenarioOf(money, fake)
    const entry: Entry = {
      id,
      reference,
      kind,
      asked: money,
      scenario,
      state: waits ? "waiting" : "processing",
      // Only payins can bring less than asked for.
      moved: scenario === "other_amount" && kind === "payin" ? less(money) : money,
      takenBack: 0n,
      reason: null,
      createdAt: now(),
      of,
      kept
    }
    books.open(entry)
    if (!waits) start(entry)
    return entry
  }

  return {
    take,
    takeOnce: (order) => world().books.byReference(order.kind, order.reference) ?? take(order),
    callBack: (to, callback) =>
      void tasks.after(paces.pace, () => {
        const { end } = tasks.begin()
        delivered(callback(), to).catch(onError).finally(end)
      }),
    approve: (entry) => {
      if (entry.state === "waiting") start(entry)
    }
  }
}
