/** A payment's timeline as it is drawn: lanes, and a place for each moment. */
import type { Answer } from "../../api/Api.ts"
import { toneOf } from "../../parts/Badge.tsx"
import { nameOf, span } from "../../state/Words.ts"
import { providerName } from "../providers/Names.ts"

export type Item = Answer<"payments", "timeline">["data"]["items"][number]
export type Of<Kind extends Item["kind"]> = Extract<Item, { readonly kind: Kind }>

export interface Mark {
  readonly from: number
  /** The same as `from` for what only has a moment. */
  readonly to: number
  readonly tone: string
  readonly words: string
}

export interface Lane {
  readonly name: string
  readonly marks: ReadonlyArray<Mark>
}

const timeOf = (iso: string): number => Date.parse(iso)

const only = <Kind extends Item["kind"]>(items: ReadonlyArray<Item>, kind: Kind): ReadonlyArray<Of<Kind>> =>
  items.filter((item): item is Of<Kind> => item.kind === kind)

const statusLane = (items: ReadonlyArray<Item>, end: number): Lane => {
  const changes = only(items, "status")
  return {
    name: "Status",
    marks: changes.map(({ at, to }, index) => ({
      from: timeOf(at),
      to: timeOf(changes[index + 1]?.at ?? new Date(end).toISOString()),
      tone: toneOf(to),
      words: nameOf(to)
    }))
  }
}

const legs: Readonly<Record<string, string>> = {
  payment: "",
  refund: " (refund)",
  return: " (given back)",
  collection: " (collection)",
  settlement: " (settlement)"
}

const attemptLanes = (items: ReadonlyArray<Item>, end: number): ReadonlyArray<Lane> =>
  only(items, "attempt").map(({ at, latency_ms, leg, outcome, provider, reason }) => {
    const from = timeOf(at)
    const said = outcome === null ? "not answered yet" : outcome
    const after = latency_ms === null ? "" : ` after ${span(latency_ms)}`
    const why = reason === null || outcome === "accepted" ? "" : `: ${reason}`
    return {
      name: `${providerName(provider)}${legs[leg] ?? ` (${leg})`}`,
      marks: [
        {
          from,
          to: latency_ms === null ? end : from + latency_ms,
          tone: toneOf(outcome ?? "pending"),
          words: `${nameOf(said)}${after}${why}`
        }
      ]
    }
  })

const moments = <Kind extends "callback" | "delivery">(
  items: ReadonlyArray<Item>,
  kind: Kind,
  name: string,
  markOf: (item: Of<Kind>) => Pick<Mark, "tone" | "words">
): ReadonlyArray<Lane> => {
  const marks = only(items, kind).map((item) => {
    const at = timeOf((item as Item).at)
    return { from: at, to: at, ...markOf(item) }
  })
  return marks.length === 0 ? [] : [{ name, marks }]
}

const people = (items: ReadonlyArray<Item>, end: number): ReadonlyArray<Lane> => {
  const marks = only(items, "operator").map(({ at, closed_at, closed_by, item }) => ({
    from: timeOf(at),
    to: closed_at === null ? end : timeOf(closed_at),
    tone: closed_at === null ? "warn" : "calm",
    words: `${nameOf(item)}${closed_by === null ? "" : `, closed by ${closed_by}`}`
  }))
  return marks.length === 0 ? [] : [{ name: "Waits for a person", marks }]
}

export const lanesOf = (items: ReadonlyArray<Item>, end: number): ReadonlyArray<Lane> => [
  statusLane(items, end),
  ...attemptLanes(items, end),
  ...moments(items, "callback", "The provider calls back", ({ report }) => ({ tone: "busy", words: nameOf(report) })),
  ...people(items, end),
  ...moments(items, "delivery", "Webhooks sent", ({ event_type, status }) => ({
    tone: toneOf(status),
    words: `${event_type}, ${status}`
  }))
]

/** What has ended goes on for as long as one can see it; anything else until now. */
export const endOf = (items: ReadonlyArray<Item>, settled: boolean): number => {
  const times = items.flatMap((item) =>
    item.kind === "attempt" ? [timeOf(item.at) + (item.latency_ms ?? 0)] : [timeOf(item.at)]
  )
  const last = Math.max(...times)
  return settled ? last + Math.max(300, (last - Math.min(...times)) / 2) : Math.max(last, Date.now())
}

/** A second among milliseconds and a day among seconds both find room: a gap is as wide as it is long in digits. */
const widthOf = (gap: number): number => Math.log10(1 + gap / 10) + 0.2

/** Where between 0 and 1 each moment is drawn. */
export const scaleOf = (lanes: ReadonlyArray<Lane>): ((time: number) => number) => {
  const times = Array.from(new Set(lanes.flatMap(({ marks }) => marks.flatMap(({ from, to }) => [from, to])))).sort(
    (a, b) => a - b
  )
  const places = new Map<number, number>()
  let place = 0
  for (const [at, time] of times.entries()) {
    if (at > 0) place += widthOf(time - times[at - 1]!)
    places.set(time, place)
  }
  return (time) => (place === 0 ? 0 : (places.get(time) ?? 0) / place)
}
