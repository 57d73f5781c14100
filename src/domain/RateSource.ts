/**
 * Sources of exchange rates, as `RATE_SOURCE` names them: where each document is, and how it is read. Pure.
 *
 * A source publishes what one unit of its base currency is worth in others. Corridor stores rates against USD, so each
 * published value becomes two rows: to USD and from USD, both rounded down to 12 digits.
 */
import { BigDecimal, Either, Option } from "effect"
import { type AnyCurrencyCode, isAnyCurrencyCode, isCryptoAssetCode, CurrencyCode } from "./Currency.ts"
import { divideRounded, roundToSignificantDigits, toPlainText, parseAsWritten } from "./Decimal.ts"
import { Rate, rateDigits } from "./Exchange.ts"
import { urlOf } from "./Url.ts"

/** Value of one unit of `base` in each currency, by one document. */
export interface PublishedRates {
  readonly base: AnyCurrencyCode
  readonly rates: ReadonlyMap<AnyCurrencyCode, BigDecimal.BigDecimal>
  /** Null where the document does not say. */
  readonly publishedAt: Date | null
}

type Reading = Either.Either<PublishedRates, string>

export interface RateSource {
  /** Stored with each rate. Without query and mapping, which may hold a key. */
  readonly name: string
  readonly kind: "ecb" | "coinbase" | "https" | "file"
  /** An address, or the path of a file. */
  readonly location: string
  readonly read: (document: string) => Reading
}

interface RateSources {
  /** Highest priority first. `manual` stands for rates that an operator sets. */
  readonly priority: ReadonlyArray<string>
  readonly fetched: ReadonlyArray<RateSource>
}

const isoDay = /^\d{4}-\d\d-\d\d$/

/** Numbers are seconds since 1970, or milliseconds where seconds would be past the year 5000. */
const dateOf = (text: string): Date | null => {
  const seconds = /^\d{1,11}$/.test(text)
  const millis = seconds || /^\d{12,14}$/.test(text) ? Number(text) * (seconds ? 1000 : 1) : Number.NaN
  const date = new Date(Number.isNaN(millis) ? (isoDay.test(text) ? `${text}T00:00:00Z` : text) : millis)
  return Number.isNaN(date.getTime()) ? null : date
}

/** Bounded, so that no document makes the service compute with numbers of a million digits. */
const decimal = /^\d{1,20}(\.\d{1,40})?(e[+-]?\d{1,2})?$/i

/** Values above zero of currencies that Corridor has; others are left out. */
const valuesOf = (
  entries: Iterable<readonly [string, unknown]>
): Either.Either<Map<AnyCurrencyCode, BigDecimal.BigDecimal>, string> => {
  const values = new Map<AnyCurrencyCode, BigDecimal.BigDecimal>()
  for (const [code, text] of entries) {
    const value = typeof text === "string" && decimal.test(text) ? BigDecimal.fromString(text) : Option.none()
    if (!isAnyCurrencyCode(code) || Option.isNone(value) || value.value.value === 0n) continue
    if (values.has(code)) return Either.left(`it has ${code} twice`)
    values.set(code, value.value)
  }
  return Either.right(values)
}

const published = (base: string, rates: PublishedRates["rates"], publishedAt: Date | null): Reading => {
  if (!isAnyCurrencyCode(base)) return Either.left(`its base currency ${JSON.stringify(base)} is not known`)
  const others = new Map([...rates].filter(([code]) => code !== base))
  if (others.size === 0) return Either.left("it has no rate of a known currency")
  return Either.right({ base, rates: others, publishedAt })
}

