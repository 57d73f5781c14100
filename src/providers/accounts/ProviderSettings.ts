/**
 * Settings of the platform's accounts, from the environment. A provider is active when all its mandatory settings are set.
 * Incomplete settings stop the start, since payments would silently use other providers.
 */
import { readFile } from "node:fs/promises"
import { Array as Arr, Config, ConfigError, Context, Effect, Either, Layer, Option, Redacted } from "effect"
import { missing, parsed, Settings, settingsError, url, type Mode } from "../../platform/config/Settings.ts"
import type { ThirdPartyName } from "../../domain/Corridor.ts"
import { addressOfOtherMode, credentialOfOtherMode } from "./AccountMode.ts"
import { unsendable } from "./AccountCredentials.ts"
import type { CredentialField } from "../port/ThirdParty.ts"
import { type AnyThirdParty, type GivenCredentials, settingsPrefix, thirdParties } from "./ThirdParties.ts"

interface ClientCertificate {
  readonly cert: string
  readonly key: Redacted.Redacted
}

interface PartySettings {
  /** Of the platform's own account, where it has one. */
  readonly platform: Option.Option<GivenCredentials>
  /** Previous secrets, if set: callbacks may still be signed with them. */
  readonly replaced: Option.Option<GivenCredentials>
  readonly baseUrl: string
  /** Client certificate, where the third party asks for one. */
  readonly certificate: Option.Option<ClientCertificate>
}

type Failing<A> = Effect.Effect<A, ConfigError.ConfigError>

const filled = (text: string): Option.Option<string> => Option.filter(Option.some(text.trim()), (it) => it !== "")

/** An empty setting counts as not set. */
const given = (name: string): Config.Config<Option.Option<string>> =>
  Config.map(Config.option(Config.string(name)), Option.flatMap(filled))

/** The reason never repeats the value. */
const credential = (name: string, field: CredentialField): Failing<Option.Option<string>> =>
  Effect.gen(function* () {
    const value = yield* given(name)
    const wrong = Option.isNone(value) ? undefined : unsendable(value.value, field)
    return wrong === undefined ? value : yield* Effect.fail(ConfigError.InvalidData([name], wrong))
  })

export const isOptional = ({ madeInSandbox, optional }: CredentialField, mode: Mode): boolean =>
  optional === true || (madeInSandbox === true && mode === "sandbox")

const credentialsOf = ({ fields, title }: AnyThirdParty, mode: Mode): Failing<Option.Option<GivenCredentials>> =>
  Effect.gen(function* () {
    const all = yield* Effect.forEach(Object.entries(fields), ([name, field]) =>
      Effect.map(credential(field.env, field), (value) => ({ name, field, value }))
    )
    const present = all.filter(({ value }) => Option.isSome(value))
    if (present.length === 0) return Option.none()
    const absent = all.filter(({ field, value }) => !isOptional(field, mode) && Option.isNone(value))
    if (Arr.isNonEmptyArray(absent)) {
      const others = present.map(({ field }) => field.env).join(" and ")
      const errors = Arr.map(absent, ({ field }) =>
        missing(field.env, `${others} is set, and ${title} needs it too: ${field.about.replace(/\.$/, "")}`)
      )
      return yield* Effect.fail(errors.reduce((left, right) => ConfigError.And(left, right)))
    }
    return Option.some(
      Object.fromEntries(
        present.flatMap(({ name, value }) => Option.toArray(Option.map(value, (text) => [name, Redacted.make(text)])))
      )
    )
  })

const previousSetting = (env: string): string => `${env}_PREVIOUS`

/** Fields without a previous value keep the current one. */
const replacedOf = ({ fields }: AnyThirdParty): Failing<GivenCredentials> =>
  Effect.map(
    Effect.forEach(
      Object.entries(fields).filter(([, { shown }]) => shown !== true),
      ([name, field]) =>
        Effect.map(credential(previousSetting(field.env), field), (value) =>
          Option.toArray(Option.map(value, (text) => [name, Redacted.make(text)] as const))
        )
    ),
    (found) => Object.fromEntries(found.flat())
  )

/** Refuses credentials of the other mode: live payments would move no money, or tests would. */
const inMode = (
  party: AnyThirdParty,
  mode: Mode,
  given: GivenCredentials,
  settingOf: (env: string) => string
): Failing<void> => {
  const found = credentialOfOtherMode(party, mode, given)
  return found === undefined
    ? Effect.void
    : Effect.fail(ConfigError.InvalidData([settingOf(party.fields[found.field]!.env)], found.reason))
}

