/** Every decoder of the contract, given whatever there is: it takes it or refuses it, and its refusal repeats nothing. */
import { doesNotMatch, ok } from "node:assert/strict"
import { HttpApi, type HttpApiEndpoint } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Either, Option, ParseResult, type Schema } from "effect"
import * as fc from "fast-check"
import { stringify } from "lossless-json"
import { Api } from "../../../src/contract/api/Api.ts"
import { FromTime, IsoTime, ToTime } from "../../../src/contract/api/RequestFields.ts"
import { openApiDocument } from "../../../src/contract/openapi/OpenApiDocument.ts"
import { parseJsonText } from "../../../src/platform/http/RequestJson.ts"
import { validationMessage } from "../../../src/domain/ValidationMessage.ts"
import { oddNumbers, oddTexts, oddTimes } from "../../fuzz/EdgeValues.ts"
import { changedAt, Literal, placesIn, written } from "../../fuzz/JsonText.ts"
import { decodedBy } from "../../domain/SameAsInterpreter.ts"
import { type Document, examplesOf, operationsOf } from "./DocumentedOperations.ts"

type Decoder = (input: unknown) => Either.Either<unknown, ParseResult.ParseIssue>

const decoderOf = (schema: Option.Option<Schema.Schema.Any>): ReadonlyArray<Decoder> =>
  Option.match(schema, {
    onNone: () => [],
    onSome: (one) => [decodedBy(one as Schema.Schema.AnyNoContext)]
  })

interface Named {
  readonly name: string
  readonly decode: Decoder
}

const decoders = (() => {
  const payloads: Array<Named> = []
  const queries: Array<Named> = []
  const paths: Array<Named> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: (reflected) => {
      const endpoint = reflected.endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
      const name = `${endpoint.method} ${endpoint.path.replace(/^\/v1/, "").replace(/:(\w+)/g, "{$1}")}`
      const named = (schema: Option.Option<Schema.Schema.Any>) => decoderOf(schema).map((decode) => ({ name, decode }))
      payloads.push(...named(endpoint.payloadSchema))
      queries.push(...named(endpoint.urlParamsSchema))
      paths.push(...named(endpoint.pathSchema))
    }
  })
  return { payloads, queries, paths }
})()

const read = (text: string): unknown => Either.getOrThrow(parseJsonText(text))

const document = JSON.parse(stringify(openApiDocument("http://127.0.0.1", "sandbox")) ?? "") as Document

const exampleOf = (name: string): unknown => {
  const operation = operationsOf(document).find((one) => one.name === name)
  return JSON.parse(JSON.stringify(examplesOf(operation?.about.requestBody)[0]))
}

const CANARY = "4111111111111111"

/** Wording of the libraries about types, and descriptions of fields in place of a reason. */
const OUR_OWN_WORDS = /readonly|ReadonlyArray|\bfilter\b|Struct|<->|Unable to decode|Expected |declaration schema/

/** A sentence, whatever was wrong: and nothing of what was sent in it, nor of how it is declared. */
const judged = ({ decode, name }: Named, input: unknown): Either.Either<unknown, string> =>
  Either.mapLeft(decode(input), (issue) => {
    const message = validationMessage(issue)
    ok(message.length > 0, name)
    ok(!message.includes(CANARY), `${name}: ${message}`)
    doesNotMatch(message, OUR_OWN_WORDS, `${name}: ${message}`)
    return message
  })

const strange = fc.anything({
  withBigInt: false,
  withDate: false,
  withNullPrototype: true,
  withObjectString: true,
  maxDepth: 4
})

