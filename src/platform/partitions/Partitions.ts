/**
 * Tables that lie in a part for each month. Parts are made before their month begins; once what they hold is to be kept no
 * longer they leave their table (`Leaving.ts`), and what has left is written to a file before it is dropped.
 */
import { Context, Effect, Layer } from "effect"
import type { Stored } from "../database/DatabaseFailure.ts"

export class Partitions extends Context.Tag("corridor/Partitions")<
  Partitions,
  {
    /** Those of the months to come; what has waited for one in the default part moves into it. Answers with their names. */
    readonly createAhead: Stored<ReadonlyArray<string>>
    /** Puts away what has left its table, also what a killed process had left. Answers with the names of what is gone. */
    readonly archiveDetached: Stored<ReadonlyArray<string>>
  }
>() {}

/** In memory there are rows only. */
export const partitionsMemory = Layer.succeed(Partitions, {
  createAhead: Effect.succeed([]),
  archiveDetached: Effect.succeed([])
})
