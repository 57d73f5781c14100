import { Data } from "effect"

/** The run could not be made: there is nothing to judge. */
export class ChaosFailed extends Data.TaggedError("ChaosFailed")<{ readonly message: string }> {}
