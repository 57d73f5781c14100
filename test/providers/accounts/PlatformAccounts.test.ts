/**
 * The platform's account comes from the settings, which may name another one after a restart: what was sent before proves
 * nothing there, and instances with old and new settings that run side by side vouch for nothing at all.
 */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Option, Redacted, TestClock } from "effect"
import { StoresMemory } from "../../../src/app/Stores.ts"
import {
  credentialsRetireAfter,
  platformAccountsLook,
  platformAccountsTrusted
} from "../../../src/domain/policies/ProviderPolicies.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { deriveMasterKey } from "../../../src/platform/config/MasterKey.ts"
import { SecretStore, Secrets } from "../../../src/platform/secrets/Secrets.ts"
import { reencrypt, Vault } from "../../../src/platform/secrets/Vault.ts"
import { PlatformAccounts } from "../../../src/providers/accounts/PlatformAccounts.ts"
import { type PlatformAccount, PlatformAccountStore } from "../../../src/providers/accounts/ProviderAccountStore.ts"
import { ProviderAccounts, ProvidersLive } from "../../../src/providers/accounts/ProviderAccounts.ts"
import { thirdPartyNamed } from "../../../src/providers/accounts/ThirdParties.ts"
import { Providers } from "../../../src/providers/port/Provider.ts"
import { eventually } from "../../payments/support/PaymentCalls.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { testSettings, type Variables } from "../../support/TestSettings.ts"

const stores = StoresMemory.pipe(Layer.provide(testSettings()))

const before = deriveMasterKey("before")
const after = deriveMasterKey("after")

const instance = (variables: Variables, masterKey = before) =>
  Layer.build(
    ProvidersLive.pipe(
      Layer.provide(ProviderAccounts.layer),
      Layer.provide(PlatformAccounts.layer),
      Layer.provide(Secrets.layer),
      Layer.provide(Vault.layer(masterKey)),
      Layer.provide(Ids.layer),
      Layer.provide(testSettings(variables))
    )
  ).pipe(
    Effect.map((services) =>
      Effect.flatMap(Providers, ({ find }) => find("stripe", null)).pipe(Effect.provide(services))
    ),
    Effect.map(Effect.map((provider) => provider?.since?.getTime()))
  )

/** The same instance, which is gone again after this long. */
const runsFor = (time: Duration.Duration, variables: Variables, masterKey = before) =>
  Effect.scoped(
    Effect.gen(function* () {
      const since = yield* instance(variables, masterKey)
      yield* TestClock.adjust(time)
      return yield* since
    })
  )

const [old, fresh] = [{ STRIPE_SECRET_KEY: "sk_old" }, { STRIPE_SECRET_KEY: "sk_new" }]
const minute = Duration.minutes(1)
const aLook = Duration.sum(platformAccountsLook, Duration.millis(1))
const retired = Duration.toMillis(credentialsRetireAfter)

