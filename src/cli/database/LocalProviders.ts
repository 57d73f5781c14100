/**
 * `corridor providers setup` and `test`. The API lists what a provider needs, but registers nothing there. It tests the
 * accounts of the platform, but not those of configurations.
 */
import { Effect, Either, Option, Schema } from "effect"
import { noSuchConfig } from "../commands/ProviderCommands.ts"
import { ProviderName, isBuiltInRail } from "../../domain/Corridor.ts"
import { ConfigId, idOrNil } from "../../domain/Ids.ts"
import {
  registerCallbacks,
  type Check,
  checkOf,
  checkPlatform,
  setupOf
} from "../../providers/accounts/ProviderSetup.ts"
import { providerServicesOn } from "../../app/ProviderServices.ts"
import { ProviderConfigs } from "../../providers/configs/ProviderConfigs.ts"
import { ProviderCredentials } from "../../providers/configs/ProviderCredentials.ts"
import { thirdParties, thirdPartyNamed } from "../../providers/accounts/ThirdParties.ts"
import { type JsonInput, refuse } from "../shared/CommandInput.ts"
import { allPages, ExistingLive, onDatabase, permitFor } from "../shared/LocalDatabase.ts"
import { tableLayout } from "../shared/Table.ts"
import { catchRefusal } from "../../platform/database/DatabaseFailure.ts"
import { type Mode, Settings } from "../../platform/config/Settings.ts"
import { isOptional, ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { traced } from "../../platform/observability/Spans.ts"

const onProviderRecords = onDatabase(providerServicesOn(ExistingLive))

const isProviderName = Schema.is(ProviderName)

const everyConfig = Effect.gen(function* () {
  const configs = yield* ProviderConfigs
  const permit = yield* permitFor("platform")
  return yield* allPages(
    (window) => configs.list(permit, {}, window),
    (config) => config.config_id
  )
})

/** The account of a configuration, kept for payments that were sent through it. Needs the services of `providers` handlers. */
export const keptAccount = Effect.fnUntraced(function* (which: string) {
  const { kept } = Option.getOrThrow(yield* Effect.serviceOption(ProviderCredentials))
  return yield* kept(yield* permitFor("platform"), idOrNil(ConfigId)(which))
})

const testPlatform = (which: Option.Option<string>) =>
  Effect.map(
    Effect.forEach(
      thirdParties.filter(({ name }) => Option.isNone(which) || which.value === name),
      checkPlatform,
      { concurrency: "unbounded" }
    ),
    (checked) => checked.flatMap(Option.toArray)
  )

const testOwn = (which: Option.Option<string>) =>
  Effect.gen(function* () {
    const own = yield* ProviderCredentials
    const permit = yield* permitFor("platform")
    const id = Option.filter(which, (one) => !isProviderName(one))
    const kept = Option.flatten(yield* Effect.transposeMapOption(id, keptAccount))
    const wanted = Option.isSome(kept)
      ? [kept.value]
      : (yield* everyConfig).filter(({ config_id, has_credentials, provider }) =>
          Option.isSome(id)
            ? config_id === idOrNil(ConfigId)(id.value)
            : has_credentials && (Option.isNone(which) || provider === which.value)
        )
    if (Option.isSome(id) && wanted.length === 0) return yield* noSuchConfig(id.value)
    return yield* Effect.forEach(
      wanted,
      (config) =>
        own.test(permit, config).pipe(
          catchRefusal(({ message }) => Effect.succeed({ result: Either.left(message), mode: undefined })),
          Effect.map(({ mode, result }) => checkOf(config.provider, config.config_id, mode, result))
        ),
      { concurrency: 8 }
    )
  })

const NOT_TOLD = "not told"

/** Long lists, such as the roles of a key, are whole in the answer as JSON. */
const MOST_LISTED = 4

const listed = (all: ReadonlyArray<string>): string => {
  const rest = all.length - MOST_LISTED
  return [...all.slice(0, MOST_LISTED), ...(rest > 0 ? [`${rest} more`] : [])].join(", ") || "none"
}

const rowOf = ({ account, balances, message, mode, name, passed, provider, rights }: Check) => {
  const told = (text: string | undefined) => (passed ? (text ?? NOT_TOLD) : "")
  return [
    passed ? "ok" : "fail",
    provider,
    account,
    mode ?? told(undefined),
    told(name ?? undefined),
    told(balances === null ? undefined : listed(balances)),
    told(rights === null ? undefined : listed(rights)),
    message
  ]
}

export const test = onProviderRecords(
  Effect.fnUntraced(function* ({ which }: JsonInput & { readonly which: Option.Option<string> }) {
    const data = [...(yield* testPlatform(which)), ...(yield* testOwn(which))]
    if (data.length === 0) {
      return yield* refuse(
        'No credentials are set to be tested: see "corridor providers list" and "corridor providers credentials set".'
      )
    }
    const failed = data.filter(({ passed }) => !passed)
    return {
      data,
      ...tableLayout(
        ["TEST", "PROVIDER", "ACCOUNT", "MODE", "NAME", "BALANCES", "RIGHTS", "PROVIDER SAID"],
        data.map(rowOf),
        ""
      ),
      failure: failed.length === 0 ? undefined : `${failed.length} of ${data.length} accounts failed the test.`
    }
  })
)

const stateTexts = {
  set: "set",
  stored: "stored by an earlier setup",
  optional: "not set, optional",
  missing: "missing"
} as const

interface SetupInput extends JsonInput {
  readonly which: string
  readonly dryRun: boolean
}

/** Lists the steps at the provider, and registers the callback address where the provider has a call for it. */
const setUp = traced("Cli.setUpProvider")(function* ({ dryRun, which }: SetupInput) {
  const party = thirdPartyNamed(which)
  if (party === undefined) {
    const known = thirdParties.map(({ name }) => name).join(", ")
    return yield* refuse(`${which} is no third party with an adapter. Those are ${known}.`)
  }
  const { mode, publicUrl } = yield* Settings
  const { callback_url, callbacks, keys, registers, settings } = yield* setupOf(party)
  const isCallable = mode === "sandbox" || publicUrl.startsWith("https://")
  const registered = isCallable
    ? Option.getOrUndefined(yield* registerCallbacks(yield* permitFor("platform"), party.name, dryRun))
    : Either.left(`PUBLIC_URL is ${publicUrl}, which ${party.title} cannot call: set it to an https:// address.`)
  const data = {
    provider: party.name,
    keys,
    settings: settings.map(({ state, ...one }) => ({ ...one, state: stateTexts[state] })),
    callback_url,
    callbacks: party.setup.callbacks,
    registers,
    registered: registered === undefined || dryRun ? null : Either.isRight(registered),
    message: registered === undefined ? null : Either.merge(registered)
  }
  const byHand =
    callbacks === null
      ? ["Nothing is to be entered: every order names this address."]
      : [
          registers === null
            ? `${party.title} has no API to register it. Enter it at ${callbacks.at}.`
            : `This command registers ${registers}. By hand: ${callbacks.at}.`,
          ...(callbacks.events.length === 0 ? [] : [`Events: ${callbacks.events.join(", ")}`]),
          ...callbacks.secrets.map((env) => `Its secret or id is the setting ${env}.`)
        ]
  const lines = [
    `${party.title}`,
    "",
    "1. Keys",
    ...keys.map((key) => `   ${key}`),
    "",
    "2. Settings",
    ...data.settings.map(({ about, name, state }) => `   ${name} (${state}): ${about}`),
    "",
    "3. Callback address",
    `   ${callback_url}`,
    ...byHand.map((line) => `   ${line}`),
    ...(data.message === null ? [] : [`   ${data.message}`]),
    "",
    `4. corridor providers test ${party.name}, then corridor providers add ${party.name}`
  ]
  return {
    data,
    text: lines.join("\n"),
    failure: registered !== undefined && Either.isLeft(registered) ? registered.left : undefined
  }
})

export const setup = onProviderRecords(setUp)

/** Fields that decide whose account at the provider is used. */
interface AccountConfig {
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
const missingSettings = ({ provider }: AccountConfig, mode: Mode): string => {
  const fields = Object.values(thirdPartyNamed(provider)?.fields ?? {})
  const needed = fields.filter((field) => !isOptional(field, mode)).map(({ env }) => env)
  return [needed.join(" and "), ...(mode === "sandbox" ? ["CORRIDOR_FAKES=1"] : [])].join(", or ")
}

const accountOf = (config: AccountConfig, { parties }: ProviderSettings["Type"]): keyof typeof texts => {
  if (isBuiltInRail(config.provider)) return "built_in"
  if (config.has_credentials) return config.credentials_tested_at === null ? "own_untested" : "own"
  return Option.isSome(parties.get(config.provider)?.platform ?? Option.none()) ? "platform" : "none"
}

/** Needs the services of `providers` handlers, which run in this process. */
export const localAccounts = Effect.gen(function* () {
  const settings = Option.getOrThrow(yield* Effect.serviceOption(ProviderSettings))
  const { mode } = Option.getOrThrow(yield* Effect.serviceOption(Settings))
  return (config: AccountConfig) => {
    const account = accountOf(config, settings)
    const missing = account === "none" ? `: set ${missingSettings(config, mode)}` : ""
    return { text: `${texts[account]}${missing}`, field: { account } }
  }
})
