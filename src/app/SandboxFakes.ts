/** Connects the sandbox to fakes of all third parties if `CORRIDOR_FAKES` is set, and adds corridors for them. */
import { Array as Arr, Config, ConfigProvider, Data, Effect, Layer, Option } from "effect"
import { ConfigId, Ids } from "../domain/Ids.ts"
import { CountryCode, defaultCurrencyOf } from "../domain/Country.ts"
import { Settings } from "../platform/config/Settings.ts"
import { baseUrlSetting, ProviderSettings } from "../providers/accounts/ProviderSettings.ts"
import { type AnyThirdParty, thirdParties } from "../providers/accounts/ThirdParties.ts"
import { ProviderConfigStore } from "../providers/configs/ProviderConfigStore.ts"
import { sandboxCountries } from "./Sandbox.ts"

/** Loaded only if fakes are used. */
const loadFakes = Effect.promise(() => import("../../test/fakes/AllFakes.ts"))

const isSet = (name: string) =>
  Effect.map(
    Effect.orElseSucceed(Config.string(name), () => ""),
    (value) => value.trim() !== ""
  )

/** Leaves out the fake's settings of each third party that has credentials in the environment. */
const withoutConfigured = Effect.fnUntraced(function* (settings: ReadonlyMap<string, string>) {
  const left = new Map(settings)
  for (const { fields, name } of thirdParties) {
    const credentials = Object.values(fields).map(({ env }) => env)
    if (!(yield* Effect.exists(credentials, isSet))) continue
    for (const setting of [baseUrlSetting(name), ...credentials]) left.delete(setting)
  }
  return left
})

/** Environment variables override the fakes, so that single providers can be real. */
export const ProviderSettingsLive = Layer.effect(
  ProviderSettings,
  Effect.gen(function* () {
    const { fakes } = yield* Settings
    if (Option.isNone(fakes)) return yield* ProviderSettings.load
    const { settingsOfFakesAt } = yield* loadFakes
    const fromFakes = ConfigProvider.fromMap(yield* withoutConfigured(settingsOfFakesAt(fakes.value)))
    return yield* Effect.configProviderWith((environment) =>
      Effect.withConfigProvider(
        ProviderSettings.load,
        ConfigProvider.orElse(environment, () => fromFakes)
      )
    )
  })
)

/** Priority after the built-in simulators; Germany has no simulators. */
const LAST = 200

const showcase = [...sandboxCountries, CountryCode.make("DE")]

const servedIn = ({ serves }: AnyThirdParty, country: CountryCode) =>
  Arr.dedupeWith(
    serves.filter(
      ({ countries, currencies, method }) =>
        (countries === "everywhere" || countries.includes(country)) &&
        (method === "crypto" || currencies.includes(defaultCurrencyOf(country)))
    ),
    (a, b) => a.method === b.method && a.flow === b.flow
  )

const fakeCorridors = thirdParties.flatMap((party, at) =>
  showcase.flatMap((country) =>
    servedIn(party, country).map(({ flow: direction, method: payment_method }) => ({
      provider: party.name,
      country,
      payment_method,
      direction,
      org_id: null,
      priority: LAST + at,
      is_active: true
    }))
  )
)

/** Adds the corridors once: a corridor that was deleted stays deleted. */
const addFakeCorridors = Effect.gen(function* () {
  const store = yield* ProviderConfigStore
  const ids = yield* Ids
  const first = fakeCorridors[0]!.provider
  const existing = yield* store.list({ provider: first }, { after: Option.none(), take: 1 })
  if (existing.length > 0) return
  yield* store.insert(
    yield* Effect.forEach(fakeCorridors, (corridor) =>
      Effect.map(ids.make(ConfigId), (config_id) => ({ ...corridor, config_id }))
    )
  )
})

/** Distance to the next free range of ports. */
const ELSEWHERE = 100

/** Payments are never sent to an unknown program that listens on a fake's port. */
class FakesNotStarted extends Data.TaggedError("FakesNotStarted")<{ readonly message: string }> {}

const shownAt = (firstPort: number, started: number): string =>
  started > 0
    ? `all ${thirdParties.length} third parties, from http://127.0.0.1:${firstPort} on`
    : `those of another server, at ports ${firstPort} and up: their callbacks go there, not here; for fakes of its own start this one with CORRIDOR_FAKES=${firstPort + ELSEWHERE}`

/** Starts the fakes unless another server runs them; returns one line for the banner, undefined without fakes. */
export const startFakes = Effect.gen(function* () {
  const { fakes, publicUrl } = yield* Settings
  if (Option.isNone(fakes)) return undefined
  const { startFreeFakes } = yield* loadFakes
  const { missing, started } = yield* startFreeFakes({ callbackBase: publicUrl, firstPort: fakes.value })
  if (started.length > 0 && missing.length > 0) {
    const why = missing.map(({ message }) => `${message}.`).join(" ")
    const instead = `Stop what listens there, or start with CORRIDOR_FAKES=${fakes.value + ELSEWHERE} for other ports.`
    return yield* new FakesNotStarted({ message: `${why} ${instead}` })
  }
  const shown = shownAt(fakes.value, started.length)
  if (started.length === 0) {
    yield* Effect.logWarning(`No fakes were started here. Used are ${shown}`)
  }
  yield* addFakeCorridors
  return shown
})
