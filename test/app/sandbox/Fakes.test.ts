/** With fakes on, a third party is spoken to with the fake's settings or with one's own, and never with some of each. */
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { ProviderSettingsLive } from "../../../src/app/sandbox/Fakes.ts"
import { Settings } from "../../../src/platform/config/Settings.ts"
import { ProviderSettings } from "../../../src/providers/accounts/ProviderSettings.ts"
import { stripe } from "../../../src/providers/stripe/Stripe.ts"

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
  it.effect("take the place of all whose credentials are not set", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* stripeWith({})
      expect(baseUrl).toBe("http://127.0.0.1:9100")
      expect(yield* stripeWith({ STRIPE_BASE_URL: "http://127.0.0.1:7000" })).toMatchObject({
        ...(yield* stripeWith({})),
        baseUrl: "http://127.0.0.1:7000"
      })
    })
  )

  it.effect("lend nothing to one whose credentials are: anybody knows the secrets of a fake", () =>
    Effect.gen(function* () {
      expect(yield* stripeWith({ STRIPE_SECRET_KEY: "sk_test_own" })).toEqual({
        baseUrl: stripe.baseUrls.sandbox,
        secret_key: "sk_test_own"
      })
    })
  )
})
