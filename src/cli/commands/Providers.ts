/** `corridor providers` */
import { Args, Command } from "@effect/cli"
import { Effect, Schema } from "effect"
import { ConfigId } from "../../domain/Identifiers.ts"
import { ProviderConfig } from "../../contract/api/ProviderConfigs.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import { idOrNil } from "../../domain/Ids.ts"
import { ProviderConfigs } from "../../providers/configs/ProviderConfigs.ts"
import { allPages } from "../shared/AllPages.ts"
import { refuse } from "../shared/Input.ts"
import { onApp } from "../shared/OnApp.ts"
import { permitFor } from "../shared/Operator.ts"
import { json } from "../shared/Report.ts"
import { table } from "../shared/Table.ts"

const isProviderName = Schema.is(ProviderName)
const encodeConfigs = Schema.encodeSync(Schema.Array(ProviderConfig))

const everyConfig = Effect.gen(function* () {
  const configs = yield* ProviderConfigs
  const permit = yield* permitFor("platform")
  return yield* allPages(
    (window) => configs.list(permit, {}, window),
    (config) => config.config_id
  )
})

const shown = (configs: ReadonlyArray<typeof ProviderConfig.Type>) => {
  const rows = configs.map((config) => [
    config.config_id,
    config.provider,
    `${config.country} ${config.payment_method} ${config.direction}`,
    String(config.priority),
    config.is_active ? "on" : "off",
    config.org_id ?? "everybody"
  ])
  const titles = ["CONFIG", "PROVIDER", "CORRIDOR", "PRIORITY", "STATE", "FOR"]
  return { data: encodeConfigs(configs), text: table(titles, rows, "No provider is configured for any corridor.") }
}

const list = Command.make("list", { json }, (input) => onApp(input.json, Effect.map(everyConfig, shown))).pipe(
  Command.withDescription("List which provider serves which corridor.")
)

const switchTo = Effect.fn("Cli.switchProvider")(function* (which: string, is_active: boolean) {
  const configs = yield* ProviderConfigs
  const permit = yield* permitFor("platform")
  const chosen = (yield* everyConfig).filter((config) =>
    isProviderName(which) ? config.provider === which : config.config_id === idOrNil(ConfigId)(which)
  )
  if (chosen.length === 0) {
    return yield* refuse(
      `${which} is no provider with a configuration and no configuration's id ("corridor providers list").`
    )
  }
  return shown(yield* Effect.forEach(chosen, (config) => configs.update(permit, config, { is_active })))
})

const which = Args.text({ name: "PROVIDER" }).pipe(
  Args.withDescription("A provider's name, for all its configurations, or the id of one.")
)

const enable = Command.make("enable", { which, json }, (input) => onApp(input.json, switchTo(input.which, true))).pipe(
  Command.withDescription("Let a provider be asked again.")
)

const disable = Command.make("disable", { which, json }, (input) =>
  onApp(input.json, switchTo(input.which, false))
).pipe(Command.withDescription("Stop asking a provider for new payments; those under way go on."))

export const providers = Command.make("providers").pipe(
  Command.withDescription("Which provider serves which corridor."),
  Command.withSubcommands([list, enable, disable])
)
