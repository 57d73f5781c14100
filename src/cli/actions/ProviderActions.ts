/** `corridor providers list`, `add`, `enable`, `disable` and `credentials set` */
import { type BigDecimal, Config, Effect, Either, Option, Schema } from "effect"
import { CreateProviderConfig } from "../../contract/api/ProviderConfigsApi.ts"
import { longestCredential } from "../../domain/policies/ProviderPolicies.ts"
import { type Answer, call, callAll } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import type { newConfig, newCredentials } from "../commands/PaymentCommands.ts"
import type { Input } from "../shared/Command.ts"
import { decodeInput, givenFields, type JsonInput, refuse, wireNumber } from "../shared/CommandInput.ts"
import { framed, properties, tableLayout, type TextLayout } from "../shared/Table.ts"

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

type TypedConfig = Input<typeof newConfig>

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

export const add = (typed: TypedConfig) =>
  Effect.flatMap(configFrom(typed), (wanted) => addOne({ json: typed.json, wanted }))

type Typed = Readonly<Record<string, string>>

const decodeDocument = Schema.decodeEither(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))
)

const MOST_BYTES = 16 * longestCredential

const standardInput = Effect.tryPromise({
  try: async () => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MOST_BYTES) throw new Error("too long")
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString("utf8")
  },
  catch: () => refuse("--stdin: standard input cannot be read, or is too long.")
})

/** Refusals never repeat the input: it may be a secret in the wrong place. */
const document = Effect.flatMap(standardInput, (text) =>
  Either.mapLeft(decodeDocument(text), () =>
    refuse('--stdin: expected one JSON object of texts, such as {"secret_key": "sk_live_…"}.')
  )
)

const valueOf = (name: string, given: string): Effect.Effect<string, ReturnType<typeof refuse>> =>
  given.startsWith("@")
    ? Config.nonEmptyString(given.slice(1)).pipe(
        Effect.mapError(() =>
          refuse(`--field ${name}: there is no environment variable of the name that follows the @.`)
        )
      )
    : Effect.succeed(given)

const fieldIn = (text: string): Effect.Effect<readonly [string, string], ReturnType<typeof refuse>> => {
  const at = text.indexOf("=")
  if (at < 1) return Effect.fail(refuse("--field: write it as NAME=VALUE, or as NAME=@VARIABLE."))
  const name = text.slice(0, at)
  return Effect.map(valueOf(name, text.slice(at + 1)), (value) => [name, value] as const)
}

const typedIn = (fields: ReadonlyArray<string>, stdin: boolean): Effect.Effect<Typed, ReturnType<typeof refuse>> => {
  if (stdin && fields.length > 0) return Effect.fail(refuse("Give --field or --stdin, not both."))
  if (stdin) return document
  return fields.length === 0
    ? Effect.fail(refuse("Give the credentials by --stdin, or one by one with --field."))
    : Effect.map(Effect.forEach(fields, fieldIn), (pairs) => Object.fromEntries(pairs))
}

export const noSuchConfig = (which: string) =>
  refuse(`${which} is no configuration's id ("corridor providers list" shows them).`)

/** Accounts whose configuration is gone are needed for payments in progress; the API does not tell their provider. */
const accountNamed = Effect.fnUntraced(function* (which: string) {
  const config = (yield* everyConfig).find(({ config_id }) => config_id === which.toLowerCase())
  if (config !== undefined) return config
  if (!(yield* isLocal)) return yield* noSuchConfig(which)
  const { keptAccount } = yield* Effect.promise(() => import("../database/LocalProviders.ts"))
  const kept = yield* keptAccount(which)
  return Option.isSome(kept) ? kept.value : yield* noSuchConfig(which)
})

type CredentialsInput = Input<typeof newCredentials>

const setThem = onProviders(
  Effect.fnUntraced(function* ({ forgetReplaced, typed, which }: CredentialsInput & { readonly typed: Typed }) {
    const { config_id, provider } = yield* accountNamed(which)
    const { data } = yield* call("providerConfigs", "setCredentials", {
      path: { provider, config_id },
      urlParams: { forget_replaced: forgetReplaced },
      payload: typed
    })
    return {
      data,
      text: properties([
        ["configuration", data.config_id],
        ["provider", data.provider],
        ["fields", data.fields.join(", ")],
        ["tested", data.tested ? "passed, in use from now on" : "failed: kept, but not in use"],
        ["provider said", data.test_message]
      ]),
      failure: data.tested
        ? undefined
        : `The provider did not take them: set others, or run "corridor providers test ${data.config_id}".`
    }
  })
)

export const setCredentials = (input: CredentialsInput) =>
  Effect.flatMap(typedIn(input.field, input.stdin), (typed) => setThem({ ...input, typed }))
