/** Which configurations an operator means by a provider's name or by an id. */
import { Array as Arr, Effect, Schema } from "effect"
import { ConfigId, idOrNil } from "../../domain/Ids.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import { ProviderConfigs } from "../../providers/configs/ProviderConfigs.ts"
import { allPages, permitFor } from "./LocalDatabase.ts"
import { refuse } from "./CommandInput.ts"

export const isProviderName = Schema.is(ProviderName)

export const everyConfig = Effect.gen(function* () {
  const configs = yield* ProviderConfigs
  const permit = yield* permitFor("platform")
  return yield* allPages(
    (window) => configs.list(permit, {}, window),
    (config) => config.config_id
  )
})

/** `config`: by the id of one alone. */
export const namedBy = Effect.fn("Cli.providersNamed")(function* (which: string, kind: "any" | "config") {
  const chosen = (yield* everyConfig).filter((config) =>
    kind === "any" && isProviderName(which) ? config.provider === which : config.config_id === idOrNil(ConfigId)(which)
  )
  if (Arr.isNonEmptyReadonlyArray(chosen)) return chosen
  return yield* refuse(
    kind === "any"
      ? `${which} is no provider with a configuration and no configuration's id ("corridor providers list").`
      : `${which} is no configuration's id ("corridor providers list" shows them).`
  )
})
