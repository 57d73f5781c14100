/** Runs the part of a command that needs the service's records and no more of it, as `OnApp.ts` does with the whole. */
import { Effect, type Layer } from "effect"
import { recordsOn } from "../../app/Records.ts"
import { ExistingLive } from "./ExistingDatabase.ts"
import { type Outcome, report } from "./Report.ts"
import { tellDatabase } from "./ToldTarget.ts"

const ExistingRecordsLive = recordsOn(ExistingLive)

export const onRecords = <E>(
  asJson: boolean,
  work: Effect.Effect<Outcome, E, Layer.Layer.Success<typeof ExistingRecordsLive>>
) => Effect.provide(Effect.zipRight(tellDatabase, report(asJson, work)), ExistingRecordsLive)