describe("a decoder", () => {
  it("takes or refuses anything that JSON can hold", () => {
    const { payloads } = decoders
    expect(payloads.length).toBeGreaterThan(30)
    fc.assert(
      fc.property(fc.constantFrom(...payloads), strange, (named, input) => void judged(named, input)),
      {
        numRuns: 600
      }
    )
  })

  it("takes or refuses any text in a query and in a path", () => {
    const record = fc.dictionary(
      fc.constantFrom("limit", "org_id", "user_id", "from", "to", "status", "amount", "dateFrom", "fromCurrency", "x"),
      fc.oneof(fc.fullUnicodeString({ maxLength: 40 }), fc.constantFrom(...oddTexts, ...oddTimes))
    )
    const all = [...decoders.queries, ...decoders.paths]
    expect(all.length).toBeGreaterThan(60)
    fc.assert(
      fc.property(fc.constantFrom(...all), record, (named, input) => void judged(named, input)),
      {
        numRuns: 600
      }
    )
  })

  const LONG = "x".repeat(3000)
  const short = oddTexts.filter(({ length }) => length < 300)
  it.each(decoders.queries.map((named) => [named.name, named] as const))(
    "takes or refuses each parameter of %s in every odd spelling",
    (name, named) => {
      const parameters = operationsOf(document).find((one) => one.name === name)?.about.parameters ?? []
      const names = parameters.filter((one) => one.in === "query").map((one) => one.name)
      for (const parameter of names)
        for (const value of [...short, ...oddTimes, LONG, CANARY]) judged(named, { [parameter]: value })
    }
  )

  const replacements = [
    ...short,
    ...oddTimes.slice(0, 6),
    ...oddNumbers,
    null,
    [],
    {},
    true,
    [CANARY],
    { a: CANARY },
    LONG
  ]

  it.each(decoders.payloads.map((named) => [named.name, named] as const))(
    "takes or refuses each field of %s in every odd spelling",
    (name, named) => {
      const example = exampleOf(name)
      expect(Either.isRight(judged(named, read(JSON.stringify(example)))), name).toBe(true)
      const first = placesIn(example).filter((place) => !place.some((step) => typeof step === "number" && step > 0))
      for (const place of first.slice(1)) {
        for (const value of replacements) {
          const text = written(changedAt(example, place, () => value))
          const input = parseJsonText(text)
          // Bodies that are no JSON, or that no database can store, have been refused before.
          if (Either.isLeft(input)) ok(value instanceof Literal || typeof value === "string", text)
          else judged(named, input.right)
        }
      }
    }
  )

  it("repeats no card number of a body that it refuses", () => {
    for (const named of decoders.payloads) {
      const example = exampleOf(named.name)
      for (const place of placesIn(example))
        judged(
          named,
          changedAt(example, place, () => CANARY)
        )
      for (const place of placesIn(example))
        judged(
          named,
          changedAt(example, place, () => ({ [CANARY]: CANARY }))
        )
    }
  })
})

describe("a moment", () => {
  const decode = ParseResult.decodeUnknownEither(IsoTime)
  const encode = ParseResult.encodeSync(IsoTime)

  it("that is taken is written as one that is taken, and the same", () => {
    const offset = fc.constantFrom("Z", "+00:00", "+23:59", "-23:59", "+03:00", "-12:00")
    const digits = (most: number, width: number) =>
      fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(width, "0"))
    const moments = fc
      .tuple(digits(9999, 4), digits(13, 2), digits(32, 2), digits(24, 2), digits(60, 2), digits(60, 2), offset)
      .map(
        ([year, month, day, hour, minute, second, zone]) => `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`
      )
    const edges = fc.constantFrom(
      ...["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
    )
    let taken = 0
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: moments }, edges), (text) => {
        const moment = decode(text)
        if (Either.isLeft(moment)) return
        taken++
        const again = encode(moment.right)
        expect(again, text).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
        expect(Either.map(decode(again), Number), text).toEqual(Either.right(Number(moment.right)))
      }),
      { numRuns: 800 }
    )
    expect(taken).toBeGreaterThan(100)
  })

  it("is never made of other text, as a moment or as a bound", () => {
    const bounds = [FromTime, ToTime].map((one) => ParseResult.decodeUnknownEither(one))
    fc.assert(
      fc.property(fc.oneof(fc.fullUnicodeString(), fc.constantFrom(...oddTexts, ...oddTimes)), (text) => {
        for (const one of [decode, ...bounds]) {
          const moment = one(text)
          if (Either.isRight(moment)) expect(Number.isNaN(Number(moment.right)), text).toBe(false)
        }
      })
    )
  })
})
