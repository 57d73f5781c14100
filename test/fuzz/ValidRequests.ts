/** Valid requests: documented examples with existing ids, and samples of the schemas. */
import { bodyExamples, bodySchema, type Document, type Operation, resolved, type Schema } from "./Document.ts"
import { Draw } from "./Draw.ts"
import type { Ids, TestObjects } from "./TestObjects.ts"

export interface Parts {
  readonly operation: Operation
  readonly path: Readonly<Record<string, string>>
  readonly query: ReadonlyArray<readonly [string, string]>
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: unknown
}

/** Texts for each pattern of the document. */
const fitting: Readonly<Record<string, ReadonlyArray<string>>> = {
  "^[A-Z]{2}$": ["KE", "NG", "GH", "UG", "GB", "US", "DE"],
  "^[A-Z]{3}$": ["KES", "NGN", "USD", "UGX", "EUR", "KWD"],
  "^[A-Z]{3,5}$": ["KES", "USD", "NGN", "USDT", "BTC", "ETH"],
  "^\\d{13,19}$": ["4242424242424242", "4000000000000002", "4000000000003220"],
  "^\\d{3,4}$": ["123", "1234"],
  "^(0?[1-9]|1[0-2])$": ["1", "09", "12"],
  "^(\\d{2}|\\d{4})$": ["30", "2031"],
  "^\\+?[\\d ()-]{6,24}$": ["+254712345678", "0712 345 678"]
}

const formats: Readonly<Record<string, ReadonlyArray<string>>> = {
  "date-time": ["2035-01-31T18:00:00.000Z", "2026-03-02T09:15:00+03:00"],
  email: ["ada@example.com"],
  uri: ["https://shop.example/hooks?x=1", "http://127.0.0.1:9/hook"],
  uuid: ["0199c2a4-7b10-7d01-8a5e-1c2d3e4f5a6b"]
}

const words = ["a", "Wanjiru Kamau", "ünïcødé ✓", "0712345678", "2026-03-02", "GB29NWBK60161331926819", "x y z"]

const text = (schema: Schema, draw: Draw): string => {
  const { format, maxLength = 60, minLength = 0, pattern } = schema
  const known = fitting[pattern ?? ""] ?? formats[format ?? ""]
  if (known !== undefined) return draw.pick(known)
  if (draw.happens(0.15)) return "x".repeat(Math.max(minLength, maxLength))
  return draw.pick(words).padEnd(minLength, "x").slice(0, maxLength)
}

const number = ({ exclusiveMinimum, maximum, minimum, type }: Schema, draw: Draw): number => {
  const least = minimum ?? (exclusiveMinimum === undefined ? 0 : exclusiveMinimum + 1)
  const most = maximum ?? least + draw.pick([10, 2000, 1_000_000])
  const whole = draw.pick([least, most, draw.between(Math.ceil(least), Math.floor(most))])
  return type === "integer" || draw.happens(0.7) ? whole : Math.min(most, whole + 0.25)
}

const MOST_DEPTH = 6

export const sample = (document: Document, given: Schema, draw: Draw, depth = 0): unknown => {
  const schema = resolved(document, given)
  const again = (one: Schema) => sample(document, one, draw, depth + 1)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return again(draw.happens(0.85) ? choices[0]! : draw.pick(choices))
  if (schema.enum !== undefined) return draw.pick(schema.enum)
  if (schema.examples !== undefined && draw.happens(0.6)) return draw.pick(schema.examples)
  switch (schema.type) {
    case "string":
      return text(schema, draw)
    case "number":
    case "integer":
      return number(schema, draw)
    case "boolean":
      return draw.happens(0.5)
    case "array":
      return Array.from({ length: Math.max(schema.minItems ?? 0, draw.below(3)) }, () => again(schema.items ?? {}))
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) === true || (depth < MOST_DEPTH && draw.happens(0.5)))
          .map(([name, property]) => [name, again(property)])
      )
    default:
      return null
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Replaces ids by existing ones; each party is another one. */
const withKnownIds = (value: unknown, ids: Ids, draw: Draw, at = 0): unknown => {
  if (Array.isArray(value)) return value.map((one, index) => withKnownIds(one, ids, draw, index))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const known = name.endsWith("_id") ? ids[name] : undefined
      if (known === undefined || typeof one !== "string") return [name, withKnownIds(one, ids, draw, at)]
      return [name, name === "party_id" ? (known[at] ?? known[0]) : draw.pick(known)]
    })
  )
}

