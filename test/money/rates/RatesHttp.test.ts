import { expect } from "@effect/vitest"
import { BigDecimal, Effect, Schema } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { Rate } from "../../../src/domain/Exchange.ts"
import { Rates } from "../../../src/money/rates/Rates.ts"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { RateQuote } from "../../../src/money/rates/RateQuote.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { setSpread } from "../../support/StoreFixtures.ts"
import { clientFor } from "../../support/Client.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer, onServer } from "../../support/TestServer.ts"

const code = Schema.decodeUnknownSync(AnyCurrencyCode)
const rate = (text: string) => Rate.make(BigDecimal.unsafeFromString(text))

const PATH = "/v1/organizations/admin/exchange-rate"

const lookUp = (credential: Credential, query: Readonly<Record<string, string>>) =>
  send(`${PATH}?${new URLSearchParams(query).toString()}`, { headers: { ...credential } })

const pair = (fromCurrency: string, toCurrency: string, amount?: string) => ({
  fromCurrency,
  toCurrency,
  ...(amount === undefined ? {} : { amount })
})

const put = (credential: Credential, body: string) =>
  send(PATH, { method: "PUT", headers: { "content-type": "application/json", ...credential }, body })

const error = (message: string | RegExp) => ({
  status: "error",
  message: typeof message === "string" ? message : expect.stringMatching(message)
})

