/** What a fake has under way: it is known when nothing is left of it, and all of it ends with the fake. */
import { Duration, Effect } from "effect"

export interface Chores {
  /** Counts a piece of work until its end is told; `settled` waits for it. */
  readonly begin: () => { readonly end: () => void }
  /** A piece of work for later, and how to leave it undone. It does not keep the process alive. */
  readonly after: (delay: Duration.Duration, run: () => void) => () => void
  readonly sleep: (delay: Duration.Duration) => Promise<void>
  /** Waits until there is nothing left, or the fake has ended. */
  readonly settled: Effect.Effect<void>
  /** What is to end with the fake, unless it ends before and says so. */
  readonly untilStopped: (cut: () => void) => { readonly over: () => void }
  readonly isStopped: () => boolean
  readonly stop: () => void
}

export const makeChores = (): Chores => {
  const timers = new Set<NodeJS.Timeout>()
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
        if (left === 0) for (const tell of [...waiting]) tell()
      }
    }
  }

  const after = (delay: Duration.Duration, run: () => void) => {
    if (isStopped) return () => undefined
    const { end } = begin()
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
      end()
    }, Duration.toMillis(delay))
    timer.unref()
    timers.add(timer)
    return () => {
      clearTimeout(timer)
      timers.delete(timer)
      end()
    }
  }

  return {
    begin,
    after,
    sleep: (delay) => new Promise((resolve) => after(delay, resolve)),
    settled: Effect.async<void>((resume) => {
      if (left === 0 || isStopped) return resume(Effect.void)
      const tell = () => {
        waiting.delete(tell)
        resume(Effect.void)
      }
      waiting.add(tell)
      return Effect.sync(() => waiting.delete(tell))
    }),
    untilStopped: (cut) => {
      cuts.add(cut)
      return { over: () => void cuts.delete(cut) }
    },
    isStopped: () => isStopped,
    stop: () => {
      isStopped = true
      for (const cut of [...cuts]) cut()
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
      for (const tell of [...waiting]) tell()
    }
  }
}
