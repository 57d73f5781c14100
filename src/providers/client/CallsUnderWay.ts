/** Room for the calls to one provider: so many at a time, a few more in a queue, and nobody in it for long. */
import { Duration, Effect } from "effect"
import { providerCallsUnderWay, providerCallsWaiting, providerQueuePatience } from "../../domain/Policies.ts"
import { NeverSent } from "./ProviderHttp.ts"

export interface Room {
  readonly underWay: number
  readonly waiting: number
  readonly patience: Duration.Duration
}

/** One for each provider, whichever account calls it. */
export interface CallsUnderWay {
  readonly within: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E | NeverSent>
}

const usual: Room = {
  underWay: providerCallsUnderWay,
  waiting: providerCallsWaiting,
  patience: providerQueuePatience
}

export const makeCallsUnderWay = (room: Partial<Room> = {}): CallsUnderWay => {
  const { patience, underWay: most, waiting: longest } = { ...usual, ...room }
  const full = (reason: string) => new NeverSent({ reason })
  const noRoom = full(`${most} calls to it are under way and ${longest} more wait`)
  const noTurn = full(`no turn among the calls to it within ${Duration.format(patience)}`)
  const waiting = new Set<() => void>()
  let underWay = 0

  /** A place that is left goes straight to whoever has waited longest. */
  const leave = () => {
    const [next] = waiting
    if (next === undefined) underWay -= 1
    else next()
  }

  const enter = Effect.async<void, NeverSent>((resume) => {
    if (underWay < most) {
      underWay += 1
      resume(Effect.void)
      return Effect.sync(leave)
    }
    if (waiting.size >= longest) return resume(noRoom)
    const timer = setTimeout(() => {
      waiting.delete(take)
      resume(noTurn)
    }, Duration.toMillis(patience))
    const take = () => {
      clearTimeout(timer)
      waiting.delete(take)
      resume(Effect.void)
    }
    waiting.add(take)
    return Effect.sync(() => {
      clearTimeout(timer)
      // Whoever was given a place just as it was called away gives it back.
      if (!waiting.delete(take)) leave()
    })
  })

  return {
    within: (call) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(restore(enter), Effect.ensuring(restore(call), Effect.sync(leave)))
      )
  }
}
