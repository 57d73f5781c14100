/** `corridor providers` beside the database. */
import { Effect, Option, Schema } from "effect"
import { type CreateProviderConfig, ProviderConfig } from "../../contract/api/ProviderConfigs.ts"
import { isBuiltInRail } from "../../domain/Corridor.ts"
import { type Mode, Settings } from "../../platform/config/Settings.ts"
import { Analytics } from "../../payments/analytics/Analytics.ts"
import { ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { thirdPartyNamed } from "../../providers/accounts/ThirdParties.ts"
import { ProviderConfigs } from "../../providers/configs/ProviderConfigs.ts"
import { onProviderRecords } from "../shared/OnProviderRecords.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { type TypedConfig, wantedConfig } from "../shared/ProviderInput.ts"
import { everyConfig, namedBy } from "../shared/ProviderLookUp.ts"
import { framed } from "../shared/Table.ts"
import { configTable } from "../shown/Providers.ts"

type Config = typeof ProviderConfig.Type

const encodeConfig = Schema.encodeSync(ProviderConfig)

const accountWords = {
  built_in: "built in",
  own: "own",
  own_untested: "own, not tested: not in use",
  platform: "platform",
  none: "no credentials"
} as const

/** What would let it be asked: the settings that its account needs, or in the sandbox its fake. */
const remedyFor = ({ provider }: Config, mode: Mode): string => {
  const fields = Object.values(thirdPartyNamed(provider)?.fields ?? {})
  const needed = fields.filter(({ optional }) => optional !== true).map(({ env }) => env)
  return [needed.join(" and "), ...(mode === "sandbox" ? ["CORRIDOR_FAKES=1"] : [])].join(", or ")
}

/** Whose account at the provider its payments go through. */
const accountOf = (config: Config, { parties }: ProviderSettings["Type"]): keyof typeof accountWords => {
  if (isBuiltInRail(config.provider)) return "built_in"
  if (config.has_credentials) return config.credentials_tested_at === null ? "own_untested" : "own"
  return Option.isSome(parties.get(config.provider)?.platform ?? Option.none()) ? "platform" : "none"
}

const wordsFor = (config: Config, settings: ProviderSettings["Type"], mode: Mode): string => {
  const account = accountOf(config, settings)
  return account === "none" ? `${accountWords.none}: set ${remedyFor(config, mode)}` : accountWords[account]
}

/** Of all that each was asked for in the last hour: `12 accepted, 1 declined`. */
const healthOf = Effect.gen(function* () {
  const analytics = yield* Analytics
  const verdicts = yield* analytics.verdicts(yield* permitFor("platform"))
  return (provider: Config["provider"]) =>
    verdicts
      .filter((one) => one.provider === provider)
      .map(({ count, outcome }) => `${count} ${outcome === "none" ? "unanswered" : outcome}`)
      .join(", ")
})

const shown = (configs: ReadonlyArray<Config>) =>
  Effect.gen(function* () {
    const settings = yield* ProviderSettings
    const { mode } = yield* Settings
    const health = yield* healthOf
    return {
      data: configs.map((config) => ({
        ...encodeConfig(config),
        account: accountOf(config, settings),
        last_hour: health(config.provider)
      })),
      ...configTable(configs, (config) => wordsFor(config, settings, mode), health)
    }
  })

export const list = (input: { readonly json: boolean }) =>
  onProviderRecords(input.json, Effect.flatMap(everyConfig, shown))

const switchTo = Effect.fn("Cli.switchProvider")(function* (which: string, is_active: boolean) {
  const configs = yield* ProviderConfigs
  const permit = yield* permitFor("platform")
  const chosen = yield* namedBy(which, "any")
  return yield* shown(yield* Effect.forEach(chosen, (config) => configs.update(permit, config, { is_active })))
})

export const enable = (input: { readonly which: string; readonly json: boolean }) =>
  onProviderRecords(input.json, switchTo(input.which, true))

export const disable = (input: { readonly which: string; readonly json: boolean }) =>
  onProviderRecords(input.json, switchTo(input.which, false))

const addOne = Effect.fn("Cli.addProvider")(function* (wanted: typeof CreateProviderConfig.Type) {
  const configs = yield* ProviderConfigs
  const made = yield* configs.create(yield* permitFor("platform"), wanted)
  const { data, ...laid } = yield* shown([made])
  return { data: data[0], ...framed("Added.\n", laid) }
})

export const add = ({ json, ...typed }: TypedConfig & { readonly json: boolean }) =>
  Effect.flatMap(wantedConfig(typed), (wanted) => onProviderRecords(json, addOne(wanted)))