describe("the platform's account", () => {
  it.scoped("is the same however its name is spelled", () =>
    Effect.gen(function* () {
      const variables = { ADYEN_API_KEY: "AQE-of-the-platform", ADYEN_MERCHANT_ACCOUNT: "OurECOM" }
      const services = yield* Layer.build(
        PlatformAccounts.layer.pipe(
          Layer.provide(Secrets.layer),
          Layer.provide(Vault.layer(before)),
          Layer.provide(testSettings(variables))
        )
      )
      const { sharedBy } = yield* Effect.provide(PlatformAccounts, services)
      const named = (merchant_account: string) =>
        sharedBy(thirdPartyNamed("adyen")!, {
          api_key: Redacted.make("AQE-of-another"),
          merchant_account: Redacted.make(merchant_account)
        })
      expect(["OurECOM", "ourecom", "OURECOM"].map(named)).toEqual(Array(3).fill(Option.some("merchant_account")))
      expect(named("AnotherECOM")).toEqual(Option.none())
    }).pipe(Effect.provide(stores))
  )

  it.scoped("vouches for what was sent since it was first seen, however often its instances start", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(minute)
      expect(yield* runsFor(minute, old)).toBe(60_000)
      expect(yield* runsFor(minute, old)).toBe(60_000)
      const others = { ...old, PAYSTACK_SECRET_KEY: "sk_of_another_provider" }
      expect(yield* runsFor(minute, others)).toBe(60_000)
    }).pipe(Effect.provide(stores))
  )

  it.scoped("that another one took the place of proves nothing of what the one before was sent", () =>
    Effect.gen(function* () {
      yield* runsFor(minute, old)
      const end = yield* Clock.currentTimeMillis
      // Belonged to the other until its last look; its calls ended after that.
      expect(yield* runsFor(minute, fresh)).toBe(end + retired)
      yield* TestClock.adjust("1 hour")
      const third = yield* Clock.currentTimeMillis
      expect(yield* runsFor(minute, { STRIPE_SECRET_KEY: "sk_third" })).toBe(third)
    }).pipe(Effect.provide(stores))
  )

  it.scoped("that comes back vouches for nothing of the time in between", () =>
    Effect.gen(function* () {
      yield* runsFor(minute, old)
      yield* runsFor(minute, fresh)
      const end = yield* Clock.currentTimeMillis
      yield* TestClock.adjust("1 hour")
      expect(yield* runsFor(minute, old)).toBe(end + retired)
    }).pipe(Effect.provide(stores))
  )

  it.scoped("is another one at another address", () =>
    Effect.gen(function* () {
      const first = yield* runsFor(minute, old)
      const elsewhere = yield* runsFor(minute, { ...old, STRIPE_BASE_URL: "http://127.0.0.1:9" })
      expect(elsewhere).toBeGreaterThan(first!)
    }).pipe(Effect.provide(stores))
  )

  it.scoped("vouches for nothing while instances with other settings run beside it", () =>
    Effect.gen(function* () {
      const since = yield* instance(old)
      yield* TestClock.adjust("10 minutes")
      expect(yield* since).toBe(0)
      const others = yield* instance(fresh)
      const started = yield* Clock.currentTimeMillis
      yield* TestClock.adjust(aLook)
      expect(yield* since, "the one that was there").toBeGreaterThan(started)
      yield* TestClock.adjust("10 minutes")
      const now = yield* Clock.currentTimeMillis
      expect(yield* since).toBeGreaterThan(now)
      expect(yield* others, "the one that came").toBeGreaterThan(now)
    }).pipe(Effect.provide(stores))
  )

  it.scoped("vouches for nothing while it has no reports of the others", () => {
    const database = { fails: false }
    const failing = Layer.effect(
      PlatformAccountStore,
      Effect.map(PlatformAccountStore, (store) => ({
        see: (named) => Effect.suspend(() => (database.fails ? Effect.die("the database is away") : store.see(named)))
      }))
    )
    return Effect.gen(function* () {
      const since = yield* instance(old)
      yield* TestClock.adjust(minute)
      database.fails = true
      yield* TestClock.adjust(aLook)
      expect(yield* since).toBe(0)
      yield* TestClock.adjust(platformAccountsTrusted)
      expect(yield* since).toBeGreaterThan(yield* Clock.currentTimeMillis)
      database.fails = false
      yield* TestClock.adjust(aLook)
      expect(yield* since).toBe(0)
    }).pipe(Effect.provide(failing), Effect.provide(stores))
  })

  it.scoped("stays the same under a new master key", () =>
    Effect.gen(function* () {
      yield* runsFor(minute, old)
      const store = yield* SecretStore
      const name = "fingerprints of platform accounts"
      const kept = Option.getOrThrow(yield* store.find(name))
      const sealed = yield* reencrypt(Vault.make(before), Vault.make(after), kept, name)
      yield* store.replace({ name, sealed })
      expect(yield* runsFor(minute, old, after)).toBe(0)
    }).pipe(Effect.provide(stores))
  )
})

onBothStores("PlatformAccountStore", (it) => {
  const [first, second] = ["a", "b"].map((letter) => letter.repeat(64))
  const timesOf = (all: ReadonlyArray<PlatformAccount>, fingerprint: string | undefined) =>
    all
      .filter((one) => one.provider === "stripe" && one.fingerprint === fingerprint)
      .map(({ first_seen_at, last_seen_at }) => [first_seen_at.getTime(), last_seen_at.getTime()])

  it.effect("keeps when each was seen first and last, with instances that come at once", () =>
    Effect.gen(function* () {
      const { see } = yield* PlatformAccountStore
      const named = (fingerprint: string) => [
        { provider: "stripe" as const, fingerprint },
        { provider: "adyen" as const, fingerprint }
      ]
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? named(first!) : named(first!).toReversed())),
        see,
        { concurrency: "unbounded" }
      )
      const [[since] = []] = timesOf(yield* see([]), first)
      yield* see(named(second!).slice(0, 1))
      const all = yield* eventually(see(named(first!).slice(0, 1)), (seen) => {
        const [[, last] = []] = timesOf(seen, first)
        return Number(last) > Number(since)
      })
      expect(all).toHaveLength(3)
      const [[firstSeen] = []] = timesOf(all, first)
      expect(firstSeen).toBe(since)
      expect(timesOf(all, second)).toHaveLength(1)
    })
  )
})
