/** Mutates one part of a valid request. */
import type { Draw } from "./Draw.ts"
import { oddNumbers, oddTexts, oddTimes, oddValue } from "./EdgeValues.ts"
import type { Ids } from "./TestObjects.ts"
import { changedAt, Fields, Literal, type Place, placesIn } from "./JsonText.ts"
import type { Parts } from "./ValidRequests.ts"

export interface Mutation {
  readonly parts: Parts
  readonly about: string
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Literal)

const at = (place: Place): string => (place.length === 0 ? "the body" : place.join("."))

const briefly = (value: unknown): string => {
  const text = value instanceof Literal ? value.text : (JSON.stringify(value) ?? "undefined")
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** An id of another kind or organisation. */
const unknownId = (ids: Ids, theirs: Ids, draw: Draw): string =>
  draw.pick(draw.pick(Object.values(draw.happens(0.5) ? ids : theirs)))

const ofSameType = (old: unknown, draw: Draw): unknown =>
  typeof old === "number" ? draw.pick(oddNumbers) : draw.pick(draw.happens(0.2) ? oddTimes : oddTexts)

const inBody = (parts: Parts, ids: Ids, theirs: Ids, draw: Draw): Mutation => {
  const place = draw.pick(placesIn(parts.body))
  const name = at(place)
  const change = (about: string, to: (old: unknown) => unknown): Mutation => ({
    about: `${name} ${about}`,
    parts: { ...parts, body: changedAt(parts.body, place, to) }
  })
  const ways: ReadonlyArray<() => Mutation> = [
    () => change("left out", () => undefined),
    () => change("null", () => null),
    () => {
      const value = oddValue(draw)
      return change(`= ${briefly(value)}`, () => value)
    },
    () => {
      const seen: Array<unknown> = []
      const spoiled = change("odd", (old) => {
        seen.push(ofSameType(old, draw))
        return seen[0]
      })
      return { ...spoiled, about: `${name} = ${briefly(seen[0])}` }
    },
    () => {
      const id = unknownId(ids, theirs, draw)
      return change(`= the stray id ${id}`, () => id)
    },
    () => change("in a list", (old) => [old]),
    () => change("in an object", (old) => ({ value: old })),
    () => change("as text", (old) => (typeof old === "string" ? Number(old) || 7 : JSON.stringify(old))),
    () =>
      change("with a field twice", (old) =>
        isRecord(old) ? new Fields([...Object.entries(old), ...Object.entries(old).slice(0, 1)]) : old
      ),
    () =>
      change("with __proto__", (old) =>
        isRecord(old) ? new Fields([...Object.entries(old), ["__proto__", { admin: true }]]) : old
      ),
    () => change("with an unknown field", (old) => (isRecord(old) ? { ...old, "x y\u0000": oddValue(draw) } : old)),
    () => change("with metadata", (old) => (isRecord(old) ? { ...old, metadata: { a: oddValue(draw) } } : old))
  ]
  return draw.pick(ways)()
}

const oddText = (ids: Ids, theirs: Ids, draw: Draw): string =>
  draw.pick<() => string>([
    () => draw.pick(oddTexts),
    () => draw.pick(oddTexts),
    () => draw.pick(oddTimes),
    () => unknownId(ids, theirs, draw)
  ])()

const inPath = (parts: Parts, ids: Ids, theirs: Ids, draw: Draw): Mutation => {
  const name = draw.pick(Object.keys(parts.path))
  const value = oddText(ids, theirs, draw)
  return { about: `{${name}} = ${briefly(value)}`, parts: { ...parts, path: { ...parts.path, [name]: value } } }
}

const CURSORS = ["", "e30=", "AAAA", "bm9uc2Vuc2U", "eyJhIjoxfQ.c2ln", "%", "A".repeat(5000)]

const inQuery = (parts: Parts, ids: Ids, theirs: Ids, draw: Draw): Mutation => {
  const known = (parts.operation.about.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name)
  const name = draw.pick([...known, ...known, "org_id", "x", "__proto__", "limit"])
  const value = /evaluated/i.test(name) ? draw.pick(CURSORS) : oddText(ids, theirs, draw)
  const others = parts.query.filter(([one]) => one !== name)
  return {
    about: `?${name}=${briefly(value)}`,
    parts: { ...parts, query: [...others, [name, value.slice(0, 4000)]] }
  }
}

export const mutate = (parts: Parts, ids: Ids, theirs: Ids, draw: Draw): Mutation => {
  const ways = [
    inQuery,
    ...(Object.keys(parts.path).length > 0 ? [inPath, inPath] : []),
    ...(parts.body === undefined ? [] : [inBody, inBody, inBody, inBody])
  ]
  return draw.pick(ways)(parts, ids, theirs, draw)
}
