/**
 * The graph of layers: services on stores, on a foundation, on settings. Server, commands, tests and simulation differ
 * only in the parts they pass.
 */
import { Layer, Effect } from "effect"
import { Settings, logLevels } from "../platform/config/Settings.ts"
import { Ids } from "../domain/Ids.ts"
import { DatabaseLive } from "../platform/database/Database.ts"
import { DatabaseServer, guardServer } from "../platform/database/DatabaseServer.ts"
import { migrate } from "../platform/database/Migrations.ts"
import { logging } from "../platform/observability/Logging.ts"
import { tracing } from "../platform/observability/Tracing.ts"
import { currentMasterKey, guardMasterKey } from "../platform/masterKey/MasterKeyGuard.ts"
import { Vault } from "../platform/secrets/Vault.ts"

/** Logging, tracing, the migrated database and the vault: the layers below all stores. */
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

const foundationOn = <E>(Connected: DatabaseLayer<E>) =>
  VaultLive.pipe(Layer.provideMerge(Connected), Layer.provideMerge(Ids.layer), Layer.provideMerge(ObservabilityLive))

interface Parts<S, SE, SR, T, TE, TR, C, CE, CR> {
  readonly services: Layer.Layer<S, SE, SR>
  /** On PostgreSQL or in memory. */
  readonly stores: Layer.Layer<T, TE, TR>
  readonly settings: Layer.Layer<C, CE, CR>
}

/**
 * Exposes stores, foundation and settings too. The foundation is vault and ids; for stores on PostgreSQL also the
 * connection.
 */
export const graphOf = <S, SE, SR, T, TE, TR, F, FE, FR, C, CE, CR>({
  foundation,
  services,
  settings,
  stores
}: Parts<S, SE, SR, T, TE, TR, C, CE, CR> & { readonly foundation: Layer.Layer<F, FE, FR> }) =>
  services.pipe(Layer.provideMerge(stores), Layer.provideMerge(foundation), Layer.provideMerge(settings))

/** The graph on a PostgreSQL database, with the settings of the environment. */
export const graphOn = <S, SE, SR, T, TE, TR, C, CE, CR, E>(
  Connected: DatabaseLayer<E>,
  { settings, ...parts }: Parts<S, SE, SR, T, TE, TR, C, CE, CR>
) => graphOf({ ...parts, foundation: foundationOn(Connected), settings: Layer.provideMerge(settings, Settings.layer) })
