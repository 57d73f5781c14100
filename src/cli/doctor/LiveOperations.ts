/** What a service in live mode still lacks to be run by people: somebody who may act, mail, metrics, a database with backups. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import type { Settings } from "../../platform/config/Settings.ts"
import { theRowAs } from "../../platform/database/Rows.ts"
import { tableExists } from "../../platform/database/Tables.ts"
import { type Check, ok, warn } from "./Check.ts"

type Values = Settings["Type"]

export const mail = ({ smtpUrl }: Values): Check =>
  Option.isSome(smtpUrl)
    ? ok("Mail", "SMTP_URL is set")
    : warn("Mail", "invitations and verification requests cannot be sent: set SMTP_URL.")

export const metrics = ({ metricsPort }: Values): Check =>
  Option.match(metricsPort, {
    onNone: () => warn("Metrics", "nobody can watch the service, and no alert will come: set METRICS_PORT."),
    onSome: (port) => ok("Metrics", `on port ${port} and up, one for each process`)
  })

export const databaseOfItsOwn = ({ databaseUrl }: Values): Check =>
  Option.isSome(databaseUrl)
    ? ok("PostgreSQL", "one of your own")
    : warn(
        "PostgreSQL",
        'the embedded one has neither a replica nor backups of its own: set DATABASE_URL, or run "corridor backup" often.'
      )

const counted = theRowAs(Schema.Struct({ admins: Schema.Number, organizations: Schema.Number }))

export const people = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { admins, organizations } = (yield* tableExists("users"))
    ? yield* sql`select (select count(*)::int from users where is_admin) as admins,
        (select count(*)::int from organizations where not sandbox) as organizations`.pipe(Effect.flatMap(counted))
    : { admins: 0, organizations: 0 }
  if (admins === 0) {
    return warn(
      "People",
      'there is no platform admin, so nobody can settle, refund or freeze in their own name: "corridor users create --admin".'
    )
  }
  return organizations === 0
    ? warn("People", 'there is no live organisation yet: "corridor orgs create".')
    : ok("People", `${admins} platform admins, ${organizations} live organisations`)
})
