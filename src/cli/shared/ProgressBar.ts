/** How far a long command is, drawn on standard error where a person watches, and nowhere else. */
import { Effect } from "effect"

const WIDTH = 30

export const drawProgress = (done: number, total: number): Effect.Effect<void> =>
  Effect.sync(() => {
    if (!process.stderr.isTTY) return
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const bar = "#".repeat(Math.round(share * WIDTH)).padEnd(WIDTH, ".")
    process.stderr.write(`\r[${bar}] ${done} of ${total}${done >= total ? "\n" : ""}`)
  })
