/** Number of look-ups of an account in the database, and providers that are on in each mode. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option, Redacted, TestClock } from "effect"
import { credentialsKnownFor, credentialsRetireAfter } from "../../../src/domain/policies/ProviderPolicies.ts"
import { builtInRails } from "../../../src/domain/Corridor.ts"
import { OrgId, Ids } from "../../../src/domain/Ids.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { Secrets } from "../../../src/platform/secrets/Secrets.ts"
import { encryptCredentials } from "../../../src/providers/accounts/AccountCredentials.ts"
import { PlatformAccounts } from "../../../src/providers/accounts/PlatformAccounts.ts"
import { ProviderAccounts, ProvidersLive } from "../../../src/providers/accounts/ProviderAccounts.ts"
import { ProviderAccountStore } from "../../../src/providers/accounts/ProviderAccountStore.ts"
import { Providers } from "../../../src/providers/port/Provider.ts"
import { ok, rawServer, until } from "../client/RawServer.ts"
import { attemptAt } from "../sandbox/SimulatorOrders.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { storesOn } from "../../support/OnBothStores.ts"
import { testSettings, TestVault, type Variables } from "../../support/TestSettings.ts"

const services = (looks: { count: number }, variables: Variables) => {
  const counting = Layer.effect(
    ProviderAccountStore,
    Effect.map(ProviderAccountStore, (store) => ({
      ...store,
      find: (id) => Effect.tap(store.find(id), () => Effect.sync(() => (looks.count += 1)))
    }))
  )
  return ProvidersLive.pipe(
    Layer.provideMerge(ProviderAccounts.layer),
    Layer.provide(PlatformAccounts.layer),
    Layer.provide(Secrets.layer),
    Layer.provideMerge(counting),
    Layer.provideMerge(storesOn("memory")),
    Layer.provideMerge(TestVault),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(testSettings(variables))
  )
}

const put = Effect.gen(function* () {
  const store = yield* ProviderAccountStore
  const vault = yield* Vault
  const config_id = yield* nextId
  const sealed = yield* encryptCredentials(vault, config_id, { secret_key: Redacted.make("sk_test_own") })
  const again = Effect.map(store.put({ config_id, provider: "stripe", sealed, tested: true }), Option.getOrThrow)
  return { ...(yield* again), again }
})

const aMoment = TestClock.adjust(Duration.sum(credentialsKnownFor, Duration.millis(1)))

describe("accounts of configurations", () => {
  it.scoped("are looked up once in a moment, and not at all where their version was just read", () => {
    const looks = { count: 0 }
    return Effect.gen(function* () {
      const accounts = yield* ProviderAccounts
      const { config_id } = yield* put
      const first = yield* accounts.ofConfig("stripe", config_id)
      expect(first?.name).toBe("stripe")
      yield* Effect.replicateEffect(accounts.ofConfig("stripe", config_id), 100)
      expect(looks.count).toBe(1)
      yield* aMoment
      yield* accounts.seen([{ config_id, credentials_version: 1 }])
      expect(yield* accounts.ofConfig("stripe", config_id)).toBe(first)
      expect(looks.count).toBe(1)
      yield* aMoment
      expect(yield* accounts.ofConfig("stripe", config_id)).toBe(first)
      expect(looks.count).toBe(2)
    }).pipe(Effect.provide(services(looks, {})))
  })

  it.scoped("are made anew at once where a newer version was read, and never for an older one", () => {
    const looks = { count: 0 }
    return Effect.gen(function* () {
      const accounts = yield* ProviderAccounts
      const { again, config_id } = yield* put
      const first = yield* accounts.ofConfig("stripe", config_id)
      yield* again
      expect(yield* accounts.ofConfig("stripe", config_id), "not known yet").toBe(first)
      yield* accounts.seen([{ config_id, credentials_version: 2 }])
      const second = yield* accounts.ofConfig("stripe", config_id)
      expect(second).not.toBe(first)
      yield* accounts.seen([{ config_id, credentials_version: 1 }])
      expect(yield* accounts.ofConfig("stripe", config_id)).toBe(second)
      expect(looks.count).toBe(2)
    }).pipe(Effect.provide(services(looks, {})))
  })

  it.scoped("vouch for what was sent before their credentials were changed no longer", () =>
    Effect.gen(function* () {
      const accounts = yield* ProviderAccounts
      const { again, config_id } = yield* put
      expect((yield* accounts.ofConfig("stripe", config_id))?.since).toBeUndefined()
      const { updated_at } = yield* again
      yield* aMoment
      const { since } = (yield* accounts.ofConfig("stripe", config_id))!
      expect(since?.getTime()).toBe(updated_at.getTime() + Duration.toMillis(credentialsRetireAfter))
    }).pipe(Effect.provide(services({ count: 0 }, {})))
  )

  it.scoped("are made once for all who need them first at the same time", () =>
    Effect.gen(function* () {
      const accounts = yield* ProviderAccounts
      const { config_id } = yield* put
      const all = yield* Effect.replicateEffect(accounts.ofConfig("stripe", config_id), 20, {
        concurrency: "unbounded"
      })
      expect(new Set(all).size).toBe(1)
    }).pipe(Effect.provide(services({ count: 0 }, {})))
  )
})

it.scopedLive("an account that hangs takes no other's place", () =>
  Effect.gen(function* () {
    const server = yield* rawServer((socket, nth) => {
      if (server.requests[nth - 1]!.includes("sk_test_own")) socket.write(ok("{}"))
    })
    yield* Effect.gen(function* () {
      const accounts = yield* ProviderAccounts
      const platform = (yield* accounts.platform("stripe"))!
      const { config_id } = yield* put
      const own = (yield* accounts.ofConfig("stripe", config_id))!
      const attempt = attemptAt(yield* nextId, { providerPaymentId: "pi_1" })
      const inOrgs = yield* Effect.replicateEffect(nextId, 40)
      yield* Effect.forEach(inOrgs, (id) =>
        Effect.replicateEffect(Effect.fork(platform.enquire({ ...attempt, orgId: OrgId.make(id) })), 10)
      )
      yield* until(() => server.requests.length > 40)
      yield* own.enquire(attempt)
      expect(server.requests.filter((text) => text.includes("sk_test_own"))).toHaveLength(1)
    }).pipe(
      Effect.provide(
        services({ count: 0 }, { STRIPE_BASE_URL: server.url, STRIPE_SECRET_KEY: "sk_test_of_the_platform" })
      )
    )
  })
)

describe("who is on", () => {
  const secrets = { STRIPE_SECRET_KEY: "sk_of_the_platform" }
  const live = {
    CORRIDOR_MODE: "live",
    CORRIDOR_MASTER_KEY: "ab".repeat(32),
    KYB_WEBHOOK_SECRET: "a secret of the test"
  }

  const whoIsOn = (variables: Variables) =>
    Effect.gen(function* () {
      const { find } = yield* Providers
      const all = yield* Effect.forEach([...builtInRails, "stripe", "paystack"] as const, (name) => find(name, null))
      return all.flatMap((one) => (one === undefined ? [] : [one.name]))
    }).pipe(Effect.provide(services({ count: 0 }, variables)), Effect.scoped)

  it.effect("in the sandbox simulators and providers with credentials, in live mode the latter alone", () =>
    Effect.gen(function* () {
      expect(yield* whoIsOn({})).toEqual([...builtInRails])
      expect(yield* whoIsOn(secrets)).toEqual([...builtInRails, "stripe"])
      expect(yield* whoIsOn({ ...live, ...secrets })).toEqual(["stripe"])
      expect(yield* whoIsOn(live)).toEqual([])
    })
  )
})
