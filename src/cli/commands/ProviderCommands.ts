/** `corridor providers`. */
import { type BigDecimal, Config, Effect, Either, Option, Schema } from "effect"
import type { CreateProviderConfig } from "../../contract/api/ProviderConfigsApi.ts"
import { flows, paymentMethods, providerNames } from "../../domain/Corridor.ts"
import type { Invalid } from "../../domain/Failure.ts"
import { longestCredential } from "../../domain/policies/ProviderPolicies.ts"
import { type Answer, call, callAll } from "../shared/ApiClient.ts"
import {
  argument,
  choice,
  commandOn,
  databaseCommand,
  flag,
  type Input,
  maybe,
  oneOf,
  option,
  optional,
  repeated
} from "../shared/Command.ts"
import { decodeInput, givenFields, refuse, wireNumber } from "../shared/CommandInput.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import { framed, properties, tableOf, type TextLayout } from "../shared/Table.ts"

const command = commandOn("providers")
const localProviders = () => import("../database/LocalProviders.ts")

type ProviderConfig = Answer<"providerConfigs", "find">

type Listed = Pick<
  ProviderConfig,
  "config_id" | "provider" | "country" | "payment_method" | "direction" | "priority" | "is_active" | "org_id"
>

export const configTable = <C extends Listed>(
  configs: ReadonlyArray<C>,
  accountOf: (config: C) => string,
  lastHour: (provider: C["provider"]) => string
): TextLayout =>
  tableOf<C>(
    {
      CONFIG: ({ config_id }) => config_id,
      PROVIDER: ({ provider }) => provider,
      CORRIDOR: (config) => `${config.country} ${config.payment_method} ${config.direction}`,
      PRIORITY: ({ priority }) => priority,
      STATE: (config) => (config.is_active ? "on" : "off"),
      FOR: (config) => config.org_id ?? "everybody",
      ACCOUNT: accountOf,
      "LAST HOUR": (config) => lastHour(config.provider)
    },
    "No provider is configured for any corridor.",
    ["PRIORITY", "ACCOUNT", "FOR", "LAST HOUR"]
  )(configs)

const everyConfig = callAll("providerConfigs", "list", { urlParams: {} })

/** Counts of the last hour's answers of a provider, such as `12 accepted, 1 declined`. */
const lastHourOf = Effect.gen(function* () {
  const { data } = yield* call("analytics", "providerHealth", {})
  return (provider: ProviderConfig["provider"]): string => {
    const state = data.find((one) => one.provider === provider)
    return (["accepted", "declined", "unknown", "unanswered"] as const)
      .flatMap((outcome) => (state === undefined || state[outcome] === 0 ? [] : [`${state[outcome]} ${outcome}`]))
      .join(", ")
  }
})

/** Over HTTP the settings of the platform's own accounts are not visible. */
const accountByApi = (config: ProviderConfig) => {
  if (!config.has_credentials) return { text: "platform's", field: {} }
  return { text: config.credentials_tested_at === null ? "own, not tested: not in use" : "own", field: {} }
}

const accounts = Effect.gen(function* () {
  if (!(yield* isLocal)) return accountByApi
  const { localAccounts } = yield* Effect.promise(localProviders)
  return yield* localAccounts
})

const resultOf = (configs: ReadonlyArray<ProviderConfig>) =>
  Effect.map(Effect.all([accounts, lastHourOf]), ([accountOf, lastHour]) => ({
    data: configs.map((config) => ({
      ...config,
      ...accountOf(config).field,
      last_hour: lastHour(config.provider)
    })),
    ...configTable(configs, (config) => accountOf(config).text, lastHour)
  }))

