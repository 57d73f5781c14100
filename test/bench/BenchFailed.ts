import { Data } from "effect"

/** What was measured is not what should be: there is no result. */
export class BenchFailed extends Data.TaggedError("BenchFailed")<{ readonly message: string }> {}
