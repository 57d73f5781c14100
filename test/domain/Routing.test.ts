import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Either } from "effect"
import * as fc from "fast-check"
import { ConfigId } from "../../src/domain/Ids.ts"
import type { CircuitState } from "../../src/domain/CircuitBreaker.ts"
import { flows, paymentMethods, type ProviderName } from "../../src/domain/Corridor.ts"
import { CountryCode } from "../../src/domain/Country.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { Money } from "../../src/domain/Money.ts"
import {
  preference,
  route,
  type RouteConfig,
  type RouteQuestion,
  type SupportQuestion
} from "../../src/domain/Routing.ts"
import { idFrom } from "../support/AnyId.ts"

const ACME = idFrom("acme")
const GLOBEX = idFrom("globex")

const corridor = { country: CountryCode.make("KE"), paymentMethod: "card", flow: "inbound" } as const

const money = (text: string, currency = "KES") =>
  Either.getOrThrow(Money.fromNumericText(text, CurrencyCode.make(currency)))

const decimal = (text: string) => BigDecimal.unsafeFromString(text)

const config = (id: string, provider: ProviderName, about: Partial<RouteConfig> = {}): RouteConfig => ({
  config_id: ConfigId.make(id),
  org_id: null,
  provider,
  country: "KE",
  payment_method: "card",
  direction: "inbound",
  priority: 100,
  is_active: true,
  min_amount: null,
  max_amount: null,
  created_at: new Date(1000),
  own_account: false,
  untested: false,
  ...about
})

const ask = (configs: ReadonlyArray<RouteConfig>, about: Partial<RouteQuestion> = {}) =>
  route({
    corridor,
    orgId: ACME,
    money: money("100.00"),
    configs,
    network: null,
    provider: () => ({ supports: () => Either.void }),
    circuit: () => "closed",
    ...about
  })

const candidateIds = (answer: ReturnType<typeof route>) => answer.candidates.map((one) => one.config_id)
const excludedIds = (answer: ReturnType<typeof route>) => answer.excluded.map((one) => one.config_id)