const particulars = (operation: Operation, body: unknown, objects: TestObjects, number: number): unknown => {
  if (!isRecord(body)) return body
  switch (operation.name) {
    case "POST /payments-init/ramp":
      return { ...body, client_rate: body["wallet_address"] === undefined ? objects.offRampRate : objects.onRampRate }
    case "POST /organizations/{org_id}/members":
      return { ...body, email: `fuzz-${number}@example.com` }
    case "POST /public/webhooks":
      return { ...body, endpoint_url: "http://127.0.0.1:9/fuzz" }
    default:
      return body
  }
}

const bodyOf = (document: Document, operation: Operation, draw: Draw): unknown => {
  const schema = bodySchema(operation)
  if (schema === undefined) return undefined
  const example = draw.pick(bodyExamples(operation))
  if (draw.happens(0.65)) return example
  const sampled = sample(document, schema, draw)
  if (!isRecord(sampled) || !isRecord(example) || draw.happens(0.15)) return sampled
  const taken = Object.entries(sampled).filter(() => draw.happens(0.3))
  return { ...example, ...Object.fromEntries(taken) }
}

const currencies = ["KES", "USD", "NGN", "USDT", "GHS"]

const queryOf = (document: Document, operation: Operation, ids: Ids, draw: Draw): Parts["query"] =>
  (operation.about.parameters ?? []).flatMap(({ in: place, name, required, schema = {} }) => {
    const wanted = required === true || (draw.happens(0.3) && !/evaluated/i.test(name))
    if (place !== "query" || !wanted) return []
    if (name.endsWith("Currency")) return [[name, draw.pick(currencies)] as const]
    if (name.startsWith("date")) return [[name, draw.pick(["2026-01-01", "2026-02-28"])] as const]
    if (/^(from|to)$/.test(name)) return [[name, draw.pick(["2026-03-02", "2026-03-02T09:00:00Z"])] as const]
    const value = ids[name] === undefined ? sample(document, schema, draw) : draw.pick(ids[name])
    return [[name, String(value)] as const]
  })

const namesIn = (path: string): ReadonlyArray<string> => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)

const idFor = (operation: Operation, name: string, ids: Ids, draw: Draw): string => {
  const isMember = operation.path === "/organizations/{org_id}/members/{user_id}"
  if (isMember && name === "user_id") return draw.pick(ids["removable_user_id"]!)
  if (operation.path.startsWith("/virtual-accounts/transactions/")) return draw.pick(ids["virtual_transaction_id"]!)
  if (name === "token") return "q".repeat(43)
  return draw.pick(ids[name] ?? [`no-${name}-in-stock`])
}

const required = (document: Document, operation: Operation): Parts["query"] =>
  (operation.about.parameters ?? []).flatMap(({ in: place, name, required: needed, schema = {} }) => {
    if (place !== "query" || needed !== true) return []
    const [first] = resolved(document, schema).enum ?? [name.startsWith("from") ? "USD" : "KES"]
    return [[name, String(first)] as const]
  })

export const exampleRequest = (
  document: Document,
  operation: Operation,
  ids: Ids,
  objects: TestObjects,
  number: number
): Parts => {
  const draw = new Draw(0, "the first of all")
  // The last payment waits for its one-time password, as the example of an action needs.
  const at = operation.path.endsWith("/action") ? -1 : 0
  const first = Object.fromEntries(Object.entries(ids).map(([name, all]) => [name, [all.at(at) ?? ""]]))
  const ofOne = { ...first, party_id: ids["party_id"] ?? [] }
  return {
    operation,
    path: Object.fromEntries(namesIn(operation.path).map((name) => [name, idFor(operation, name, ofOne, draw)])),
    query: required(document, operation),
    headers: [],
    body: particulars(operation, withKnownIds(bodyExamples(operation)[0], ofOne, draw), objects, number)
  }
}

export const validRequest = (
  document: Document,
  operation: Operation,
  ids: Ids,
  objects: TestObjects,
  draw: Draw,
  number: number
): Parts => ({
  operation,
  path: Object.fromEntries(namesIn(operation.path).map((name) => [name, idFor(operation, name, ids, draw)])),
  query: queryOf(document, operation, ids, draw),
  headers: draw.happens(0.1) ? [["idempotency-key", `key-${draw.below(5)}`]] : [],
  body: particulars(operation, withKnownIds(bodyOf(document, operation, draw), ids, draw), objects, number)
})
