/** Machines that fall asleep while they wait for somebody, past their leases and past the patience of others. */
import { Effect } from "effect"
import type { Machine } from "./Machine.ts"
import type { Outside } from "./Outside.ts"

const SECOND = 1000

/** At times, in runs that are about it. It begins while the call is on its way, so that the answer waits for the machine. */
export const nap = (outside: Outside, machine: Machine | undefined, purpose: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const { chance, focus, time } = outside
    if (focus.naps === undefined || machine === undefined || machine.name === "elsewhere") return
    if (!purpose.includes(focus.napsIn ?? "") || outside.naps >= (focus.mostNaps ?? Infinity)) return
    if (!outside.strikes(focus.naps, "falls asleep while it waits", purpose)) return
    const seconds = chance.pick(focus.napSeconds ?? [25, 62, 130], `${purpose} nap`)
    outside.hasSlept = true
    outside.naps += 1
    time.after(1, () => {
      outside.tell(`${machine.name} falls asleep for ${seconds} s while it waits`)
      machine.sleepsUntil = time.now + seconds * SECOND
      time.after(seconds * SECOND, () => outside.tell(`${machine.name} wakes up`))
    })
  })
