import { expect } from "@effect/vitest"
import { BigDecimal, Clock, Effect, Option } from "effect"
import type { ConfigId } from "../../../src/domain/Ids.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { toPlainText } from "../../../src/domain/Decimal.ts"
import {
  type ConfigFilter,
  type NewProviderConfig,
  type ProviderConfig,
  ProviderConfigStore
} from "../../../src/providers/configs/ProviderConfigStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

const KE = CountryCode.make("KE")
const decimal = (text: string) => BigDecimal.unsafeFromString(text)

const wanted = (about: Partial<NewProviderConfig> = {}) =>
  Effect.map(nextId, (config_id): NewProviderConfig => ({
    config_id,
    org_id: null,
    provider: "fiat",
    country: KE,
    payment_method: "card",
    direction: "inbound",
    priority: 100,
    is_active: true,
    ...about
  }))

const add = (about: Partial<NewProviderConfig> = {}) =>
  Effect.gen(function* () {
    const store = yield* ProviderConfigStore
    const [row] = yield* store.insert([yield* wanted(about)])
    return row!
  })

/** Two equal decimals may differ in what they remember of themselves. */
const plain = ({ max_amount, min_amount, ...rest }: ProviderConfig) => ({
  ...rest,
  min_amount: min_amount && toPlainText(min_amount),
  max_amount: max_amount && toPlainText(max_amount)
})

const idsOf = (rows: ReadonlyArray<ProviderConfig>) => rows.map((row) => row.config_id).toSorted()

const find = (id: ConfigId) => Effect.flatMap(ProviderConfigStore, (store) => store.find(id))

