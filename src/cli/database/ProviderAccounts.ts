/** Whose account at the provider a configuration's payments go through, from the settings of this machine. */
import { Effect, Option } from "effect"
import { isBuiltInRail, type ProviderName } from "../../domain/Corridor.ts"
import { type Mode, Settings } from "../../platform/config/Settings.ts"
import { ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { thirdPartyNamed } from "../../providers/accounts/ThirdParties.ts"

interface Config {
  readonly provider: ProviderName
  readonly has_credentials: boolean
  readonly credentials_tested_at: string | null
}

const texts = {
  built_in: "built in",
  own: "own",
  own_untested: "own, not tested: not in use",
  platform: "platform",
  none: "no credentials"
} as const

/** The settings that the provider's account needs, or in the sandbox its fake. */
const missingSettings = ({ provider }: Config, mode: Mode): string => {
  const fields = Object.values(thirdPartyNamed(provider)?.fields ?? {})
  const needed = fields.filter(({ optional }) => optional !== true).map(({ env }) => env)
  return [needed.join(" and "), ...(mode === "sandbox" ? ["CORRIDOR_FAKES=1"] : [])].join(", or ")
}

const accountOf = (config: Config, { parties }: ProviderSettings["Type"]): keyof typeof texts => {
  if (isBuiltInRail(config.provider)) return "built_in"
  if (config.has_credentials) return config.credentials_tested_at === null ? "own_untested" : "own"
  return Option.isSome(parties.get(config.provider)?.platform ?? Option.none()) ? "platform" : "none"
}

/** Needs the services of `providers` handlers, which run in this process. */
export const localAccounts = Effect.gen(function* () {
  const settings = Option.getOrThrow(yield* Effect.serviceOption(ProviderSettings))
  const { mode } = Option.getOrThrow(yield* Effect.serviceOption(Settings))
  return (config: Config) => {
    const account = accountOf(config, settings)
    const missing = account === "none" ? `: set ${missingSettings(config, mode)}` : ""
    return { text: `${texts[account]}${missing}`, field: { account } }
  }
})
