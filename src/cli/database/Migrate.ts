/** `corridor migrate` */
import { Effect, Layer } from "effect"
import { ConnectedLive, ObservabilityLive } from "../../app/Foundation.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { migrate } from "../../platform/database/Migrations.ts"
import { report } from "../shared/Report.ts"
import { working } from "../shared/Working.ts"

const apply = Effect.map(migrate, (applied) => ({
  data: applied.map(([migration_id, name]) => ({ migration_id, name })),
  text:
    applied.length === 0
      ? "The schema is up to date."
      : `Applied: ${applied.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`).join(", ")}.`
}))

const DatabaseOnly = ConnectedLive.pipe(Layer.provide(ObservabilityLive), Layer.provide(Settings.layer))

export const bringUpToDate = (input: { readonly json: boolean }) =>
  report(input.json, working("Bringing the schema up to date")(apply)).pipe(Effect.provide(DatabaseOnly))
