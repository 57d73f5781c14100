/** How old rows are forgotten: from the oldest on, in small batches, and past those that have to stay. */
import { Effect } from "effect"
import { nilUuid } from "../domain/Ids.ts"
import { webhookForgetBatch } from "../domain/policies/Webhooks.ts"
import type { Stored } from "../platform/database/DatabaseFailure.ts"

/** When the last row that was looked at was written, and its id. */
export type Position = readonly [at: Date, id: string]

export interface Batch {
  readonly looked: number
  readonly forgotten: number
  /** None when there was nothing to look at. */
  readonly last: Position | null
}

const beginning: Position = [new Date(0), nilUuid]

/** The walk goes on where it was at the next call, so that rows that stay are not looked at again for every batch. */
export const forgetInTurn = (lookBehind: (position: Position) => Stored<Batch>): Stored<number> => {
  let position = beginning
  const forget: Stored<number> = Effect.suspend(() => lookBehind(position)).pipe(
    Effect.flatMap(({ forgotten, last, looked }) => {
      const isOver = last === null || looked < webhookForgetBatch
      position = isOver ? beginning : last
      return isOver || forgotten > 0 ? Effect.succeed(forgotten) : forget
    })
  )
  return forget
}
