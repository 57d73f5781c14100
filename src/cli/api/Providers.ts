/** `corridor providers` by API, for platform admins. */
import { Effect } from "effect"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import { refuse } from "../shared/CommandInput.ts"
import { type TypedConfig, wantedConfig } from "../shared/ProviderInput.ts"
import { framed } from "../shared/Table.ts"
import { configTable } from "../shown/Providers.ts"
import { type Answer, Calls } from "./Calls.ts"
import { onApi } from "./OnApi.ts"

type Config = Answer<"providerConfigs", "find">

const everyConfig = Effect.flatMap(Calls, ({ all }) => all("providerConfigs", "list", { urlParams: {} }))

/** Of all that each was asked for in the last hour: `12 accepted, 1 declined`. */
const healthOf = Effect.gen(function* () {
  const { call } = yield* Calls
  const { data } = yield* call("analytics", "providerHealth", {})
  return (provider: Config["provider"]): string => {
    const state = data.find((one) => one.provider === provider)
    return (["accepted", "declined", "unknown", "unanswered"] as const)
      .flatMap((word) => (state === undefined || state[word] === 0 ? [] : [`${state[word]} ${word}`]))
      .join(", ")
  }
})

/** Only the server knows whether the platform has an account of its own there. */
const accountOf = (config: Config): string => {
  if (!config.has_credentials) return "platform's"
  return config.credentials_tested_at === null ? "own, not tested: not in use" : "own"
}

const shown = (configs: ReadonlyArray<Config>) =>
  Effect.map(healthOf, (health) => ({
    data: configs.map((config) => ({ ...config, last_hour: health(config.provider) })),
    ...configTable(configs, accountOf, health)
  }))

export const list = (input: { readonly json: boolean }) => onApi(input.json, Effect.flatMap(everyConfig, shown))

const switchTo = Effect.fnUntraced(function* (which: string, is_active: boolean) {
  const { call } = yield* Calls
  const chosen = (yield* everyConfig).filter((config) => config.provider === which || config.config_id === which)
  if (chosen.length === 0) {
    return yield* refuse(
      `${which} is no provider with a configuration and no configuration's id ("corridor providers list").`
    )
  }
  const changed = yield* Effect.forEach(chosen, ({ config_id, provider }) =>
    call("providerConfigs", "update", { path: { provider, config_id }, payload: { is_active } })
  )
  return yield* shown(changed.map(({ data }) => data))
})

export const enable = (input: { readonly which: string; readonly json: boolean }) =>
  onApi(input.json, switchTo(input.which, true))

export const disable = (input: { readonly which: string; readonly json: boolean }) =>
  onApi(input.json, switchTo(input.which, false))

const wire = (amount: Parameters<typeof toWireText>[0] | null) =>
  amount === null ? null : new WireNumber(toWireText(amount))

const addOne = Effect.fnUntraced(function* (wanted: Effect.Effect.Success<ReturnType<typeof wantedConfig>>) {
  const { call } = yield* Calls
  const payload = { ...wanted, min_amount: wire(wanted.min_amount), max_amount: wire(wanted.max_amount) }
  const { data: made } = yield* call("providerConfigs", "create", { payload })
  const { data, ...laid } = yield* shown([made])
  return { data: data[0], ...framed("Added.\n", laid) }
})

export const add = ({ json, ...typed }: TypedConfig & { readonly json: boolean }) =>
  Effect.flatMap(wantedConfig(typed), (wanted) => onApi(json, addOne(wanted)))
