import { describe, expect, it } from "vitest"
import { Either } from "effect"
import { againstUsd, parseRateSources, readCoinbase, readEcb, readJson, replaces } from "../../src/domain/RateSource.ts"

const ecb = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<Cube>
		<Cube time='2026-11-17'>
			<Cube currency='USD' rate='1.0705'/>
			<Cube currency='JPY' rate='171.94'/>
			<Cube currency='QQQ' rate='2'/>
		</Cube>
	</Cube>
</gesmes:Envelope>`

const coinbase = `{"data":{"currency":"USD","rates":{"BTC":"0.0000105263157894","USDC":"1.0","KES":"129.5","NOPE":"3","ETH":"0"}}}`

const right = <A>(either: Either.Either<A, string>): A => Either.getOrThrowWith(either, (why) => new Error(why))
const rows = (reading: ReturnType<typeof readEcb>) =>
  Object.fromEntries(
    right(Either.flatMap(reading, againstUsd)).map((row) => [`${row.from_currency}/${row.to_currency}`, row.rate])
  )

describe("Documents of rate sources", () => {
  it("reads the European Central Bank's daily file, crossed through USD", () => {
    expect(right(readEcb(ecb)).publishedAt?.toISOString()).toBe("2026-11-17T00:00:00.000Z")
    expect(rows(readEcb(ecb))).toEqual({
      "EUR/USD": "1.0705",
      "USD/EUR": "0.934142923867",
      "JPY/USD": "0.00622600907293",
      "USD/JPY": "160.616534329"
    })
  })

  it("never gives more than one back for a currency there and back", () => {
    for (const reading of [readEcb(ecb), readCoinbase(coinbase)]) {
      const all = rows(reading)
      for (const [pair, rate] of Object.entries(all)) {
        const back = all[pair.split("/").toReversed().join("/")]!
        expect(Number(rate) * Number(back)).toBeLessThanOrEqual(1 + 1e-15)
      }
    }
  })

  it("takes crypto assets above zero from Coinbase, and no fiat currency", () => {
    expect(rows(readCoinbase(coinbase))).toEqual({
      "BTC/USD": "95000.0000006",
      "USD/BTC": "0.0000105263157894",
      "USDC/USD": "1",
      "USD/USDC": "1"
    })
  })

  it("reads any JSON by its mapping, digits as written", () => {
    const read = readJson({ base: "/query/from", rates: "/quotes", at: "/timestamp" })
    const document = `{"query":{"from":"USD"},"timestamp":1793577600,"quotes":{"KES":129.350000000001234,"NGN":1500}}`
    expect(rows(read(document))["USD/KES"]).toBe("129.35")
    expect(right(read(document)).publishedAt?.toISOString()).toBe("2026-11-02T00:00:00.000Z")
  })

  it.each([
    ["no JSON", "<html>", "not JSON"],
    ["no base", `{"rates":{"KES":1}}`, "no base currency at /base"],
    ["an unknown base", `{"base":"XYZ1","rates":{"KES":1}}`, "is not known"],
    ["no rates", `{"base":"USD","rates":[1]}`, "no object of rates at /rates"],
    ["no known currency", `{"base":"USD","rates":{"FOO":1,"KES":-2,"NGN":null}}`, "no rate of a known currency"]
  ])("says what a document lacks: %s", (_, document, why) => {
    expect(Either.getOrThrow(Either.flip(readJson({ base: "/base", rates: "/rates", at: null })(document)))).toContain(
      why
    )
  })

  it.each(["1e999999999", "1".repeat(100), "0x10", "1_0", "Infinity", "-3", "0", "0.0", " 1", ""])(
    "leaves out the value %j",
    (text) => {
      const document = JSON.stringify({ base: "USD", rates: { KES: text, NGN: "1500" } })
      expect(Object.keys(rows(readJson({ base: "/base", rates: "/rates", at: null })(document)))).toEqual([
        "NGN/USD",
        "USD/NGN"
      ])
    }
  )

  it("takes numbers with an exponent", () => {
    expect(
      rows(readJson({ base: "/base", rates: "/rates", at: null })(`{"base":"USD","rates":{"BTC":1.05e-5}}`))
    ).toEqual({ "BTC/USD": "95238.095238", "USD/BTC": "0.0000105" })
  })

  it("refuses a document that has a currency twice, such as one of several days", () => {
    const days = ecb.replace("<Cube time='2026-11-17'>", "<Cube time='2026-11-17'><Cube currency='USD' rate='1.2'/>")
    expect(readEcb(days)).toEqual(Either.left("it has USD twice"))
    const json = readJson({ base: "/base", rates: "/rates", at: null })(`{"base":"USD","rates":{"KES":1,"KES":2}}`)
    expect(Either.isLeft(json)).toBe(true)
  })

  it("reads times in seconds, milliseconds and ISO 8601, and refuses others where the mapping names one", () => {
    const read = readJson({ base: "/base", rates: "/rates", at: "/at" })
    const at = (time: unknown) => read(JSON.stringify({ base: "USD", rates: { KES: "1" }, at: time }))
    for (const time of [1793577600, 1793577600000, "2026-11-02T00:00:00Z", "2026-11-02"]) {
      expect(right(at(time)).publishedAt?.toISOString()).toBe("2026-11-02T00:00:00.000Z")
    }
    for (const time of [null, "soon", "99999999999999999999", {}])
      expect(at(time)).toEqual(Either.left("it has no time at /at"))
  })

  it("needs USD in the document", () => {
    const noUsd = Either.flatMap(
      readJson({ base: "EUR", rates: "/rates", at: null })(`{"rates":{"KES":140}}`),
      againstUsd
    )
    expect(Either.getOrThrow(Either.flip(noUsd))).toContain("no rate of USD")
  })
})

describe("RATE_SOURCE", () => {
  it("lists sources by priority, and keeps keys out of their names", () => {
    const { fetched, priority } = right(
      parseRateSources(
        "manual, https://fx.example/latest?app_id=secret#base=USD&rates=/rates,ecb,coinbase,file:/etc/r.json"
      )
    )
    expect(priority).toEqual(["manual", "https://fx.example/latest", "ecb", "coinbase", "file:/etc/r.json"])
    expect(fetched.map(({ location }) => location)[0]).toBe("https://fx.example/latest?app_id=secret")
  })

  it.each([
    "",
    "ecb,ecb",
    "ftp://x/y",
    "http://fx.example/x",
    "file:",
    "https://x/y#rates=rates",
    "https://x/y#bas=USD",
    "ECB"
  ])("refuses %j", (text) => {
    expect(Either.isLeft(parseRateSources(text))).toBe(true)
  })
})

describe("Priority", () => {
  const priority = ["manual", "ecb", "coinbase"]
  it.each([
    ["ecb", undefined, true],
    ["ecb", { source: "ecb", isFresh: true }, true],
    ["ecb", { source: "manual", isFresh: true }, false],
    ["ecb", { source: "manual", isFresh: false }, true],
    ["ecb", { source: "coinbase", isFresh: true }, true],
    ["coinbase", { source: "ecb", isFresh: true }, false],
    ["coinbase", { source: "file:/gone.json", isFresh: true }, true]
  ])("%s over %o: %s", (source, current, expected) => {
    expect(replaces(priority, source, current)).toBe(expected)
  })
  it("replaces a manual rate where manual is not listed", () => {
    expect(replaces(["ecb"], "ecb", { source: "manual", isFresh: true })).toBe(true)
  })
})
