/** Pending work of a fake. Callers can wait until none is left; stopping the fake ends all of it. */
import { type Duration, Effect, Fiber } from "effect"

export interface FakeTasks {
  /** Counts a piece of work until `end` is called; `settled` waits for it. */
  readonly begin: () => { readonly end: () => void }
  /** Schedules work by the clock of the fake; the result cancels it. */
  readonly after: (delay: Duration.Duration, run: () => void) => () => void
  readonly sleep: (delay: Duration.Duration) => Promise<void>
  /** Waits until there is nothing left, or the fake has ended. */
  readonly settled: Effect.Effect<void>
  /** Registers what has to end with the fake; `over` removes it again. */
  readonly untilStopped: (cut: () => void) => { readonly over: () => void }
  readonly isStopped: () => boolean
  readonly stop: () => void
}

export const makeFakeTasks = (runFork: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>): FakeTasks => {
  const waiting = new Set<() => void>()
  const cuts = new Set<() => void>()
  let isStopped = false
  let left = 0

  const begin = () => {
    left += 1
    let isOver = false
    return {
      end: () => {
        if (isOver) return
        isOver = true
        left -= 1
        if (left === 0) for (const wake of [...waiting]) wake()
      }
    }
  }

  const untilStopped = (cut: () => void) => {
    cuts.add(cut)
    return { over: () => void cuts.delete(cut) }
  }

  const after = (delay: Duration.Duration, run: () => void) => {
    if (isStopped) return () => undefined
    const { end } = begin()
    const fiber = runFork(Effect.delay(Effect.sync(run), delay))
    const leave = () => void runFork(Fiber.interruptFork(fiber))
    const { over } = untilStopped(leave)
    fiber.addObserver(() => {
      over()
      end()
    })
    return leave
  }

  return {
    begin,
    after,
    sleep: (delay) => new Promise((resolve) => after(delay, resolve)),
    settled: Effect.async<void>((resume) => {
      if (left === 0 || isStopped) return resume(Effect.void)
      const wake = () => {
        waiting.delete(wake)
        resume(Effect.void)
      }
      waiting.add(wake)
      return Effect.sync(() => waiting.delete(wake))
    }),
    untilStopped,
    isStopped: () => isStopped,
    stop: () => {
      isStopped = true
      for (const cut of [...cuts]) cut()
      for (const wake of [...waiting]) wake()
    }
  }
}
