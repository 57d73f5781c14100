/** What `/readyz` says: that the instance can work, or each reason why not. */
import { Effect, Option, Schema } from "effect"
import { Workers } from "../fibers/Workers.ts"
import { Vault } from "../secrets/Vault.ts"
import { json } from "./Outgoing.ts"

/** What a database that can be worked with tells of itself. */
export const DatabaseFacts = Schema.Struct({
  /** The same for every instance on one database; nothing in memory. */
  database_id: Schema.NullOr(Schema.String),
  /** The master key that its secrets are sealed under. */
  key_id: Schema.NullOr(Schema.String)
})
export type DatabaseFacts = typeof DatabaseFacts.Type

const problemsOf = (
  facts: Option.Option<DatabaseFacts>,
  keyId: string,
  down: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const ofDatabase = Option.match(facts, {
    onNone: () => ["The database cannot be worked with."],
    onSome: ({ key_id }) =>
      key_id === null || key_id === keyId
        ? []
        : ["The secrets have been moved to another master key: restart with it in CORRIDOR_MASTER_KEY."]
  })
  return [...ofDatabase, ...down.map((name) => `The worker "${name}" keeps failing.`)]
}

/** The key is the one that this process started with, whenever the first probe comes. */
export const readyAnswer = (check: Effect.Effect<Option.Option<DatabaseFacts>>) =>
  Effect.map(Effect.all([Vault, Workers]), ([vault, workers]) =>
    Effect.gen(function* () {
      const facts = yield* check
      const problems = problemsOf(facts, vault.keyId, yield* workers.down)
      const database_id = Option.match(facts, { onNone: () => null, onSome: (known) => known.database_id })
      if (problems.length === 0) return json(200, { status: "ready", database_id })
      yield* Effect.logWarning(`Not ready: ${problems.join(" ")}`)
      return json(503, { status: "unavailable", database_id, problems })
    })
  )