onBothStores("ProviderConfigStore", (it) => {
  it.effect("fills in what a new configuration leaves out", () =>
    Effect.gen(function* () {
      const store = yield* ProviderConfigStore
      const config = yield* wanted()
      const [row] = yield* store.insert([config])
      expect(row).toEqual({
        ...config,
        api_version: null,
        webhook_required: false,
        min_amount: null,
        max_amount: null,
        description: null,
        webhook_url: null,
        has_credentials: false,
        credentials_tested_at: null,
        created_at: expect.any(Date),
        updated_at: expect.any(Date)
      })
      expect(yield* find(config.config_id)).toEqual(Option.some(row))
    })
  )

  it.effect("keeps several at once, also of different shapes, and takes an empty list for what it is", () =>
    Effect.gen(function* () {
      const store = yield* ProviderConfigStore
      const both = [yield* wanted(), yield* wanted({ description: "second", webhook_required: true })]
      expect(idsOf(yield* store.insert(both))).toEqual(both.map((one) => one.config_id).toSorted())
      const second = Option.getOrThrow(yield* find(both[1]!.config_id))
      expect(second).toMatchObject({ description: "second", webhook_required: true })
      expect(yield* store.insert([])).toEqual([])
    })
  )

  it.effect("gives amounts back to the last digit", () =>
    Effect.gen(function* () {
      const row = yield* add({ min_amount: decimal("0"), max_amount: decimal("123456789012.345") })
      expect(plain(row)).toMatchObject({ min_amount: "0", max_amount: "123456789012.345" })
      const found = Option.getOrThrow(yield* find(row.config_id))
      expect(plain(found)).toEqual(plain(row))
    })
  )

  it.effect("lists newest first, page after page", () =>
    Effect.gen(function* () {
      const store = yield* ProviderConfigStore
      const { org_id } = yield* newOrganization()
      const first = yield* add({ org_id })
      yield* Effect.repeat(Clock.currentTimeMillis, { until: (now) => now > first.created_at.getTime() })
      const together = yield* atOneMoment(Effect.all([add({ org_id }), add({ org_id }), add({ org_id })]))
      yield* add()
      yield* expectWindows(
        [first, ...together],
        (window) => store.list({ org_id }, window),
        (row) => row.config_id
      )
    })
  )

  it.effect("lists only what every given filter matches", () =>
    Effect.gen(function* () {
      const store = yield* ProviderConfigStore
      const { org_id } = yield* newOrganization()
      const other = yield* newOrganization()
      const about = {
        org_id,
        provider: "stripe",
        country: CountryCode.make("IS"),
        payment_method: "wallet",
        direction: "external"
      } as const
      const row = yield* add(about)
      yield* add({ ...about, org_id: other.org_id })
      yield* add({ ...about, provider: "adyen" })
      yield* add({ ...about, country: KE })
      yield* add({ ...about, payment_method: "card" })
      yield* add({ ...about, direction: "inbound" })
      expect(idsOf(yield* store.list(about, everything))).toEqual([row.config_id])
      const without = (field: keyof ConfigFilter) => store.list({ ...about, [field]: undefined }, everything)
      for (const field of Object.keys(about) as ReadonlyArray<keyof typeof about>) {
        expect(yield* without(field), field).toHaveLength(2)
      }
      expect((yield* store.list({}, everything)).length).toBeGreaterThanOrEqual(6)
    })
  )

  it.effect("replaces every field but the id and when it was made", () =>
    Effect.gen(function* () {
      const store = yield* ProviderConfigStore
      const { org_id } = yield* newOrganization()
      const before = yield* add({ max_amount: decimal("5") })
      const untouched = yield* add()
      const changed = {
        config_id: before.config_id,
        org_id,
        provider: "paypal",
        country: CountryCode.make("NG"),
        payment_method: "bank_transfer",
        direction: "outbound",
        api_version: "v2",
        priority: 7,
        is_active: false,
        webhook_required: true,
        min_amount: decimal("1.5"),
        max_amount: null,
        description: "changed",
        webhook_url: "https://example.com/hook"
      } as const
      const after = Option.getOrThrow(yield* store.update(changed))
      expect(plain(after)).toEqual({
        ...changed,
        min_amount: "1.5",
        has_credentials: false,
        credentials_tested_at: null,
        created_at: before.created_at,
        updated_at: expect.any(Date)
      })
      expect(after.updated_at.getTime()).toBeGreaterThanOrEqual(before.updated_at.getTime())
      expect(plain(Option.getOrThrow(yield* store.findForUpdate(before.config_id)))).toEqual(plain(after))
      expect(yield* find(untouched.config_id)).toEqual(Option.some(untouched))
    })
  )

  it.effect("does not make what it is asked to change", () =>
    Effect.gen(function* () {
      const store = yield* ProviderConfigStore
      const row = yield* add()
      yield* store.remove(row.config_id)
      const {
        created_at: _created,
        credentials_tested_at: _tested,
        has_credentials: _has,
        updated_at: _updated,
        ...gone
      } = row
      expect(yield* store.update(gone)).toEqual(Option.none())
      expect(yield* find(row.config_id)).toEqual(Option.none())
    })
  )

  it.effect("removes one", () =>
    Effect.gen(function* () {
      const store = yield* ProviderConfigStore
      const row = yield* add()
      const other = yield* add()
      yield* store.remove(row.config_id)
      expect(yield* store.findForUpdate(row.config_id)).toEqual(Option.none())
      expect(Option.isSome(yield* find(other.config_id))).toBe(true)
    })
  )

  it.effect("gives an organisation its own configurations of a corridor and the global ones, never another's", () =>
    Effect.gen(function* () {
      const store = yield* ProviderConfigStore
      const acme = yield* newOrganization()
      const globex = yield* newOrganization()
      const at = { country: CountryCode.make("FO"), payment_method: "mobile_money", direction: "outbound" } as const
      const corridor = { country: at.country, paymentMethod: at.payment_method, flow: at.direction }
      const own = yield* add({ ...at, org_id: acme.org_id })
      const off = yield* add({ ...at, org_id: acme.org_id, is_active: false })
      const theirs = yield* add({ ...at, org_id: globex.org_id })
      const everybodys = yield* add(at)
      yield* add({ ...at, country: KE })
      yield* add({ ...at, payment_method: "card" })
      yield* add({ ...at, direction: "inbound" })
      expect(idsOf(yield* store.forCorridor(acme.org_id, corridor))).toEqual(idsOf([own, off, everybodys]))
      expect(idsOf(yield* store.forCorridor(globex.org_id, corridor))).toEqual(idsOf([theirs, everybodys]))
    })
  )
})
