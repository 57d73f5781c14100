import { Data } from "effect"

/** The run could not be made, so there is no result. */
export class ChaosFailed extends Data.TaggedError("ChaosFailed")<{ readonly message: string }> {}
