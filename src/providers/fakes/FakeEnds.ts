/** Brings what a fake took to the end that its amount has in store, and tells of it. */
import type { Duration } from "effect"
import { Money } from "../../domain/Money.ts"
import type { Chores } from "./Chores.ts"
import type { Fake, FakeCallback, FakeWorld } from "./Fake.ts"
import type { Entry } from "./FakeBooks.ts"
import { byHandOf, disputesOf, takenBackBy } from "./FakeDisputes.ts"
import { deliver } from "./FakePost.ts"
import { type Fate, fateOf } from "./Magic.ts"

export interface Paces {
  readonly pace: Duration.Duration
  readonly late: Duration.Duration
}

/** By a tenth: amounts with these digits are never below 14. */
const less = ({ currency, minor }: Money): Money => new Money({ currency, minor: minor - minor / 10n })

const failures: ReadonlySet<Fate> = new Set(["fails_later", "declined_instrument", "declined_provider"])

const beginningOf = (entry: Entry): Entry => ({ ...entry, state: "processing" })

/** Where the caller named an address in its order, the fake keeps it with the entry. */
const addressOf = ({ kept }: Entry, world: FakeWorld): string =>
  typeof kept["callbackUrl"] === "string" ? kept["callbackUrl"] : world.callbackUrl

export const makeEnds = (
  { callbackOf, disputes, name, refundedByHand }: Pick<Fake, "callbackOf" | "disputes" | "name" | "refundedByHand">,
  paces: Paces,
  chores: Chores,
  onError: (error: unknown) => void,
  world: () => FakeWorld
): Pick<FakeWorld, "approve" | "take"> => {
  const callbacksOf = (entry: Entry): ReadonlyArray<FakeCallback> => {
    const last = callbackOf(entry, world())
    if (last === undefined) return []
    if (entry.fate === "twice") return [last, last]
    const first = entry.fate === "reordered" ? callbackOf(beginningOf(entry), world()) : undefined
    return first === undefined ? [last] : [last, first]
  }

  const send = async (callbacks: ReadonlyArray<FakeCallback>, entry: Entry): Promise<void> => {
    for (const callback of callbacks) await deliver(callback, addressOf(entry, world()), paces.pace, chores)
  }

  const tell = async (entry: Entry): Promise<void> => {
    const { end } = chores.begin()
    try {
      await send(callbacksOf(entry), entry)
      const byHand = byHandOf(entry)
      if (refundedByHand !== undefined && byHand !== undefined) {
        await chores.sleep(paces.pace)
        entry.takenBack = byHand.minor
        await send([refundedByHand(entry, byHand, world())], entry)
      }
      if (disputes === undefined) return
      for (const dispute of disputesOf(entry)) {
        await chores.sleep(paces.pace)
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
    // Whatever else became of it meanwhile, by its own routes, stands.
    if (entry.state === "processing") {
      const fails = failures.has(entry.fate)
      entry.state = fails ? "failed" : "completed"
      if (fails) entry.reason = "It failed, as its amount asks for."
    }
    void tell(entry)
  }

  const start = (entry: Entry): void => {
    entry.state = "processing"
    if (entry.fate === "silent") return
    chores.after(entry.fate === "late" ? paces.late : paces.pace, () => finish(entry))
  }

  return {
    take: ({ id, kept = {}, kind, money, of = null, reference, waits = false }) => {
      const { books, now } = world()
      const fate = fateOf(money, name)
      const opened = books.open({
        id,
        reference,
        kind,
        asked: money,
        fate,
        state: waits ? "waiting" : "processing",
        // Customers may pay less than they were asked for; who pays out pays what it was told to.
        moved: fate === "other_amount" && kind === "payin" ? less(money) : money,
        takenBack: 0n,
        reason: null,
        createdAt: now(),
        of,
        kept
      })
      if (opened.isNew && !waits) start(opened.entry)
      return opened.entry
    },
    approve: (entry) => {
      if (entry.state === "waiting") start(entry)
    }
  }
}
