/** The live layers that the server and the CLI share: settings, logs, the database brought up to date, the vault. */
import { Effect, Layer } from "effect"
import { logLevels, Settings } from "../platform/config/Settings.ts"
import { DatabaseLive } from "../platform/database/Database.ts"
import { DatabaseServer } from "../platform/database/DatabaseServer.ts"
import { layerInTurn } from "../platform/fibers/LayerInTurn.ts"
import { migrate } from "../platform/database/Migrations.ts"
import { Ids } from "../domain/Ids.ts"
import { logging } from "../platform/observability/Logging.ts"
import { tracing } from "../platform/observability/Tracing.ts"
import { currentMasterKey, guardMasterKey } from "../platform/secrets/MasterKeyGuard.ts"
import { Vault } from "../platform/secrets/Vault.ts"
import { ProviderSettingsLive } from "./sandbox/Fakes.ts"
import { ServicesLive } from "./Services.ts"
import { StoresLive } from "./Stores.ts"

export const LoggingLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ logFormat, logLevel }) => logging({ level: logLevels[logLevel], format: logFormat }))
)

const TracingLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ otlpEndpoint, version }) =>
    tracing({ endpoint: otlpEndpoint, version, instance: `${process.pid}` })
  )
)

export const ObservabilityLive = Layer.merge(LoggingLive, TracingLive)

/** Connected, but perhaps not migrated. */
export const ConnectedLive = DatabaseLive.pipe(Layer.provideMerge(DatabaseServer.layer))

/** The vault of a migrated database whose master key is the one in force. */
const VaultLive = Layer.unwrapEffect(
  Effect.gen(function* () {
    yield* migrate
    const masterKey = yield* currentMasterKey
    yield* guardMasterKey(masterKey)
    return Vault.layer(masterKey)
  })
)

/** Everything, on a database that is reached in the given way. */
export const appOn = <E>(
  Connected: Layer.Layer<Layer.Layer.Success<typeof ConnectedLive>, E, Layer.Layer.Context<typeof ConnectedLive>>
) =>
  layerInTurn(
    ServicesLive.pipe(
      Layer.provideMerge(StoresLive),
      Layer.provideMerge(VaultLive),
      Layer.provideMerge(Connected),
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(ObservabilityLive),
      Layer.provideMerge(ProviderSettingsLive),
      Layer.provideMerge(Settings.layer)
    )
  )

export const AppLive = appOn(ConnectedLive)
