/** How the database failed an effect, by its typed failure or the error of a bare statement; "none" where it did not. */
import { Cause, Exit } from "effect"
import { failureOf } from "../../src/platform/database/DatabaseFailure.ts"

export const failureTag = <A, E>(exit: Exit.Exit<A, E>) =>
  Exit.isFailure(exit) ? failureOf(Cause.squash(exit.cause))?._tag : "none"
