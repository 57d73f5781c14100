/** Tag of the database failure of an exit; "none" for a success. */
import { Cause, Exit } from "effect"
import { failureOf } from "../../src/platform/database/DatabaseFailure.ts"

export const failureTag = <A, E>(exit: Exit.Exit<A, E>) =>
  Exit.isFailure(exit) ? failureOf(Cause.squash(exit.cause))?._tag : "none"