describe("route", () => {
  it("leaves out a provider that does not take the amount's digits, with the amounts that it takes", () => {
    const digits = { mpesa: 0, pawapay: 2 }
    const asked = (amount: Money) =>
      ask([config("a", "mpesa"), config("b", "pawapay"), config("c", "stripe")], {
        money: amount,
        provider: ({ provider }) => ({
          supports: () => Either.void,
          ...(provider === "stripe" ? {} : { digits: () => digits[provider as "mpesa" | "pawapay"] })
        })
      })
    const fine = asked(money("14059.78"))
    expect(candidateIds(fine)).toEqual(["b", "c"])
    expect(fine.excluded).toEqual([
      {
        provider: "mpesa",
        config_id: "a",
        reason: "mpesa takes whole amounts only: 14059.00 KES or 14060.00 KES instead of 14059.78 KES.",
        digits: 0
      }
    ])
    expect(candidateIds(asked(money("14059.00")))).toEqual(["a", "b", "c"])
    expect(asked(money("0.78")).excluded[0]?.reason).toMatch(/: 1\.00 KES instead of 0\.78 KES/)
    expect(asked(money("1.234", "KWD")).excluded[1]?.reason).toMatch(/at most 2 digits .* 1\.230 KWD or 1\.240 KWD/)
  })

  it("asks the organisation's own first, then by priority, then by age, then by id", () => {
    const answer = ask([
      config("g", "stripe", { priority: 5 }),
      config("f", "adyen", { priority: 5, created_at: new Date(999) }),
      config("e", "paypal", { priority: 5, created_at: new Date(999) }),
      config("d", "fiat", { priority: 4 }),
      config("b", "circle", { org_id: ACME, priority: 9000 }),
      config("a", "paystack", { org_id: ACME, priority: 8000 })
    ])
    expect(candidateIds(answer)).toEqual(["a", "b", "d", "e", "f", "g"])
    expect(answer.candidates[0]).toEqual({
      account: null,
      takesCardNumbers: false,
      needsPayerEmail: false,
      own_account: false,
      provider: "paystack",
      config_id: "a",
      priority: 8000
    })
    expect(answer.excluded).toEqual([])
  })

  it("sees neither other organisations nor other corridors", () => {
    const answer = ask([
      config("a", "stripe", { org_id: GLOBEX }),
      config("b", "stripe", { country: "NG" }),
      config("c", "stripe", { payment_method: "wallet" }),
      config("d", "stripe", { direction: "outbound" })
    ])
    expect(answer).toEqual({ candidates: [], excluded: [] })
  })

  const reasonFor = (one: RouteConfig, about: Partial<RouteQuestion> = {}) => {
    const answer = ask([one, config("other", "fiat", { priority: 9999 })], about)
    expect(candidateIds(answer)).toEqual(["other"])
    expect(excludedIds(answer)).toEqual([one.config_id])
    return answer.excluded[0]?.reason
  }

  it("says that a configuration is switched off", () => {
    expect(reasonFor(config("a", "stripe", { is_active: false }))).toBe("This configuration is switched off.")
  })

  it("says that the amount is out of the limits, which are part of the band", () => {
    const band = config("a", "stripe", { min_amount: decimal("100"), max_amount: decimal("250.5") })
    expect(reasonFor(band, { money: money("99.99") })).toBe("The amount 99.99 KES is below the minimum of 100.")
    expect(reasonFor(band, { money: money("250.51") })).toBe("The amount 250.51 KES is above the maximum of 250.5.")
    for (const inside of ["100.00", "250.50"]) {
      expect(candidateIds(ask([band], { money: money(inside) }))).toEqual(["a"])
    }
  })

  it("says that a provider is not switched on", () => {
    const reason = "The provider stripe is not switched on: its credentials are not set."
    const on = { supports: () => Either.void }
    expect(reasonFor(config("a", "stripe"), { provider: (one) => (one.provider === "stripe" ? undefined : on) })).toBe(
      reason
    )
  })

  it("asks the provider whether it supports the payment, and passes on its reason where it does not", () => {
    const asked: Array<unknown> = []
    const provider = (one: RouteConfig) => ({
      supports: (question: SupportQuestion) => {
        asked.push(question)
        return one.provider === "stripe" ? Either.left("Not by card.") : Either.void
      }
    })
    const reason = reasonFor(config("a", "stripe"), { provider, money: money("1", "UGX"), network: "mpesa" })
    expect(reason).toBe("Not by card.")
    expect(asked[0]).toEqual({ currency: "UGX", method: "card", flow: "inbound", country: "KE", network: "mpesa" })
  })

  it("leaves out a provider that needs the payer's e-mail address, only from payins without one", () => {
    const provider = (one: RouteConfig) => ({
      supports: () => Either.void,
      needsPayerEmail: one.provider === "paystack"
    })
    const needs = config("a", "paystack")
    const reason = "paystack takes no payment without the payer's e-mail address."
    expect(reasonFor(needs, { provider, payerHasEmail: false })).toBe(reason)
    for (const about of [{}, { payerHasEmail: true }])
      expect(candidateIds(ask([needs], { provider, ...about }))).toEqual(["a"])
    const outward = { ...corridor, flow: "outbound" } as const
    const payout = config("b", "paystack", { direction: "outbound" })
    expect(candidateIds(ask([payout], { provider, corridor: outward, payerHasEmail: false }))).toEqual(["b"])
  })

  it("leaves out a provider that has declined this payment", () => {
    const reason = reasonFor(config("a", "stripe"), { alreadyDeclined: new Set<ProviderName>(["stripe"]) })
    expect(reason).toBe("The provider stripe has already declined this payment.")
  })

  it("leaves out a provider with an open circuit, but not one that may be probed", () => {
    const stripeIs =
      (state: CircuitState): RouteQuestion["circuit"] =>
      ({ provider }) =>
        provider === "stripe" ? state : "closed"
    expect(reasonFor(config("a", "stripe"), { circuit: stripeIs("open") })).toBe(
      "The provider stripe did not answer repeatedly: its circuit breaker is open."
    )
    const both = [config("a", "stripe"), config("b", "fiat")]
    expect(candidateIds(ask(both, { circuit: stripeIs("half-open") }))).toEqual(["a", "b"])
  })

  it("tries open circuits in order when nothing else is left", () => {
    const answer = ask(
      [
        config("c", "adyen", { priority: 3 }),
        config("b", "stripe", { priority: 2 }),
        config("d", "stripe", { priority: 4 }),
        config("a", "paypal", { priority: 1, is_active: false })
      ],
      { circuit: () => "open" }
    )
    expect(candidateIds(answer)).toEqual(["b", "c"])
    expect(excludedIds(answer)).toEqual(["a", "d"])
  })

  it("asks a provider once, through its first fitting configuration", () => {
    const answer = ask([
      config("a", "stripe", { priority: 1, max_amount: decimal("50") }),
      config("b", "stripe", { priority: 2, min_amount: decimal("50") }),
      config("c", "stripe", { priority: 3 })
    ])
    expect(candidateIds(answer)).toEqual(["b"])
    expect(excludedIds(answer)).toEqual(["a", "c"])
    expect(answer.excluded[1]?.reason).toBe("The provider stripe is already asked through another configuration.")
  })
})

