/** `corridor migrate` */
import { Effect, Layer } from "effect"
import { DatabaseConnectionLive, ObservabilityLive } from "../../app/Graph.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { migrate } from "../../platform/database/Migrations.ts"
import { recordServer } from "../../platform/database/DatabaseServer.ts"
import { report } from "../shared/CommandResult.ts"
import { showElapsed } from "../shared/Terminal.ts"

const apply = Effect.map(migrate, (applied) => ({
  data: applied.map(([migration_id, name]) => ({ migration_id, name })),
  text:
    applied.length === 0
      ? "The schema is up to date."
      : `Applied: ${applied.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`).join(", ")}.`
}))

const DatabaseOnly = DatabaseConnectionLive.pipe(Layer.provide(ObservabilityLive), Layer.provide(Settings.layer))

interface Input {
  readonly acceptServer: boolean
  readonly json: boolean
}

export const bringUpToDate = ({ acceptServer, json }: Input) => {
  const applied = acceptServer ? Effect.zipLeft(apply, recordServer) : apply
  return report(json, showElapsed("Bringing the schema up to date")(applied)).pipe(Effect.provide(DatabaseOnly))
}
