/** `corridor providers list`, `add`, `enable` and `disable` */
import { type BigDecimal, Effect, Option } from "effect"
import { CreateProviderConfig } from "../../contract/api/ProviderConfigsApi.ts"
import { type Answer, call, callAll } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import { decodeInput, givenFields, type JsonInput, refuse, wireNumber } from "../shared/CommandInput.ts"
import { framed, tableLayout, type TextLayout } from "../shared/Table.ts"

type Config = Answer<"providerConfigs", "find">

const onProviders = onTarget("providers")

type Listed = Pick<
  Config,
  "config_id" | "provider" | "country" | "payment_method" | "direction" | "priority" | "is_active" | "org_id"
>

export const configTable = <C extends Listed>(
  configs: ReadonlyArray<C>,
  accountOf: (config: C) => string,
  lastHour: (provider: C["provider"]) => string
): TextLayout =>
  tableLayout(
    ["CONFIG", "PROVIDER", "CORRIDOR", "PRIORITY", "STATE", "FOR", "ACCOUNT", "LAST HOUR"],
    configs.map((config) => [
      config.config_id,
      config.provider,
      `${config.country} ${config.payment_method} ${config.direction}`,
      String(config.priority),
      config.is_active ? "on" : "off",
      config.org_id ?? "everybody",
      accountOf(config),
      lastHour(config.provider)
    ]),
    "No provider is configured for any corridor.",
    ["PRIORITY", "ACCOUNT", "FOR", "LAST HOUR"]
  )

const everyConfig = callAll("providerConfigs", "list", { urlParams: {} })

/** Counts of the last hour's answers of a provider, such as `12 accepted, 1 declined`. */
const lastHourOf = Effect.gen(function* () {
  const { data } = yield* call("analytics", "providerHealth", {})
  return (provider: Config["provider"]): string => {
    const state = data.find((one) => one.provider === provider)
    return (["accepted", "declined", "unknown", "unanswered"] as const)
      .flatMap((outcome) => (state === undefined || state[outcome] === 0 ? [] : [`${state[outcome]} ${outcome}`]))
      .join(", ")
  }
})

/** Over HTTP the settings of the platform's own accounts are not visible. */
const accountByApi = (config: Config) => {
  if (!config.has_credentials) return { text: "platform's", field: {} }
  return { text: config.credentials_tested_at === null ? "own, not tested: not in use" : "own", field: {} }
}

const accounts = Effect.gen(function* () {
  if (!(yield* isLocal)) return accountByApi
  const { localAccounts } = yield* Effect.promise(() => import("../database/LocalProviders.ts"))
  return yield* localAccounts
})

const resultOf = (configs: ReadonlyArray<Config>) =>
  Effect.map(Effect.all([accounts, lastHourOf]), ([accountOf, lastHour]) => ({
    data: configs.map((config) => ({
      ...config,
      ...accountOf(config).field,
      last_hour: lastHour(config.provider)
    })),
    ...configTable(configs, (config) => accountOf(config).text, lastHour)
  }))

export const list = onProviders((_: JsonInput) => Effect.flatMap(everyConfig, resultOf))

const switchTo = (is_active: boolean) =>
  onProviders(
    Effect.fnUntraced(function* ({ which }: JsonInput & { readonly which: string }) {
      const chosen = (yield* everyConfig).filter((config) => config.provider === which || config.config_id === which)
      if (chosen.length === 0) {
        return yield* refuse(
          `${which} is no provider with a configuration and no configuration's id ("corridor providers list").`
        )
      }
      const changed = yield* Effect.forEach(chosen, ({ config_id, provider }) =>
        call("providerConfigs", "update", { path: { provider, config_id }, payload: { is_active } })
      )
      return yield* resultOf(changed.map(({ data }) => data))
    })
  )

export const enable = switchTo(true)
export const disable = switchTo(false)

/** The options of `corridor providers add`. */
interface TypedConfig {
  readonly provider: string
  readonly country: string
  readonly method: string
  readonly direction: string
  readonly priority: Option.Option<string>
  readonly min: Option.Option<string>
  readonly max: Option.Option<string>
  readonly org: Option.Option<string>
  readonly description: Option.Option<string>
  readonly off: boolean
}

const optionNames = {
  provider: "PROVIDER",
  payment_method: "--method",
  min_amount: "--min",
  max_amount: "--max",
  org_id: "--org"
}

/** Limits have at most 15 digits, so a double holds them exactly. */
const numberIn = (text: string): unknown => (/^\d{1,15}(\.\d{1,8})?$/.test(text) ? Number(text) : text)

const configFrom = (typed: TypedConfig) =>
  decodeInput(
    CreateProviderConfig,
    {
      provider: typed.provider,
      country: typed.country,
      payment_method: typed.method,
      direction: typed.direction,
      is_active: !typed.off,
      ...givenFields({
        priority: Option.map(typed.priority, numberIn),
        min_amount: Option.map(typed.min, numberIn),
        max_amount: Option.map(typed.max, numberIn),
        org_id: typed.org,
        description: typed.description
      })
    } as typeof CreateProviderConfig.Encoded,
    optionNames
  )

interface NewConfig extends JsonInput {
  readonly wanted: typeof CreateProviderConfig.Type
}

const limit = (amount: BigDecimal.BigDecimal | null) => (amount === null ? null : wireNumber(amount))

const addOne = onProviders(
  Effect.fnUntraced(function* ({ wanted }: NewConfig) {
    const payload = { ...wanted, min_amount: limit(wanted.min_amount), max_amount: limit(wanted.max_amount) }
    const { data: made } = yield* call("providerConfigs", "create", { payload })
    const { data, ...layout } = yield* resultOf([made])
    return { data: data[0], ...framed("Added.\n", layout) }
  })
)

export const add = ({ json, ...typed }: TypedConfig & JsonInput) =>
  Effect.flatMap(configFrom(typed), (wanted) => addOne({ json, wanted }))
