/**
 * Tables with a partition for each month. Partitions are created before their month begins. Once past their retention
 * they are detached (`DetachOld.ts`), archived to a file and dropped.
 */
import { Context, Effect, Layer } from "effect"
import type { Stored } from "../database/DatabaseFailure.ts"

export class Partitions extends Context.Tag("corridor/Partitions")<
  Partitions,
  {
    /**
     * Creates the partitions of the coming months and moves rows from the default partition into them. Returns their
     * names.
     */
    readonly createAhead: Stored<ReadonlyArray<string>>
    /** Archives and drops detached partitions, also those of a killed process. Returns their names. */
    readonly archiveDetached: Stored<ReadonlyArray<string>>
  }
>() {}

/** Memory tables have no partitions. */
export const partitionsMemory = Layer.succeed(Partitions, {
  createAhead: Effect.succeed([]),
  archiveDetached: Effect.succeed([])
})
