/** Runs the part of a command that needs the service: connected to a database that is there, migrated, with the master key in force. */
import type { Layer } from "effect"
import { Effect } from "effect"
import { type AppLive, appOn } from "../../app/Live.ts"
import { ExistingLive } from "./ExistingDatabase.ts"
import { type Outcome, report } from "./Report.ts"
import { tellDatabase } from "./ToldTarget.ts"

const ExistingAppLive = appOn(ExistingLive)

/** What was typed is checked before: a typing error must not cost the start of a database. */
export const onApp = <E>(asJson: boolean, work: Effect.Effect<Outcome, E, Layer.Layer.Success<typeof AppLive>>) =>
  Effect.provide(Effect.zipRight(tellDatabase, report(asJson, work)), ExistingAppLive)
