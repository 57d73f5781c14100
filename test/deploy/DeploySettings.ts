/** All settings that the service reads, recorded while it reads them. */
import { ConfigError, ConfigProvider, Effect, Either, HashSet } from "effect"
import { Settings } from "../../src/platform/config/Settings.ts"
import { ProviderSettings } from "../../src/providers/accounts/ProviderSettings.ts"

const watched = (asked: Set<string>): ConfigProvider.ConfigProvider =>
  ConfigProvider.fromFlat(
    ConfigProvider.makeFlat({
      load: (path) => {
        asked.add(path.join("_"))
        return Either.left(ConfigError.MissingData([...path], "nothing is set"))
      },
      enumerateChildren: () => Effect.succeed(HashSet.empty()),
      patch: { _tag: "Empty" }
    })
  )

export const knownSettings = Effect.gen(function* () {
  const asked = new Set<string>()
  const read = Effect.withConfigProvider(watched(asked))
  const own = yield* read(Settings.load)
  yield* read(Effect.provideService(ProviderSettings.load, Settings, own))
  return asked as ReadonlySet<string>
})
