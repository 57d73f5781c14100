/** In memory every report counts anew. */
import { Effect, Layer } from "effect"
import { ClosedDays } from "./ClosedDays.ts"

export const closedDaysMemory = Layer.succeed(ClosedDays, { closeAll: Effect.succeed(0) })