const names = ["stripe", "adyen", "fiat", "paypal"] as const satisfies ReadonlyArray<ProviderName>

const amount = fc.option(
  fc.integer({ min: 0, max: 300 }).map((n) => decimal(String(n))),
  { nil: null }
)

const anyConfig = (config_id: string): fc.Arbitrary<RouteConfig> =>
  fc.record({
    config_id: fc.constant(ConfigId.make(config_id)),
    org_id: fc.constantFrom(null, null, ACME, ACME, GLOBEX),
    provider: fc.constantFrom(...names),
    country: fc.constantFrom("KE", "KE", "KE", "NG"),
    payment_method: fc.constantFrom("card", "card", "card", ...paymentMethods),
    direction: fc.constantFrom("inbound", "inbound", "inbound", ...flows),
    priority: fc.integer({ min: 0, max: 3 }),
    is_active: fc.constantFrom(true, true, true, false),
    min_amount: amount,
    max_amount: amount,
    created_at: fc.integer({ min: 0, max: 2 }).map((n) => new Date(n)),
    own_account: fc.boolean(),
    untested: fc.constantFrom(false, false, false, true)
  })

const anyConfigs = fc.integer({ min: 0, max: 12 }).chain((count) => {
  const ids = Array.from({ length: count }, (_, n) => `config-${n}`)
  return fc.tuple(...ids.map(anyConfig))
})

const anyWorld = fc.record({
  supported: fc.subarray([...names]),
  on: fc.subarray([...names]),
  open: fc.subarray([...names]),
  declined: fc.subarray([...names], { maxLength: 1 }),
  minor: fc.integer({ min: 1, max: 30_000 })
})

type World = typeof anyWorld extends fc.Arbitrary<infer A> ? A : never

const has = (some: ReadonlyArray<ProviderName>, name: ProviderName) => some.includes(name)

const worldOf = ({ declined, minor, on, open, supported }: World): Partial<RouteQuestion> => ({
  money: new Money({ currency: CurrencyCode.make("KES"), minor: BigInt(minor) }),
  provider: ({ provider: name }) =>
    has(on, name) ? { supports: () => (has(supported, name) ? Either.void : Either.left("It does not.")) } : undefined,
  circuit: ({ provider }) => (has(open, provider) ? "open" : "closed"),
  alreadyDeclined: new Set(declined)
})

const isOfTheCorridor = (one: RouteConfig) =>
  one.country === "KE" && one.payment_method === "card" && one.direction === "inbound"

