/** With fakes on, a third party is spoken to with the fake's settings or with one's own, and never with some of each. */
import { once } from "node:events"
import { createServer } from "node:net"
import { describe, expect, it, vi } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Redacted } from "effect"
import { firstOfFreePorts } from "../bench/FreePort.ts"
import { banner } from "../../src/app/StartupMessages.ts"
import { startFakes, ProviderSettingsLive } from "../../src/app/SandboxFakes.ts"
import { Ids } from "../../src/domain/Ids.ts"
import { Settings } from "../../src/platform/config/Settings.ts"
import { ProviderSettings } from "../../src/providers/accounts/ProviderSettings.ts"
import { stripe } from "../../src/providers/stripe/StripeAdapter.ts"
import { storesOn } from "../support/OnBothStores.ts"
import { testSettings } from "../support/TestSettings.ts"

const stripeWith = (variables: Readonly<Record<string, string>>) =>
  ProviderSettings.pipe(
    Effect.map(({ parties }) => {
      const { baseUrl, platform } = parties.get("stripe")!
      return {
        baseUrl,
        ...Object.fromEntries(
          Object.entries(Option.getOrThrow(platform)).map(([name, value]) => [name, Redacted.value(value)])
        )
      }
    }),
    Effect.provide(ProviderSettingsLive),
    Effect.provideServiceEffect(Settings, Settings.load),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries({ CORRIDOR_FAKES: "9100", ...variables }))))
  )

describe("fakes of third parties", () => {
  it.effect("replace all third parties without credentials", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* stripeWith({})
      expect(baseUrl).toBe("http://127.0.0.1:9100")
      expect(yield* stripeWith({ STRIPE_BASE_URL: "http://127.0.0.1:7000" })).toMatchObject({
        ...(yield* stripeWith({})),
        baseUrl: "http://127.0.0.1:7000"
      })
    })
  )

  it.effect("are not used for a third party whose credentials are set", () =>
    Effect.gen(function* () {
      expect(yield* stripeWith({ STRIPE_SECRET_KEY: "sk_test_own" })).toEqual({
        baseUrl: stripe.baseUrls.sandbox,
        secret_key: "sk_test_own"
      })
    })
  )

  it.scopedLive("show their address, and warn on a second server", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(() => firstOfFreePorts(10))
      const services = storesOn("memory").pipe(
        Layer.provideMerge(Ids.layer),
        Layer.provideMerge(testSettings({ CORRIDOR_FAKES: String(port) }))
      )
      const opened = Effect.provide(startFakes, services)
      expect(yield* opened).toBe(`all 10 third parties, from http://127.0.0.1:${port} on`)
      const second = yield* opened
      expect(second).toContain(`those of another server, at ports ${port} and up: their callbacks go there, not here`)
      expect(second).toContain(`CORRIDOR_FAKES=${Number(port) + 100}`)
    })
  )

  it.scopedLive("are not started if another program listens on one of their ports", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(() => firstOfFreePorts(10))
      yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const stranger = createServer().listen(port + 1, "127.0.0.1")
          await once(stranger, "listening")
          return stranger
        }),
        (stranger) => Effect.sync(() => stranger.close())
      )
      const services = storesOn("memory").pipe(
        Layer.provideMerge(Ids.layer),
        Layer.provideMerge(testSettings({ CORRIDOR_FAKES: String(port) }))
      )
      const { message } = yield* Effect.flip(Effect.scoped(Effect.provide(startFakes, services)))
      expect(message).toMatch(new RegExp(`^The fake of adyen cannot listen: .*:${port + 1}\\. Stop what listens there`))
      expect(message).toContain(`CORRIDOR_FAKES=${port + 100}`)
    })
  )

  it.effect("are shown in the banner", () =>
    Effect.gen(function* () {
      const written = vi.spyOn(process.stdout, "write").mockReturnValue(true)
      const shown = (fakes: string | undefined) =>
        Effect.map(Effect.provide(banner(undefined, fakes), testSettings({ LOG_FORMAT: "pretty" })), () =>
          String(written.mock.calls.at(-1)?.[0])
        )
      expect(yield* shown("all nine, there")).toMatch(/^ {2}Fakes {6}all nine, there$/m)
      expect(yield* shown(undefined)).not.toContain("Fakes")
      written.mockRestore()
    })
  )

  it.effect("are not shown if switched off", () =>
    Effect.gen(function* () {
      const services = storesOn("memory").pipe(Layer.provideMerge(Ids.layer), Layer.provideMerge(testSettings()))
      expect(yield* Effect.scoped(Effect.provide(startFakes, services))).toBeUndefined()
    })
  )
})