onDatabaseServer("Rate lookup", (it) => {
  it.effect("answers the typed client with a rate, locked for 15 minutes, and every field", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const client = yield* clientFor(acme.token("member"))
      const { data, ...rest } = yield* client.rates.lookup({
        urlParams: { fromCurrency: "USDT", toCurrency: "ETH" }
      })
      expect(rest).toEqual({ status: "success", message: "Exchange rate, locked until expires_at" })
      expect(Object.keys(data).sort()).toEqual(
        "amount created_at expires_at from_currency org_rate_id rate target_amount to_currency".split(" ")
      )
      expect(data).toMatchObject({ from_currency: "USDT", to_currency: "ETH", amount: null, target_amount: null })
      expect(data.expires_at.getTime() - data.created_at.getTime()).toBe(15 * 60_000)
      const locked = yield* Effect.flatMap(RateQuote, (quote) => quote.locked(acme.org_id, data.org_rate_id))
      expect(locked).toMatchObject({
        _tag: "Some",
        value: { from: "USDT", to: "ETH", rate: data.rate, expiresAt: data.expires_at }
      })
    })
  )

  it.effect("writes exact numbers: rates to 12 digits, amounts with their fraction", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const cases: ReadonlyArray<readonly [ReturnType<typeof pair>, rate: string, amount: string, target: string]> = [
        [pair("USD", "KES"), "129.198966408", "null", "null"],
        [pair("USD", "KES", "1500.5"), "129.198966408", "1500.50", "193863.05"],
        [pair("USD", "UGX", "0.10"), "3676.47058823", "0.10", "368.0"],
        [pair("UGX", "USD", "1500"), "0.000272", "1500.0", "0.41"],
        [pair("KES", "NGN", "10"), "11.9076923076", "10.00", "119.08"],
        [pair("USDT", "USD", "2"), "1.0", "2.0", "2.00"],
        // Between fiat currencies as a payment's caller rounds it, with crypto as a ramp gives it.
        [pair("USD", "ETH", "10"), "0.00028409090909", "10.00", "0.0028409"],
        [pair("ETH", "KES", "0.00001"), "454780.361756", "0.00001", "4.54"],
        [pair("ETH", "USD", "0.000000000000000001"), "3520.0", "0.000000000000000001", "0.00"],
        [pair("BTC", "USDC", "1.5"), "68250.0", "1.5", "102375.0"],
        [pair("USD", "NGN", "9999999999999.99"), "1538.46153846", "9999999999999.99", "15384615384599984.62"]
      ]
      for (const [query, rate, amount, target] of cases) {
        const { status, text } = yield* lookUp(acme.key, query)
        expect(status, text).toBe(200)
        expect(text).toContain(`"rate":${rate},"amount":${amount},"target_amount":${target},"expires_at":"`)
      }
    })
  )

  it.effect("lowers the rate by the organisation's spread, for that organisation", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      yield* setSpread(globex.org_id, 150)
      const [plain, spread] = yield* Effect.all([
        lookUp(acme.key, pair("BTC", "USD", "1")),
        lookUp(globex.key, pair("BTC", "USD", "1"))
      ])
      expect(plain.text).toContain(`"rate":68250.0,"amount":1.0,"target_amount":68250.00,`)
      expect(spread.text).toContain(`"rate":67226.25,"amount":1.0,"target_amount":67226.25,`)
    })
  )

  it.effect("refuses codes and amounts that are missing, malformed or unknown, and names the field", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const refused: ReadonlyArray<readonly [Readonly<Record<string, string>>, RegExp]> = [
        [{ toCurrency: "KES" }, /^fromCurrency: is missing\.$/],
        [{ fromCurrency: "KES" }, /^toCurrency: is missing\.$/],
        [pair("kes", "USD"), /^fromCurrency: is not a currency or asset code/],
        [pair("USD", ""), /^toCurrency: is not a currency/],
        [pair("USD", "usdt"), /^toCurrency: is not a currency/],
        [pair("US D", "KES"), /^fromCurrency: is not a currency/],
        [pair("USD", "USD"), /^toCurrency: is the same currency as fromCurrency\.$/],
        [pair("USD", "KES", "0"), /^amount: is not above zero\.$/],
        [pair("USD", "KES", "-0"), /^amount: is not above zero\.$/],
        [pair("USD", "KES", "-1"), /^amount: is not above zero\.$/],
        [pair("USD", "KES", ""), /^amount: is not a decimal number/],
        [pair("USD", "KES", "1e309"), /^amount: is not a decimal number/],
        [pair("USD", "KES", "NaN"), /^amount: is not a decimal number/],
        [pair("USD", "KES", "1,5"), /^amount: is not a decimal number/],
        [pair("USD", "KES", " 1"), /^amount: is not a decimal number/],
        [pair("USD", "KES", "1234567890123456"), /^amount: has more than 15 significant digits\.$/],
        [pair("USD", "KES", "1.005"), /^amount: has more than 2 fraction digits, which USD does not allow\.$/],
        [pair("UGX", "USD", "1.5"), /^amount: has a fraction, but UGX has no minor unit\.$/],
        [pair("BTC", "USD", "0.000000001"), /^amount: has more than 8 fraction digits/]
      ]
      for (const [query, message] of refused) {
        const answer = yield* lookUp(acme.key, query)
        expect([answer.status, bodyOf(answer)]).toEqual([400, error(message)])
      }
      const twice = yield* send(`${PATH}?fromCurrency=USD&fromCurrency=KES&toCurrency=KES`, {
        headers: { ...acme.key }
      })
      expect([twice.status, bodyOf(twice)]).toEqual([400, error(/^fromCurrency: /)])
      for (const unknown of [pair("USD", "XYZ"), pair("DOGE", "KES")]) {
        const answer = yield* lookUp(acme.key, unknown)
        expect([answer.status, bodyOf(answer)]).toEqual([404, error(/^There is no rate for (XYZ|DOGE)/)])
      }
    })
  )

  it.effect("has no rate for a pair without base rates, even through USD", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* lookUp(acme.key, pair("CHF", "KES"))
      expect([answer.status, bodyOf(answer)]).toEqual([
        404,
        error('There is no rate from CHF to KES: an operator sets it with "corridor rates set CHF USD RATE".')
      ])
    })
  )

  it.effect("says which rates are missing for a pair that has only a rate of its own", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const set = yield* put(admin, JSON.stringify({ from_currency: "ISK", to_currency: "PLN", rate: 0.03 }))
      expect(set.status, set.text).toBe(200)
      const answer = yield* lookUp(acme.key, pair("ISK", "PLN", "100"))
      expect([answer.status, bodyOf(answer)]).toEqual([
        404,
        error(/"corridor rates set ISK USD RATE" and "corridor rates set USD PLN RATE"/)
      ])
    })
  )

  it.effect("asks a platform admin for the organisation, and locks for that one alone", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const query = pair("USD", "KES")
      const without = yield* lookUp(admin, query)
      expect([without.status, bodyOf(without)]).toEqual([400, error(/^org_id: /)])
      expect((yield* lookUp(admin, { ...query, org_id: nilUuid })).status).toBe(404)
      expect((yield* lookUp(acme.key, { ...query, org_id: globex.org_id })).status).toBe(403)
      const client = yield* clientFor(admin)
      const { data } = yield* client.rates.lookup({
        urlParams: { fromCurrency: "USDT", toCurrency: "BTC", org_id: acme.org_id }
      })
      const quote = yield* RateQuote
      expect(yield* quote.locked(acme.org_id, data.org_rate_id)).toMatchObject({ _tag: "Some" })
      expect(yield* quote.locked(globex.org_id, data.org_rate_id)).toMatchObject({ _tag: "None" })
    })
  )

  it.effect("wants a credential", () =>
    Effect.gen(function* () {
      expect((yield* send(`${PATH}?fromCurrency=USD&toCurrency=KES`)).status).toBe(401)
    })
  )
})

