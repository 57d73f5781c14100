/** How far a long command is, drawn on standard error where a person watches, and nowhere else. */
import { Effect } from "effect"
import { Streams } from "./Streams.ts"

const WIDTH = 30

export const drawProgress = (done: number, total: number): Effect.Effect<void> =>
  Effect.map(Streams, ({ err, watched }) => {
    if (!watched) return
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const bar = "#".repeat(Math.round(share * WIDTH)).padEnd(WIDTH, ".")
    err(`\r[${bar}] ${done} of ${total}${done >= total ? "\n" : ""}`)
  })
