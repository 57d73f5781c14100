/** Logging, tracing, the migrated database and the vault: the layers below all stores. */
import { Effect, Layer } from "effect"
import { Ids } from "../domain/Ids.ts"
import { logLevels, Settings } from "../platform/config/Settings.ts"
import { DatabaseLive } from "../platform/database/Database.ts"
import { DatabaseServer, guardServer } from "../platform/database/DatabaseServer.ts"
import { migrate } from "../platform/database/Migrations.ts"
import { logging } from "../platform/observability/Logging.ts"
import { tracing } from "../platform/observability/Tracing.ts"
import { currentMasterKey, guardMasterKey } from "../platform/masterKey/MasterKeyGuard.ts"
import { Vault } from "../platform/secrets/Vault.ts"

export const LoggingLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ logFormat, logLevel }) => logging({ level: logLevels[logLevel], format: logFormat }))
)

const TracingLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ otlpEndpoint, version }) =>
    tracing({ endpoint: otlpEndpoint, version, instance: `${process.pid}` })
  )
)

export const ObservabilityLive = Layer.merge(LoggingLive, TracingLive)

/** Connected, perhaps not migrated. */
export const DatabaseConnectionLive = DatabaseLive.pipe(Layer.provideMerge(DatabaseServer.layer))

/** A connected database: the configured one, or one that a test or command provides. */
export type DatabaseLayer<E> = Layer.Layer<
  Layer.Layer.Success<typeof DatabaseConnectionLive>,
  E,
  Layer.Layer.Context<typeof DatabaseConnectionLive>
>

/** Migrates the database and checks the master key, then opens the vault. */
const VaultLive = Layer.unwrapEffect(
  Effect.gen(function* () {
    yield* migrate
    yield* guardServer
    const masterKey = yield* currentMasterKey
    yield* guardMasterKey(masterKey)
    return Vault.layer(masterKey)
  })
)

export const foundationOn = <E>(Connected: DatabaseLayer<E>) =>
  VaultLive.pipe(Layer.provideMerge(Connected), Layer.provideMerge(Ids.layer), Layer.provideMerge(ObservabilityLive))
