/** Runs a command on the database of this machine's settings. Its input is decoded before the database is opened. */
import { Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { type CommandResult, report, Streams } from "./Terminal.ts"
import { resolve } from "node:path"
import { DatabaseConnectionLive } from "../../app/Graph.ts"
import { firstHost } from "../../platform/config/DatabaseUrl.ts"
import { DatabaseServer } from "../../platform/database/DatabaseServer.ts"
import { hasCluster } from "../../platform/database/embedded/EmbeddedPostgres.ts"
import { MIGRATIONS_TABLE, requireUpgradable, migrations } from "../../platform/database/Migrations.ts"
import { tableExists, type Window } from "../../platform/database/Query.ts"
import { found, type JsonInput, refuse } from "./CommandInput.ts"
import { userInfo } from "node:os"
import { OrgId, UserId, idOrNil } from "../../domain/Ids.ts"
import { type Access, operatorPermit, type Permit } from "../../domain/Access.ts"
import { recordServicesOn } from "../../app/RecordServices.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { Users } from "../../people/users/Users.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** On a terminal only: scripts read the rest of standard error. */
export const printDatabase = Effect.gen(function* () {
  const { err, watched } = yield* Streams
  if (!watched) return
  const { dataDir, databaseUrl, mode } = yield* Settings
  const where = Option.match(databaseUrl, {
    onNone: () => `the embedded PostgreSQL in ${resolve(dataDir)}`,
    onSome: (url) => {
      const { host, pathname } = new URL(Redacted.value(url))
      return `${host}${pathname}, which DATABASE_URL names`
    }
  })
  err(`Database: ${where} (${mode}).\n`)
})

export const onDatabase =
  <A, LE>(Live: Layer.Layer<A | Settings, LE>) =>
  <Input extends JsonInput, E>(work: (input: Input) => Effect.Effect<CommandResult, E, A | Settings>) =>
  (input: Input) =>
    Effect.provide(Effect.zipRight(printDatabase, report(input.json, work(input))), Live)

/** A missing database is refused: a new, empty one in a mistyped folder would pass every check. */
const POINT =
  "Set DATA_DIR to the data folder of the server, or DATABASE_URL to its PostgreSQL, " +
  'or run this where the server was started; "corridor migrate" makes a new database.'

/** Looks into the folder only, so that no server is started in it. */
export const requireCluster = Effect.gen(function* () {
  const { dataDir, databaseUrl } = yield* Settings
  if (Option.isSome(databaseUrl) || (yield* hasCluster(dataDir))) return
  return yield* refuse(`There is no database in ${resolve(dataDir)} yet. ${POINT}`)
})

const requireTables = Effect.gen(function* () {
  if (yield* Effect.orDie(tableExists(MIGRATIONS_TABLE))) {
    return yield* Effect.catchTag(requireUpgradable(migrations), "SqlError", Effect.die)
  }
  const { embedded, url } = yield* DatabaseServer
  const { dataDir } = yield* Settings
  const { host, pathname } = firstHost(Redacted.value(url))
  const where = embedded ? resolve(dataDir) : `${host}${pathname}, which DATABASE_URL names,`
  return yield* refuse(`The database in ${where} has no tables of Corridor yet. ${POINT}`)
})

/** Connected to a database that some version of Corridor has used before. */
export const ExistingLive = Layer.unwrapEffect(
  Effect.as(requireCluster, Layer.effectDiscard(requireTables).pipe(Layer.provideMerge(DatabaseConnectionLive)))
)

/** The operating system's user name, for the audit log. A container may run under a number without a name. */
export const operatorName = Effect.try(() => userInfo().username).pipe(
  Effect.orElseSucceed(() => `uid ${process.getuid?.() ?? "unknown"}`)
)

export const permitFor = <A extends Access>(
  access: A,
  orgId: Option.Option<OrgId> = Option.none()
): Effect.Effect<Permit<A>> => Effect.map(operatorName, (name) => operatorPermit(access, name, orgId))

/** A whole list, page by page. */
const PAGE = 500

export const allPages = <Row extends { readonly created_at: Date }, E, R>(
  fetch: (window: Window) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  idOf: (row: Row) => string,
  after: Window["after"] = Option.none()
): Effect.Effect<ReadonlyArray<Row>, E, R> =>
  Effect.flatMap(fetch({ after, take: PAGE }), (rows) => {
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return Effect.succeed(rows)
    const position = [last.created_at.toISOString(), idOf(last)] as const
    return Effect.map(allPages(fetch, idOf, Option.some(position)), (rest) => [...rows, ...rest])
  })

export const onRecords = onDatabase(recordServicesOn(ExistingLive))

/** Finds an organisation or a user by what the operator typed. */
export const findOrganization = traced("Cli.organizationNamed")(function* (id: string) {
  const organizations = yield* Organizations
  return yield* found(
    yield* organizations.find(idOrNil(OrgId)(id)),
    `--org: there is no organisation with the id ${id} ("corridor orgs list" shows them).`
  )
})

/** A permit for the organisation that the operator typed, or for all of them. */
export const permitIn = <A extends Access>(access: A, org: Option.Option<string>) =>
  Effect.flatMap(Effect.transposeMapOption(org, findOrganization), (found) =>
    permitFor(
      access,
      Option.map(found, ({ org_id }) => org_id)
    )
  )

/** By id, or by e-mail address. */
export const findUser = traced("Cli.userNamed")(function* (idOrEmail: string) {
  const users = yield* Users
  return yield* found(
    yield* idOrEmail.includes("@") ? users.findByEmail(idOrEmail) : users.find(idOrNil(UserId)(idOrEmail)),
    `--user: there is no user with the id or e-mail address ${idOrEmail} ("corridor users list" shows them).`
  )
})