onDatabaseServer("Setting a rate", (it) => {
  it.effect("is for platform admins, works at once, leaves locks alone, and is audited", () =>
    Effect.gen(function* () {
      const { acme, admin, adminId } = yield* people
      const client = yield* clientFor(acme.key)
      const asked = { urlParams: { fromCurrency: "USDC", toCurrency: "BTC" } } as const
      const { data: before } = yield* client.rates.lookup(asked)
      const answer = yield* put(admin, `{"from_currency":"USDC","to_currency":"BTC","rate":0.0000146500000001}`)
      expect(answer.status, answer.text).toBe(200)
      expect(answer.text).toMatch(
        /^\{"status":"success","message":"Exchange rate set","data":\{"from_currency":"USDC","to_currency":"BTC","rate":0\.0000146500000001,"status":"set","previous_rate":null,"updated_at":"[^"]+Z"\}\}$/
      )
      const { text } = yield* lookUp(acme.key, pair("USDC", "BTC"))
      expect(text).toContain(`"rate":0.0000146500000001,`)
      const locked = yield* Effect.flatMap(RateQuote, (quote) => quote.locked(acme.org_id, before.org_rate_id))
      expect(locked).toMatchObject({ _tag: "Some", value: { rate: before.rate } })
      const log = yield* send("/v1/audit-log?action=rate.set&limit=1", { headers: { ...admin } })
      expect(bodyOf(log)).toMatchObject({
        data: [
          {
            org_id: null,
            actor_type: "user",
            actor_id: adminId,
            subject_id: "USDC/BTC",
            detail: { old: null, new: "0.0000146500000001" }
          }
        ]
      })
    })
  )

  it.effect("that moves by more than 10 percent waits for a second person, who is not the first", () =>
    Effect.gen(function* () {
      const { acme, admin, adminId } = yield* people
      const rates = yield* Rates
      const operator = operatorPermit("platform", "ada")
      const wanted = { from: code("USD"), to: code("GHS"), rate: rate("9.5") }
      const body = `{"from_currency":"USD","to_currency":"GHS","rate":9.5}`
      const served = Effect.map(lookUp(acme.key, pair("USD", "GHS")), ({ text }) => /"rate":([\d.]+)/.exec(text)?.[1])
      const before = yield* served
      for (let times = 0; times < 2; times++) {
        const answer = yield* put(admin, body)
        expect([answer.status, bodyOf(answer)]).toMatchObject([
          200,
          { message: expect.stringContaining("proposed"), data: { rate: 9.5, status: "proposed" } }
        ])
        expect(yield* served).toBe(before)
      }
      expect((yield* rates.list(operator)).proposals).toMatchObject([{ rate: "9.5", proposed_by: adminId }])
      // Another rate is another proposal, and the first one must be made again.
      expect(yield* rates.set(operator, { ...wanted, rate: rate("9.4") })).toMatchObject({ status: "proposed" })
      expect(yield* rates.set(operator, wanted)).toMatchObject({ status: "proposed", proposed_by: "operator ada" })
      expect(bodyOf(yield* put(admin, body))).toMatchObject({ data: { status: "set", rate: 9.5 } })
      expect(yield* served).toBe("9.5")
      expect((yield* rates.list(operator)).proposals).toEqual([])
      const log = yield* send("/v1/audit-log?action=rate.set&limit=1", { headers: { ...admin } })
      expect(bodyOf(log)).toMatchObject({
        data: [{ actor_id: adminId, subject_id: "USD/GHS", detail: { new: "9.5", proposed_by: "operator ada" } }]
      })
    })
  )

  it.effect("is listed for admins with its source, as are proposals and the state of sources", () =>
    Effect.gen(function* () {
      const { acme, admin, adminId } = yield* people
      yield* put(admin, `{"from_currency":"USD","to_currency":"UGX","rate":9000}`)
      const path = "/v1/organizations/admin/exchange-rates"
      expect((yield* send(path, { headers: { ...acme.key } })).status).toBe(403)
      const answer = yield* send(path, { headers: { ...admin } })
      const { data } = bodyOf(answer) as { readonly data: Record<"rates" | "proposals", ReadonlyArray<object>> }
      expect(data).toMatchObject({ sources: [] })
      expect(data.rates).toContainEqual(
        expect.objectContaining({ from_currency: "USD", to_currency: "UGX", source: "manual", published_at: null })
      )
      expect(data.proposals).toMatchObject([{ to_currency: "UGX", rate: 9000, proposed_by: adminId, source: "manual" }])
      const filtered = yield* send(`${path}?from_currency=USD`, { headers: { ...admin } })
      expect(refusedFields(filtered)).toEqual([400, "from_currency"])
    })
  )

  it.effect("that moves by 10 percent at most is set at once, also against what the way back makes of it", () =>
    Effect.gen(function* () {
      const rates = yield* Rates
      const operator = operatorPermit("platform", "ada")
      const set = (from: string, to: string, text: string) =>
        Effect.map(rates.set(operator, { from: code(from), to: code(to), rate: rate(text) }), ({ status }) => status)
      // A pair without any rate has nothing to move from.
      expect(yield* set("USD", "JPY", "100")).toBe("set")
      expect(yield* set("USD", "JPY", "110")).toBe("set")
      expect(yield* set("USD", "JPY", "121.01")).toBe("proposed")
      expect(yield* set("USD", "JPY", "99")).toBe("set")
      expect(yield* set("USD", "JPY", "89")).toBe("proposed")
      // The first rate of the way back is compared with the inverse.
      expect(yield* set("JPY", "USD", "0.0125")).toBe("proposed")
      expect(yield* set("JPY", "USD", "0.0102")).toBe("set")
    })
  )

  it.effect("is refused to everyone else", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const credential of [acme.key, acme.token("org-admin"), acme.token("member")]) {
        const answer = yield* put(credential, `{"from_currency":"USD","to_currency":"KES","rate":1}`)
        expect(answer.status).toBe(403)
      }
      expect((yield* lookUp(acme.key, pair("USD", "KES"))).text).toContain(`"rate":129.198966408,`)
    })
  )

  it.effect("refuses what is not a rate between two currencies, and names the field", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      const refused: ReadonlyArray<readonly [string, RegExp]> = [
        [`{"to_currency":"KES","rate":1}`, /^from_currency: is missing\.$/],
        [`{"from_currency":"USD","to_currency":"ABC","rate":1}`, /^to_currency: is neither/],
        [
          `{"from_currency":"USD","to_currency":"USD","rate":1}`,
          /^to_currency: is the same currency as from_currency\.$/
        ],
        [`{"from_currency":"USD","to_currency":"KES"}`, /^rate: is missing\.$/],
        [`{"from_currency":"USD","to_currency":"KES","rate":"1"}`, /^rate: is not a JSON number/],
        [`{"from_currency":"USD","to_currency":"KES","rate":0}`, /^rate: is not above zero\.$/],
        [`{"from_currency":"USD","to_currency":"KES","rate":1.234567890123}`, /^rate: has more than 12 significant/],
        [
          `{"from_currency":"USD","to_currency":"KES","rate":1.00000000000000001}`,
          /^rate: has more than 12 significant/
        ]
      ]
      for (const [body, message] of refused) {
        const answer = yield* put(admin, body)
        expect([answer.status, bodyOf(answer)]).toEqual([400, error(message)])
      }
    })
  )
})

onServer("Rate lookup with a short RATE_MAX_AGE", "memory", { variables: { RATE_MAX_AGE: "1 nanos" } }, (it) => {
  it.effect("says that a rate is stale", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* lookUp(acme.key, pair("USD", "KES"))
      const message =
        /^The rate from USD to KES is stale: that of USD to KES was last set at [^ ]+Z, an operator .*"corridor rates set USD KES RATE"\.$/
      expect([answer.status, bodyOf(answer)]).toEqual([404, error(message)])
    })
  )
})

onServer("Rate lookup with RATE_LOCK_TTL", "memory", { variables: { RATE_LOCK_TTL: "90 seconds" } }, (it) => {
  it.effect("locks for that long", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const client = yield* clientFor(acme.key)
      const { data } = yield* client.rates.lookup({ urlParams: { fromCurrency: "USDT", toCurrency: "BTC" } })
      expect(data.expires_at.getTime() - data.created_at.getTime()).toBe(90_000)
    })
  )
})
