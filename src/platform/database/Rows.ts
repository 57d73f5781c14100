/**
 * The one way in which rows become what the code works with: through a schema that is compiled once. What the schema
 * does not expect is a defect that names the column, and not a strange payment later.
 */
import { compileDecoder } from "../../domain/CompiledSchema.ts"
import { Data, Effect, Either, Option, ParseResult, Schema } from "effect"

export class UnexpectedRow extends Data.TaggedError("UnexpectedRow")<{ readonly message: string }> {}

/** For `Effect.flatMap` after a statement that gives rows. */
export const rowsAs = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = compileDecoder(Schema.Array(schema))
  return (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<A>> =>
    Either.match(decode(rows), {
      onLeft: (issue) => Effect.die(new UnexpectedRow({ message: ParseResult.TreeFormatter.formatIssueSync(issue) })),
      onRight: Effect.succeed
    })
}

/** The same for a statement that gives one row, or none. */
export const rowAs = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = rowsAs(schema)
  return (rows: ReadonlyArray<unknown>): Effect.Effect<Option.Option<A>> =>
    Effect.map(decode(rows), ([first]) => Option.fromNullable(first))
}

/** And for one that always gives a row: none is a defect like any other. */
export const theRowAs = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = rowsAs(schema)
  return (rows: ReadonlyArray<unknown>): Effect.Effect<A> =>
    Effect.flatMap(decode(rows), ([first]) =>
      first === undefined
        ? Effect.die(new UnexpectedRow({ message: "Expected a row, there is none" }))
        : Effect.succeed(first)
    )
}
