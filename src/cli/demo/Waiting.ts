/** What the demo waits for, on standard error where a person watches, and nowhere else. */
import { Clock, Effect } from "effect"
import { Streams } from "../shared/Streams.ts"

const WHEEL = ["|", "/", "-", "\\"] as const
const TURN_MILLIS = 150

/** Nothing to wait for: the line is wiped. */
export const drawWaiting = (what: string): Effect.Effect<void> =>
  Effect.zipWith(Clock.currentTimeMillis, Streams, (now, { err, watched }) => {
    if (!watched) return
    const spoke = WHEEL[Math.floor(now / TURN_MILLIS) % WHEEL.length]
    err(what === "" ? "\r\u001b[K" : `\r\u001b[K${spoke} waiting for ${what}`)
  })
