/** What instances tell each other of the tokens that they have let through: nothing that outlives a crash, or a minute. */
import { Context, Schema } from "effect"
import type { Stored } from "../database/DatabaseFailure.ts"

export const ToldOf = Schema.Tuple(Schema.String, Schema.String, Schema.Number)
/** Of one limit, by its name: a key and how many tokens of it. */
export type ToldOf = typeof ToldOf.Type

/** The batches of an instance are numbered, and come one after the other. */
export interface Batch {
  readonly number: number
  readonly spent: ReadonlyArray<ToldOf>
}

export interface HeardBatch extends Batch {
  readonly instance: string
  readonly ageMillis: number
}

interface Store {
  /**
   * Writes down what this instance has spent, once however often it is told, and answers with what others have told of
   * in the last minute, except up to the batch of each that is known already; the oldest first.
   */
  readonly exchange: (
    instance: string,
    told: Batch | undefined,
    known: ReadonlyMap<string, number>
  ) => Stored<ReadonlyArray<HeardBatch>>
}

export class SpentStore extends Context.Tag("corridor/SpentStore")<SpentStore, Store>() {}