/** The European Central Bank's daily reference rates: `<Cube currency='USD' rate='1.0876'/>`, one euro in each. */
export const readEcb = (xml: string): Reading => {
  const day = /<Cube\s+time=['"]([\d-]+)['"]/.exec(xml)?.[1]
  if (day === undefined) return Either.left("it is not the reference file of the European Central Bank")
  const pairs = Array.from(
    xml.matchAll(/<Cube\s+currency=['"]([A-Z]{3})['"]\s+rate=['"]([\d.]+)['"]/g),
    ([, code, rate]) => [code!, rate!] as const
  )
  return Either.flatMap(valuesOf(pairs), (values) => published("EUR", values, dateOf(day)))
}

/** Where a JSON document has its parts: JSON pointers, or for `base` a currency code. */
interface JsonMapping {
  readonly base: string
  readonly rates: string
  readonly at: string | null
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const pointTo = (document: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      document
    )

export const readJson =
  ({ at, base, rates }: JsonMapping) =>
  (text: string): Reading => {
    const parsed = Either.try({ try: () => parseAsWritten(text), catch: () => "it is not JSON" })
    return Either.flatMap(parsed, (document) => {
      const baseCode = base.startsWith("/") ? pointTo(document, base) : base
      const values = pointTo(document, rates)
      const time = at === null ? null : pointTo(document, at)
      const publishedAt = typeof time === "string" ? dateOf(time) : null
      if (typeof baseCode !== "string") return Either.left(`it has no base currency at ${base}`)
      if (!isObject(values)) return Either.left(`it has no object of rates at ${rates}`)
      if (at !== null && publishedAt === null) return Either.left(`it has no time at ${at}`)
      return Either.flatMap(valuesOf(Object.entries(values)), (known) => published(baseCode, known, publishedAt))
    })
  }

/** Coinbase's public exchange rates. Only crypto assets are taken: its fiat rates follow other sources. */
export const readCoinbase = (text: string): Reading =>
  Either.flatMap(readJson({ base: "/data/currency", rates: "/data/rates", at: null })(text), ({ base, rates }) =>
    published(base, new Map([...rates].filter(([code]) => isCryptoAssetCode(code))), null)
  )

const ecbAddress = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
const coinbaseAddress = "https://api.coinbase.com/v2/exchange-rates?currency=USD"

const mappingOf = (fragment: string): Either.Either<JsonMapping, string> => {
  const given = new URLSearchParams(fragment)
  const unknown = Array.from(given.keys()).find((name) => !["base", "rates", "at"].includes(name))
  if (unknown !== undefined) return Either.left(`${unknown} is not a part of the mapping (base, rates, at)`)
  const mapping = { base: given.get("base") ?? "/base", rates: given.get("rates") ?? "/rates", at: given.get("at") }
  if (!mapping.rates.startsWith("/")) return Either.left("rates of the mapping is not a JSON pointer such as /rates")
  if (mapping.at !== null && !mapping.at.startsWith("/")) {
    return Either.left("at of the mapping is not a JSON pointer such as /date")
  }
  return mapping.base.startsWith("/") || isAnyCurrencyCode(mapping.base)
    ? Either.right(mapping)
    : Either.left("base of the mapping is neither a JSON pointer such as /base nor a currency code")
}

const isLoopback = (host: string): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(host)

/** `file:PATH` or an address, each with `#base=…&rates=…&at=…` where the document is not `{base, rates}`. */
const documentSource = (text: string): Either.Either<RateSource, string> => {
  const [place = "", fragment = ""] = text.split("#", 2)
  if (place.startsWith("file:")) {
    const location = place.slice("file:".length)
    if (location === "") return Either.left("file: is without a path")
    return Either.map(mappingOf(fragment), (mapping) => ({
      name: place,
      kind: "file" as const,
      location,
      read: readJson(mapping)
    }))
  }
  const url = urlOf(place)
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))
  if (url === undefined || !isSafe) {
    return Either.left(`${place} is not manual, ecb, coinbase, file:PATH or an https address`)
  }
  return Either.map(mappingOf(fragment), (mapping) => ({
    name: `${url.origin}${url.pathname}`,
    kind: "https" as const,
    location: place,
    read: readJson(mapping)
  }))
}

const sourceOf = (text: string): Either.Either<RateSource | "manual", string> => {
  if (text === "manual") return Either.right(text)
  if (text === "ecb") return Either.right({ name: text, kind: "ecb", location: ecbAddress, read: readEcb })
  if (text === "coinbase") {
    return Either.right({ name: text, kind: "coinbase", location: coinbaseAddress, read: readCoinbase })
  }
  return documentSource(text)
}

/** `RATE_SOURCE`: sources separated by commas, the first one with the highest priority. */
export const parseRateSources = (text: string): Either.Either<RateSources, string> => {
  const parts = text.split(",").map((part) => part.trim())
  return Either.flatMap(Either.all(parts.map(sourceOf)), (sources) => {
    const priority = sources.map((source) => (source === "manual" ? source : source.name))
    const twice = priority.find((name, index) => priority.indexOf(name) !== index)
    return twice === undefined
      ? Either.right({ priority, fetched: sources.filter((source) => source !== "manual") })
      : Either.left(`${twice} is named twice`)
  })
}

export interface UsdRate {
  readonly from_currency: AnyCurrencyCode
  readonly to_currency: AnyCurrencyCode
  /** Decimal text, without trailing zeros. */
  readonly rate: string
}

const bridge = CurrencyCode.make("USD")

/** Exact quotient, rounded down once to the digits of a rate. */
const quotient = (a: BigDecimal.BigDecimal, b: BigDecimal.BigDecimal): Rate => {
  const digits = rateDigits + b.value.toString().length + 1
  const value = divideRounded(a.value * 10n ** BigInt(digits), b.value, "floor")
  return Rate.make(roundToSignificantDigits(BigDecimal.make(value, a.scale - b.scale + digits), rateDigits, "floor"))
}

const textOf = (rate: BigDecimal.BigDecimal): string => toPlainText(BigDecimal.normalize(rate))

/** Rows against USD, two for each currency. A document without USD gives none. */
export const againstUsd = ({ base, rates }: PublishedRates): Either.Either<ReadonlyArray<UsdRate>, string> => {
  const one = BigDecimal.make(1n, 0)
  const all = new Map(rates).set(base, one)
  const usd = all.get(bridge)
  if (usd === undefined) return Either.left("it has no rate of USD, through which every rate is crossed")
  all.delete(bridge)
  return Either.right(
    Array.from(all).flatMap(([code, value]): ReadonlyArray<UsdRate> => [
      { from_currency: code, to_currency: bridge, rate: textOf(quotient(usd, value)) },
      { from_currency: bridge, to_currency: code, rate: textOf(quotient(value, usd)) }
    ])
  )
}

/** Whether a rate of `source` replaces the current one: not while a source of higher priority still renews that. */
export const replaces = (
  priority: ReadonlyArray<string>,
  source: string,
  current: { readonly source: string; readonly isFresh: boolean } | undefined
): boolean => {
  if (current === undefined || current.source === source || !current.isFresh) return true
  const rank = (name: string): number => (priority.includes(name) ? priority.indexOf(name) : priority.length)
  return rank(source) < rank(current.source)
}
