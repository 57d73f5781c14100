/** `corridor providers credentials`, `corridor providers setup` and `corridor providers test` */
import { Config, Effect, Either, Option, Schema } from "effect"
import { CredentialsState } from "../../contract/api/ProviderConfigsApi.ts"
import { ProviderName, isBuiltInRail } from "../../domain/Corridor.ts"
import { ConfigId, idOrNil } from "../../domain/Ids.ts"
import { longestCredential } from "../../domain/policies/ProviderPolicies.ts"
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
import { properties, tableLayout } from "../shared/Table.ts"
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

const configNamed = traced("Cli.configNamed")(function* (which: string) {
  const config = (yield* everyConfig).find(({ config_id }) => config_id === idOrNil(ConfigId)(which))
  return config ?? (yield* refuse(`${which} is no configuration's id ("corridor providers list" shows them).`))
})

type Typed = Readonly<Record<string, string>>

const encodeState = Schema.encodeSync(CredentialsState)
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

/** No refusal repeats what was typed: it may be a secret in the wrong place. */
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

/** An account that was sent through is needed also after its configuration is gone. */
const withAccount = traced("Cli.withAccount")(function* (which: string) {
  const { kept } = yield* ProviderCredentials
  const account = yield* kept(yield* permitFor("platform"), idOrNil(ConfigId)(which))
  return Option.isSome(account) ? account.value : yield* configNamed(which)
})

interface SetInput extends JsonInput {
  readonly which: string
  readonly forgetReplaced: boolean
}

const setThem = onProviderRecords(
  Effect.fnUntraced(function* ({ forgetReplaced, typed, which }: SetInput & { readonly typed: Typed }) {
    const credentials = yield* ProviderCredentials
    const config = yield* withAccount(which)
    const state = yield* credentials.set(yield* permitFor("platform"), config, typed, { forgetReplaced })
    return {
      data: encodeState(state),
      text: properties([
        ["configuration", state.config_id],
        ["provider", state.provider],
        ["fields", state.fields.join(", ")],
        ["tested", state.tested ? "passed, in use from now on" : "failed: kept, but not in use"],
        ["provider said", state.test_message]
      ]),
      failure: state.tested
        ? undefined
        : `The provider did not take them: set others, or run "corridor providers test ${state.config_id}".`
    }
  })
)

export const set = (input: SetInput & { readonly field: ReadonlyArray<string>; readonly stdin: boolean }) =>
  Effect.flatMap(typedIn(input.field, input.stdin), (typed) => setThem({ ...input, typed }))

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
    const byId = Option.isSome(which) && !isProviderName(which.value)
    const wanted =
      Option.isSome(which) && byId
        ? [yield* withAccount(which.value)]
        : (yield* everyConfig).filter(
            (config) => config.has_credentials && (Option.isNone(which) || config.provider === which.value)
          )
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
