/** In memory there are rows only. */
import { Effect, Layer } from "effect"
import { Months } from "./Months.ts"

export const monthsMemory = Layer.succeed(Months, { makeAhead: Effect.succeed([]), putAway: Effect.succeed([]) })
