/** Real time in which nothing takes long: hours between two things become fractions of a second. */
import { Clock, Duration, Effect, Schedule } from "effect"
import type { Time } from "../world/Time.ts"

const TIMES = 40
const LONGEST = 120

const short = (millis: number): number => Math.min(Math.max(0, millis) / TIMES, LONGEST)

/** Stands in for the virtual time of a world. */
export class CompressedTime implements Pick<Time, "now" | "at" | "after"> {
  /** What is planned and has not happened. */
  planned = 0

  get now(): number {
    return Date.now()
  }

  at(moment: number, happen: () => void): () => void {
    return this.after(moment - this.now, happen)
  }

  after(millis: number, happen: () => void): () => void {
    this.planned += 1
    let isOver = false
    const end = () => {
      if (!isOver) this.planned -= 1
      isOver = true
    }
    const timer = setTimeout(() => {
      happen()
      end()
    }, short(millis))
    return () => {
      clearTimeout(timer)
      end()
    }
  }

  /** For whoever acts from outside. */
  readonly clock: Clock.Clock = {
    ...Clock.make(),
    sleep: (duration) => Clock.make().sleep(Duration.millis(short(Duration.toMillis(duration))))
  }
}

export const waitFor = <R>(isDone: Effect.Effect<boolean, never, R>): Effect.Effect<void, never, R> =>
  Effect.asVoid(Effect.repeat(isDone, { until: (done) => done, schedule: Schedule.spaced("40 millis") }))