const switchTo = Effect.fnUntraced(function* (is_active: boolean, which: string) {
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

/** Limits have at most 15 digits, so a double holds them exactly. */
const numberIn = (text: string): unknown => (/^\d{1,15}(\.\d{1,8})?$/.test(text) ? Number(text) : text)

const limit = (amount: BigDecimal.BigDecimal | null) => (amount === null ? null : wireNumber(amount))

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

const valueOf = (name: string, given: string): Effect.Effect<string, Invalid> =>
  given.startsWith("@")
    ? Config.nonEmptyString(given.slice(1)).pipe(
        Effect.mapError(() =>
          refuse(`--field ${name}: there is no environment variable of the name that follows the @.`)
        )
      )
    : Effect.succeed(given)

const fieldIn = (text: string): Effect.Effect<readonly [string, string], Invalid> => {
  const at = text.indexOf("=")
  if (at < 1) return refuse("--field: write it as NAME=VALUE, or as NAME=@VARIABLE.")
  const name = text.slice(0, at)
  return Effect.map(valueOf(name, text.slice(at + 1)), (value) => [name, value] as const)
}

const credentialsIn = (
  fields: ReadonlyArray<string>,
  stdin: boolean
): Effect.Effect<Readonly<Record<string, string>>, Invalid> => {
  if (stdin && fields.length > 0) return refuse("Give --field or --stdin, not both.")
  if (stdin) return document
  return fields.length === 0
    ? refuse("Give the credentials by --stdin, or one by one with --field.")
    : Effect.map(Effect.forEach(fields, fieldIn), (pairs) => Object.fromEntries(pairs))
}

export const noSuchConfig = (which: string) =>
  refuse(`${which} is no configuration's id ("corridor providers list" shows them).`)

/** Accounts whose configuration is gone are needed for payments in progress; the API does not tell their provider. */
const accountNamed = Effect.fnUntraced(function* (which: string) {
  const config = (yield* everyConfig).find(({ config_id }) => config_id === which.toLowerCase())
  if (config !== undefined) return config
  if (!(yield* isLocal)) return yield* noSuchConfig(which)
  const { keptAccount } = yield* Effect.promise(localProviders)
  const kept = yield* keptAccount(which)
  return Option.isSome(kept) ? kept.value : yield* noSuchConfig(which)
})

const anyProvider = argument("PROVIDER", "A provider's name, for all its configurations, or the id of one.")

const newConfig = {
  provider: oneOf(providerNames, argument("PROVIDER", "Provider that serves the corridor.")),
  country: option("country", "CC", "Of the corridor, as an ISO 3166-1 code such as KE."),
  method: choice("method", paymentMethods, "Payment method."),
  direction: choice("direction", flows, "Payins, payouts or ramps."),
  priority: optional("priority", "N", "The lowest number is tried first; 100 by default."),
  min: optional("min", "AMOUNT", "Smallest amount of a payment routed to it."),
  max: optional("max", "AMOUNT", "Largest amount of a payment routed to it."),
  org: optional("org", "ORG", "The organisation it is for; all organisations by default."),
  description: optional("description", "TEXT", "Shown in the list."),
  off: flag("off", "Add it switched off.")
}

const configFrom = Effect.fnUntraced(function* (typed: Input<typeof newConfig>) {
  const api = yield* Effect.promise(() => import("../../contract/api/ProviderConfigsApi.ts"))
  const { country, description, direction, max, method, min, off, org, priority, provider } = typed
  const given = {
    ...{ provider, country, payment_method: method, direction, is_active: !off },
    ...givenFields({
      priority: Option.map(priority, numberIn),
      min_amount: Option.map(min, numberIn),
      max_amount: Option.map(max, numberIn),
      org_id: org,
      description
    })
  }
  return yield* decodeInput(api.CreateProviderConfig, given as typeof CreateProviderConfig.Encoded, {
    provider: "PROVIDER",
    payment_method: "--method",
    min_amount: "--min",
    max_amount: "--max",
    org_id: "--org"
  })
})

export const providerCommands = [
  command(
    "providers list",
    "List which provider serves which corridor, through whose account, and how each has answered in the last hour.",
    {
      examples: ["corridor providers list"],
      takes: {},
      *run() {
        return yield* resultOf(yield* everyConfig)
      }
    }
  ),
  command("providers add", "Add a provider to a corridor; payments are routed by it from then on.", {
    examples: ["corridor providers add pawapay --country KE --method mobile_money --direction inbound --priority 10"],
    takes: newConfig,
    check: configFrom,
    *run(_, wanted) {
      const payload = { ...wanted, min_amount: limit(wanted.min_amount), max_amount: limit(wanted.max_amount) }
      const { data: made } = yield* call("providerConfigs", "create", { payload })
      const { data, ...layout } = yield* resultOf([made])
      return { data: data[0], ...framed("Added.\n", layout) }
    }
  }),
  command("providers enable", "Route new payments to a provider again.", {
    examples: ["corridor providers enable stripe"],
    takes: { which: anyProvider },
    *run({ which }) {
      return yield* switchTo(true, which)
    }
  }),
  command("providers disable", "Route no new payments to a provider; payments in progress go on.", {
    examples: ["corridor providers disable stripe"],
    takes: { which: anyProvider },
    *run({ which }) {
      return yield* switchTo(false, which)
    }
  }),
  command("providers credentials set", "Give a configuration credentials of its own, and test them at once.", {
    examples: [
      "corridor providers credentials set CONFIG_ID --field secret_key=@STRIPE_KEY",
      "corridor providers credentials set CONFIG_ID --stdin < credentials.json"
    ],
    takes: {
      which: argument("CONFIG_ID", "The configuration whose own account they open."),
      field: repeated(
        option(
          "field",
          "NAME=VALUE",
          "A field of the provider, such as secret_key. NAME=@VARIABLE reads it from the environment, which other users of this machine cannot see."
        )
      ),
      stdin: flag("stdin", "Read all fields from standard input, as one JSON object."),
      forgetReplaced: flag(
        "forget-replaced",
        "Refuse at once what is signed with secrets that were replaced, which is otherwise accepted for 24 hours."
      )
    },
    check: ({ field, stdin }) => credentialsIn(field, stdin),
    *run({ forgetReplaced, which }, payload) {
      const { config_id, provider } = yield* accountNamed(which)
      const { data } = yield* call("providerConfigs", "setCredentials", {
        path: { provider, config_id },
        urlParams: { forget_replaced: forgetReplaced },
        payload
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
    }
  }),
  databaseCommand(
    "providers setup",
    "Show which keys, rights, callback address and events a provider's account needs. Where the provider has an API for it, register the address and store its secret encrypted. Audited; repeating it registers nothing twice.",
    {
      examples: ["corridor providers setup stripe", "corridor providers setup adyen --dry-run"],
      takes: {
        which: argument("PROVIDER", "A third party's name, such as stripe."),
        dryRun: flag("dry-run", "Only read at the provider, and show what would be done.")
      },
      run: (input) => localProviders().then(({ setup }) => setup(input))
    }
  ),
  databaseCommand(
    "providers test",
    "Ask providers, by calls that move nothing, whether they take our credentials, and for name, mode, balances and rights of the account. Credentials of a configuration that pass are in use from then on.",
    {
      examples: ["corridor providers test", "corridor providers test stripe"],
      takes: {
        which: maybe(
          argument("PROVIDER", "A provider's name, or the id of a configuration with credentials; all by default.")
        )
      },
      run: (input) => localProviders().then(({ test }) => test(input))
    }
  )
]
