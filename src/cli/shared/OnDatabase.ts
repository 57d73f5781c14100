/**
 * Runs the part of a command that needs some of the service: connected to a database that is there, migrated, with the
 * master key in force. What was typed is checked before: a typing error must not cost the start of a database.
 */
import { Effect, type Layer } from "effect"
import type { Settings } from "../../platform/config/Settings.ts"
import { type Outcome, report } from "./Report.ts"
import { tellDatabase } from "./ToldTarget.ts"

export const onDatabase =
  <A, LE>(Live: Layer.Layer<A | Settings, LE>) =>
  <E>(asJson: boolean, work: Effect.Effect<Outcome, E, A | Settings>) =>
    Effect.provide(Effect.zipRight(tellDatabase, report(asJson, work)), Live)