const accountOf = (party: AnyThirdParty, mode: Mode): Failing<Pick<PartySettings, "platform" | "replaced">> =>
  Effect.gen(function* () {
    const [platform, before] = yield* Effect.all([credentialsOf(party, mode), replacedOf(party)])
    yield* inMode(
      party,
      mode,
      Option.getOrElse(platform, () => ({})),
      (env) => env
    )
    yield* inMode(party, mode, before, previousSetting)
    const isReplaced = Object.keys(before).length > 0
    return { platform, replaced: isReplaced ? Option.map(platform, (now) => ({ ...now, ...before })) : Option.none() }
  })

export const baseUrlSetting = (name: ThirdPartyName): string => `${settingsPrefix(name)}_BASE_URL`

const baseUrlOf = (party: AnyThirdParty, mode: Mode): Failing<string> =>
  Effect.gen(function* () {
    const setting = baseUrlSetting(party.name)
    if (Option.isNone(yield* given(setting))) return party.baseUrls[mode]
    const protocols = mode === "live" ? ["https:"] : ["https:", "http:"]
    const address = yield* url(setting, ...protocols)
    const wrong = addressOfOtherMode(party, mode, address)
    return wrong === undefined ? address : yield* Effect.fail(ConfigError.InvalidData([setting], wrong))
  })

const fileNamed = (setting: string, path: string): Failing<string> =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: () => ConfigError.InvalidData([setting], "the file that it names cannot be read")
  })

const certificateOf = ({ name }: AnyThirdParty): Failing<Option.Option<ClientCertificate>> =>
  Effect.gen(function* () {
    const prefix = `${settingsPrefix(name)}_TLS`
    const [certName, keyName] = [`${prefix}_CERT_FILE`, `${prefix}_KEY_FILE`]
    const [cert, key] = [yield* given(certName), yield* given(keyName)]
    if (Option.isNone(cert) && Option.isNone(key)) return Option.none()
    if (Option.isNone(cert)) return yield* Effect.fail(missing(certName, `${keyName} is set, which is of no use alone`))
    if (Option.isNone(key)) return yield* Effect.fail(missing(keyName, `${certName} is set, which is of no use alone`))
    return Option.some({
      cert: yield* fileNamed(certName, cert.value),
      key: Redacted.make(yield* fileNamed(keyName, key.value))
    })
  })

const settingsOf = (party: AnyThirdParty, mode: Mode): Failing<PartySettings> =>
  Effect.all(
    { account: accountOf(party, mode), baseUrl: baseUrlOf(party, mode), certificate: certificateOf(party) },
    { mode: "validate" }
  ).pipe(
    Effect.mapError((errors) => joined(Object.values(errors).flatMap(Option.toArray))),
    Effect.map(({ account, ...rest }) => ({ ...account, ...rest }))
  )

const joined = (errors: ReadonlyArray<ConfigError.ConfigError>): ConfigError.ConfigError =>
  errors.reduce((left, right) => ConfigError.And(left, right))

const rawCards: Failing<boolean> = Effect.flatMap(given("CARD_DATA"), (value) =>
  Option.isNone(value)
    ? Effect.succeed(false)
    : parsed(Config.string("CARD_DATA"), (text) =>
        text.trim() === "raw" ? Either.right(true) : Either.left("expected raw, or nothing")
      )
)

export class ProviderSettings extends Context.Tag("corridor/ProviderSettings")<
  ProviderSettings,
  {
    /** Whether card numbers may be passed on. */
    readonly rawCards: boolean
    readonly parties: ReadonlyMap<ThirdPartyName, PartySettings>
  }
>() {
  static readonly load = Effect.gen(function* () {
    const { mode } = yield* Settings
    const [wrong, parties] = yield* Effect.partition(thirdParties, (party) =>
      Effect.map(settingsOf(party, mode), (settings) => [party.name, settings] as const)
    )
    const raw = yield* Effect.either(rawCards)
    const errors = [...wrong, ...Option.toArray(Either.getLeft(raw))]
    if (Either.isLeft(raw) || errors.length > 0) return yield* Effect.fail(settingsError(joined(errors)))
    return { rawCards: raw.right, parties: new Map(parties) }
  })

  static readonly layer = Layer.effect(ProviderSettings, ProviderSettings.load)
}
