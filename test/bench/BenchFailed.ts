import { Data } from "effect"

/** The measurement is invalid, so there is no result. */
export class BenchFailed extends Data.TaggedError("BenchFailed")<{ readonly message: string }> {}