describe("route by accounts", () => {
  it("goes through the account that a configuration brings, and the platform's where it brings none", () => {
    const answer = ask([config("own", "stripe", { own_account: true }), config("shared", "adyen")])
    expect(answer.candidates.map((one) => [one.config_id, one.account])).toEqual([
      ["own", "own"],
      ["shared", null]
    ])
  })

  it("distinguishes an organisation's own account from one that all organisations share", () => {
    const org_id = ACME
    const answer = ask([
      config("own", "stripe", { own_account: true, org_id }),
      config("shared", "adyen", { own_account: true }),
      config("platform", "paystack", { org_id })
    ])
    expect(Object.fromEntries(answer.candidates.map((one) => [one.config_id, [one.account, one.own_account]]))).toEqual(
      {
        own: ["own", true],
        shared: ["shared", false],
        platform: [null, false]
      }
    )
  })

  it("moves what the platform keeps through no account of the organisation's own, and says so", () => {
    const org_id = ACME
    const configs = [config("own", "stripe", { own_account: true, org_id }), config("platform", "stripe")]
    expect(ask(configs).candidates.map((one) => one.config_id)).toEqual(["own"])
    const kept = ask(configs, { platformOnly: true })
    expect(kept.candidates.map((one) => one.config_id)).toEqual(["platform"])
    expect(kept.excluded).toEqual([
      {
        provider: "stripe",
        config_id: "own",
        reason: "Money that the platform holds for the organisation does not go through the organisation's own account."
      }
    ])
  })

  it("leaves out what was never tested, whatever the platform has, and says what to do", () => {
    const answer = ask([config("own", "stripe", { own_account: true, untested: true })])
    expect(answer.candidates).toEqual([])
    expect(answer.excluded[0]?.reason).toContain('run "corridor providers test own"')
  })

  it("distinguishes credentials that are not set from those that cannot be used", () => {
    const noProvider = { provider: () => undefined }
    const reasonOf = (about: Partial<RouteConfig>) =>
      ask([config("x", "stripe", about)], noProvider).excluded[0]?.reason
    expect(reasonOf({})).toBe("The provider stripe is not switched on: its credentials are not set.")
    expect(reasonOf({ own_account: true })).toContain("set them again")
  })

  it("never asks by an account that was not tested", () => {
    fc.assert(
      fc.property(anyConfigs, anyWorld, (configs, world) => {
        const asked = candidateIds(ask(configs, worldOf(world)))
        expect(configs.filter((one) => one.untested && asked.includes(one.config_id))).toEqual([])
      })
    )
  })
})

describe("route, whatever is configured", () => {
  it("orders configurations totally", () => {
    fc.assert(
      fc.property(anyConfig("a"), anyConfig("b"), anyConfig("c"), (a, b, c) => {
        expect(preference(a, a)).toBe(0)
        expect(preference(a, b)).toBe(-preference(b, a))
        expect(preference(a, b)).not.toBe(0)
        if (preference(a, b) < 0 && preference(b, c) < 0) expect(preference(a, c)).toBe(-1)
      })
    )
  })

  it("gives the same answer for the same configurations in another order", () => {
    const shuffled = anyConfigs.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }))
    )
    fc.assert(
      fc.property(shuffled, anyWorld, ([one, other], world) => {
        expect(ask(other, worldOf(world))).toEqual(ask(one, worldOf(world)))
      })
    )
  })

  it("puts every configuration that the organisation has in the corridor into exactly one list, and nothing else", () => {
    fc.assert(
      fc.property(anyConfigs, anyWorld, (configs, world) => {
        const answer = ask(configs, worldOf(world))
        const expected = configs.filter((one) => one.org_id !== GLOBEX && isOfTheCorridor(one))
        const listed = [...candidateIds(answer), ...excludedIds(answer)]
        expect(listed.toSorted()).toEqual(expected.map((one) => one.config_id).toSorted())
        for (const { reason } of answer.excluded) expect(reason).not.toBe("")
      })
    )
  })

  it("never lets an organisation's own configuration come after a global one", () => {
    fc.assert(
      fc.property(anyConfigs, anyWorld, (configs, world) => {
        const answer = ask(configs, worldOf(world))
        const isGlobal = candidateIds(answer).map((id) => configs.find((one) => one.config_id === id)?.org_id === null)
        expect(isGlobal).toEqual(isGlobal.toSorted())
      })
    )
  })

  it("asks each provider at most once, and only one that is on, able and has not declined", () => {
    fc.assert(
      fc.property(anyConfigs, anyWorld, (configs, world) => {
        const asked = ask(configs, worldOf(world)).candidates.map((one) => one.provider)
        expect(new Set(asked).size).toBe(asked.length)
        for (const name of asked) {
          expect(has(world.on, name) && has(world.supported, name) && !has(world.declined, name)).toBe(true)
        }
      })
    )
  })

  it("mixes no open circuit among healthy ones, and never gives up while one could be tried", () => {
    fc.assert(
      fc.property(anyConfigs, anyWorld, (configs, world) => {
        const { candidates } = ask(configs, worldOf(world))
        const open = candidates.filter((one) => has(world.open, one.provider))
        expect([0, candidates.length]).toContain(open.length)
        const ifAllWereWell = ask(configs, worldOf({ ...world, open: [] })).candidates
        expect(candidates.length === 0).toBe(ifAllWereWell.length === 0)
      })
    )
  })
})
