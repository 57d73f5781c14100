import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import { replacedCredentialsKept } from "../../../src/domain/policies/ProviderPolicies.ts"
import { type NewAccount, ProviderAccountStore } from "../../../src/providers/accounts/ProviderAccountStore.ts"
import { ProviderConfigStore } from "../../../src/providers/configs/ProviderConfigStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

const fresh = (about: Partial<NewAccount> = {}) =>
  Effect.map(nextId, (config_id): NewAccount => ({
    config_id,
    provider: "stripe",
    sealed: "sealed",
    tested: true,
    ...about
  }))

onBothStores("ProviderAccountStore", (it) => {
  it.effect("keeps what is put, and counts its versions", () =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const { tested: _, ...account } = yield* fresh()
      expect(yield* store.find(account.config_id)).toEqual(Option.none())
      const first = yield* store.put({ ...account, tested: true })
      const dates = { tested_at: expect.any(Date), updated_at: expect.any(Date) }
      expect(first).toEqual(Option.some({ ...account, version: 1, ...dates }))
      expect(yield* store.find(account.config_id)).toEqual(first)
      const second = yield* store.put({ ...account, sealed: "other", tested: true })
      expect(second).toEqual(Option.some({ ...account, sealed: "other", version: 2, ...dates }))
      expect(yield* store.find(account.config_id)).toEqual(second)
    })
  )

  it.effect("puts what was not tested in the place of nothing that was", () =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const account = yield* fresh({ tested: false })
      expect(Option.getOrThrow(yield* store.put(account))).toMatchObject({ version: 1, tested_at: null })
      const again = Option.getOrThrow(yield* store.put({ ...account, sealed: "second" }))
      expect(again).toMatchObject({ version: 2, sealed: "second", tested_at: null })
      const works = yield* store.put({ ...account, sealed: "third", tested: true })
      expect(Option.getOrThrow(works)).toMatchObject({ version: 3, tested_at: expect.any(Date) })
      expect(yield* store.put({ ...account, sealed: "fourth" })).toEqual(Option.none())
      expect(yield* store.find(account.config_id)).toEqual(works)
    })
  )

  it.effect("keeps what works, whatever comes at once", () =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const account = yield* fresh()
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        (n) => store.put({ ...account, sealed: n === 7 ? "works" : `fails ${n}`, tested: n === 7 }),
        { concurrency: "unbounded" }
      )
      expect(Option.getOrThrow(yield* store.find(account.config_id))).toMatchObject({
        sealed: "works",
        tested_at: expect.any(Date)
      })
    })
  )

  it.effect("keeps each of those that come at once as the ones before", () =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const account = yield* fresh()
      const all = Array.from({ length: 5 }, (_, n) => `the ${n}.`)
      yield* Effect.forEach(all, (sealed) => store.put({ ...account, sealed }), { concurrency: "unbounded" })
      const current = Option.getOrThrow(yield* store.find(account.config_id))
      const before = yield* store.replaced(account.config_id)
      expect([current.sealed, ...before.map(({ sealed }) => sealed)].sort()).toEqual(all)
    })
  )

  it.effect("marks the version that was tested, and no other", () =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const account = yield* fresh({ tested: false })
      yield* store.put(account)
      yield* store.put({ ...account, sealed: "second" })
      expect(yield* store.markTested(account.config_id, 1)).toEqual(Option.none())
      const marked = yield* store.markTested(account.config_id, 2)
      expect(Option.getOrThrow(marked)).toMatchObject({ version: 2, sealed: "second", tested_at: expect.any(Date) })
      expect(yield* store.find(account.config_id)).toEqual(marked)
      expect(yield* store.markTested(yield* nextId, 1)).toEqual(Option.none())
    })
  )

  it.effect("gives all that is sealed", () =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const { config_id, provider } = yield* Effect.tap(fresh({ sealed: "old" }), store.put)
      expect(yield* store.allCredentials).toContainEqual({ config_id, provider, sealed: "old" })
    })
  )

  it.effect("keeps all that was in use before, each for a day, and nothing that never was", () =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const account = yield* fresh({ sealed: "untested", tested: false })
      const { config_id } = account
      const replaced = store.replaced(config_id)
      const sealed = Effect.map(replaced, (all) => all.map((one) => one.sealed))
      yield* store.put(account)
      yield* store.put({ ...account, sealed: "first", tested: true })
      expect(yield* replaced).toEqual([])
      yield* store.put({ ...account, sealed: "second", tested: true })
      const [before] = yield* replaced
      expect(before).toMatchObject({ config_id, version: 2, sealed: "first" })
      const hours = (before!.until.getTime() - Date.now()) / 3_600_000
      expect(Math.round(hours)).toBe(24)
      expect(yield* store.put({ ...account, sealed: "fails" })).toEqual(Option.none())
      expect(yield* replaced).toEqual([before])
      yield* store.forgetOld
      yield* store.put({ ...account, sealed: "third", tested: true })
      expect(yield* replaced).toMatchObject([{ version: 3, sealed: "second" }, before])
      yield* store.forgetReplaced(yield* nextId)
      expect(yield* sealed).toHaveLength(2)
      yield* store.forgetReplaced(config_id)
      expect(yield* replaced).toEqual([])
      expect(yield* store.replaced(yield* nextId)).toEqual([])
    })
  )

  it.effect("keeps the last few of those that follow each other within a day", () =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const account = yield* fresh()
      const other = yield* fresh()
      yield* store.put(other)
      yield* store.put({ ...other, sealed: "of another" })
      for (const sealed of Array.from({ length: replacedCredentialsKept + 3 }, (_, n) => `the ${n}.`)) {
        yield* store.put({ ...account, sealed })
      }
      const kept = yield* store.replaced(account.config_id)
      expect(kept.map(({ sealed }) => sealed)).toEqual(
        Array.from({ length: replacedCredentialsKept }, (_, n) => `the ${replacedCredentialsKept + 1 - n}.`)
      )
      expect(yield* store.replaced(other.config_id)).toHaveLength(1)
    })
  )

  it.effect("shows in configurations, which go without it", () =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const configs = yield* ProviderConfigStore
      const { org_id } = yield* newOrganization()
      const country = CountryCode.make("AQ")
      const corridor = { country, paymentMethod: "card", flow: "inbound" } as const
      const [with_, without] = yield* configs.insert([
        {
          ...{ config_id: yield* nextId, org_id, provider: "stripe", country, payment_method: "card" },
          ...{ direction: "inbound", priority: 1, is_active: true }
        },
        {
          ...{ config_id: yield* nextId, org_id, provider: "stripe", country, payment_method: "card" },
          ...{ direction: "inbound", priority: 2, is_active: true }
        }
      ])
      expect(with_).toMatchObject({ has_credentials: false, credentials_tested_at: null })
      const versions = Effect.map(configs.forCorridor(org_id, corridor), (all) =>
        Object.fromEntries(all.map((one) => [one.config_id, [one.has_credentials, one.credentials_version]]))
      )
      expect(yield* versions).toEqual({ [with_!.config_id]: [false, null], [without!.config_id]: [false, null] })
      const account = yield* fresh({ config_id: with_!.config_id, tested: false })
      yield* store.put(account)
      yield* store.put(account)
      expect(yield* versions).toEqual({ [with_!.config_id]: [true, 2], [without!.config_id]: [false, null] })
      const tested = Option.getOrThrow(yield* store.markTested(account.config_id, 2))
      const seen = { has_credentials: true, credentials_tested_at: tested.tested_at }
      expect(Option.getOrThrow(yield* configs.find(account.config_id))).toMatchObject(seen)
      expect(Option.getOrThrow(yield* configs.findForUpdate(account.config_id))).toMatchObject(seen)
      const listed = yield* configs.list({ org_id }, { after: Option.none(), take: 10 })
      expect(listed.find((one) => one.config_id === account.config_id)).toMatchObject(seen)
      yield* configs.remove(account.config_id)
      expect(Option.isSome(yield* store.find(account.config_id))).toBe(true)
    })
  )
})
