/** What a service in live mode still lacks to take a payment; a sandbox has it all built in. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Option, Schema } from "effect"
import { rowsAs, theRowAs } from "../../platform/database/Rows.ts"
import type { Settings } from "../../platform/config/Settings.ts"
import { tableExists } from "../../platform/database/Tables.ts"
import { builtInRails } from "../../domain/Corridor.ts"
import { liveRateMaxAge } from "../../domain/Policies.ts"
import { type Check, fail, ok, warn } from "./Check.ts"

const names = rowsAs(Schema.Struct({ provider: Schema.String }))
const counted = theRowAs(Schema.Struct({ known: Schema.Number, usable: Schema.Number }))

type Values = Settings["Type"]

const LOOPBACK = /^(localhost|127\..*|\[::1\])$/

export const publicAddress = ({ publicUrl }: Values): Check => {
  const { hostname, protocol } = new URL(publicUrl)
  if (LOOPBACK.test(hostname)) {
    return fail("Public address", `${publicUrl} cannot be reached by providers and payers: set PUBLIC_URL.`)
  }
  return protocol === "https:"
    ? ok("Public address", publicUrl)
    : fail("Public address", `${publicUrl} is not encrypted: set PUBLIC_URL to an https:// address.`)
}

export const identityProvider = ({ jwt }: Values): Check => {
  const keys = Option.orElse(jwt.jwksUrl, () => jwt.jwksFile)
  return Option.match(keys, {
    onNone: () =>
      warn("Identity provider", "no user can sign in, only API keys work: set JWT_JWKS_URL or JWT_JWKS_FILE."),
    onSome: (from) => ok("Identity provider", `keys from ${from}`)
  })
}

export const providers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = (yield* tableExists("provider_configs"))
    ? yield* sql`select distinct provider from provider_configs
        where is_active and not (${sql.in("provider", builtInRails)}) order by provider`.pipe(Effect.flatMap(names))
    : []
  return rows.length === 0
    ? fail(
        "Providers",
        "none is configured, so no payment can be routed: add one with POST /v1/payments/provider-configs."
      )
    : ok("Providers", rows.map(({ provider }) => provider).join(", "))
})

export const rates = ({ rateMaxAge }: Values) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const oldest = Duration.toSeconds(Option.getOrElse(rateMaxAge, () => liveRateMaxAge))
    const { known, usable } = (yield* tableExists("rates"))
      ? yield* sql`select count(*)::int as known,
          count(*) filter (where updated_at >= now() - make_interval(secs => ${oldest}))::int as usable from rates`.pipe(
          Effect.flatMap(counted)
        )
      : { known: 0, usable: 0 }
    if (known === 0) return warn("Rates", 'none, so only one currency at a time: "corridor rates set" sets them.')
    return usable === known
      ? ok("Rates", `${known}, none too old`)
      : warn("Rates", `${known - usable} of ${known} are too old to be served: set them again, or see RATE_MAX_AGE.`)
  })
