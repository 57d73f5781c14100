/**
 * Tables that lie in a part for each month. Parts are made before their month begins; once what they hold is to be kept no
 * longer they leave their table (`Leaving.ts`), and what has left is written to a file before it is dropped.
 */
import { Context } from "effect"
import type { Stored } from "../database/DatabaseFailure.ts"

export class Months extends Context.Tag("corridor/Months")<
  Months,
  {
    /** Those of the months to come; what has waited for one in the default part moves into it. Answers with their names. */
    readonly makeAhead: Stored<ReadonlyArray<string>>
    /** Puts away what has left its table, also what a killed process had left. Answers with the names of what is gone. */
    readonly putAway: Stored<ReadonlyArray<string>>
  }
>() {}
