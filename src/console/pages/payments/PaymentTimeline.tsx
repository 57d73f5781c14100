import { useEffect, useRef, useState } from "preact/hooks"
import { durationText, labelOf } from "../../state/Display.ts"
import { amountText } from "../../api/Amount.ts"
import { hostOf, useEndpoints } from "../webhooks/WebhookDeliveries.tsx"
import type { Answer } from "../../api/ConsoleApi.ts"
import { toneOf } from "../../components/Badge.tsx"
import { providerName } from "../providers/ProviderNames.ts"
import { isolatedName } from "../../../domain/IsolatedName.ts"

/** Lanes of the drawn timeline. */
export type TimelineItem = Answer<"payments", "timeline">["data"]["items"][number]
type ItemOf<Kind extends TimelineItem["kind"]> = Extract<TimelineItem, { readonly kind: Kind }>

interface Mark {
  readonly from: number
  /** Equal to `from` for a point in time. */
  readonly to: number
  readonly tone: string
  readonly words: string
}

interface Lane {
  readonly name: string
  /** Stands beside the name. */
  readonly said?: string
  readonly marks: ReadonlyArray<Mark>
}

const timeOf = (iso: string): number => Date.parse(iso)

const pointAt = (at: string, tone: string, words: string): Mark => ({ from: timeOf(at), to: timeOf(at), tone, words })

const itemsOfKind = <Kind extends TimelineItem["kind"]>(
  items: ReadonlyArray<TimelineItem>,
  kind: Kind
): ReadonlyArray<ItemOf<Kind>> => items.filter((item): item is ItemOf<Kind> => item.kind === kind)

const statusLane = (items: ReadonlyArray<TimelineItem>, end: number): Lane => {
  const changes = itemsOfKind(items, "status")
  return {
    name: "Status",
    marks: changes.map(({ at, to }, index) => ({
      from: timeOf(at),
      to: timeOf(changes[index + 1]?.at ?? new Date(end).toISOString()),
      tone: toneOf(to),
      words: labelOf(to)
    }))
  }
}

const legs: Readonly<Record<string, string>> = {
  payment: "",
  refund: " (refund)",
  return: " (returned)",
  collection: " (collection)",
  settlement: " (settlement)"
}

const attemptLanes = (items: ReadonlyArray<TimelineItem>, end: number): ReadonlyArray<Lane> =>
  itemsOfKind(items, "attempt").map(({ at, latency_ms, leg, outcome, provider, reason }) => {
    const from = timeOf(at)
    const said = outcome === null ? "not answered yet" : outcome
    const after = latency_ms === null ? "" : ` after ${durationText(latency_ms)}`
    const why = reason === null || outcome === "accepted" ? "" : `: ${reason}`
    return {
      name: `${providerName(provider)}${legs[leg] ?? ` (${leg})`}`,
      marks: [
        {
          from,
          to: latency_ms === null ? end : from + latency_ms,
          tone: toneOf(outcome ?? "pending"),
          words: `${labelOf(said)}${after}${why}`
        }
      ]
    }
  })

const callbackLane = (items: ReadonlyArray<TimelineItem>): Lane => ({
  name: "Callbacks",
  marks: itemsOfKind(items, "callback").map(({ at, report }) => pointAt(at, "busy", labelOf(report)))
})

const operatorLane = (items: ReadonlyArray<TimelineItem>, end: number): Lane => ({
  name: "Open items",
  marks: itemsOfKind(items, "operator").map(({ at, closed_at, closed_by, item }) => ({
    from: timeOf(at),
    to: closed_at === null ? end : timeOf(closed_at),
    tone: closed_at === null ? "warn" : "calm",
    words: `${labelOf(item)}${closed_by === null ? "" : `, closed by ${isolatedName(closed_by)}`}`
  }))
})

/** Reversals and reinstatements, where they happened. */
const disputeLane = (items: ReadonlyArray<TimelineItem>): Lane => {
  const marks = itemsOfKind(items, "movement")
    .filter(({ movement }) => movement === "reversal" || movement === "reinstatement")
    .map(({ amount, at, currency, movement }) =>
      pointAt(at, movement === "reversal" ? "bad" : "good", `${labelOf(movement)} of ${amountText(amount)} ${currency}`)
    )
  return { name: "Disputes", said: marks.at(-1)?.words, marks }
}

/** Worst last, so that it is drawn over the others. */
const severity = ["delivered", "pending", "dead"]

const deliveryLane = (items: ReadonlyArray<TimelineItem>, endpoints: ReturnType<typeof useEndpoints>): Lane => {
  const sent = itemsOfKind(items, "delivery").toSorted(
    (a, b) => severity.indexOf(a.status) - severity.indexOf(b.status)
  )
  const worst = sent.at(-1)
  const resultOf = ({ status, webhook_id }: ItemOf<"delivery">): string =>
    status === "delivered" ? status : `${status} at ${hostOf(endpoints.get(webhook_id)?.endpoint_url ?? "an endpoint")}`
  const marks = sent.map((item) => pointAt(item.at, toneOf(item.status), `${item.event_type}, ${resultOf(item)}`))
  return { name: "Webhooks sent", said: !worst || worst.status === "delivered" ? "" : resultOf(worst), marks }
}

const lanesOf = (
  items: ReadonlyArray<TimelineItem>,
  end: number,
  endpoints: ReturnType<typeof useEndpoints>
): ReadonlyArray<Lane> =>
  [
    statusLane(items, end),
    ...attemptLanes(items, end),
    callbackLane(items),
    operatorLane(items, end),
    disputeLane(items),
    deliveryLane(items, endpoints)
  ].filter(({ marks }) => marks.length > 0)

/** End of the drawing: now, or shortly after the last event of a final payment. */
const endOf = (items: ReadonlyArray<TimelineItem>, isFinal: boolean): number => {
  const times = items.flatMap((item) =>
    item.kind === "attempt" ? [timeOf(item.at) + (item.latency_ms ?? 0)] : [timeOf(item.at)]
  )
  const last = Math.max(...times)
  return isFinal ? last + Math.max(300, (last - Math.min(...times)) / 2) : Math.max(last, Date.now())
}

/** Logarithmic width of a gap, so that milliseconds and days fit on one axis. */
const widthOf = (gap: number): number => Math.log10(1 + gap / 10) + 0.2

const timesIn = (lanes: ReadonlyArray<Lane>): ReadonlyArray<number> =>
  Array.from(new Set(lanes.flatMap(({ marks }) => marks.flatMap(({ from, to }) => [from, to])))).sort((a, b) => a - b)

/** Position of each time, from 0 to 1. */
const scaleOf = (lanes: ReadonlyArray<Lane>): ((time: number) => number) => {
  const times = timesIn(lanes)
  const places = new Map<number, number>()
  let place = 0
  for (const [at, time] of times.entries()) {
    if (at > 0) place += widthOf(time - times[at - 1]!)
    places.set(time, place)
  }
  return (time) => (place === 0 ? 0 : (places.get(time) ?? 0) / place)
}

interface TimelineChartProps {
  readonly items: ReadonlyArray<TimelineItem>
  /** The payment has ended, so the axis ends too. */
  readonly isFinal: boolean
}

const LANE = 46
const BAR = 16
const TOP = 18
const EDGE = 6
const LETTER = 6.6

const useWidth = () => {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const box = frame.current!
    const watch = new ResizeObserver(() => setWidth(box.clientWidth))
    watch.observe(box)
    return () => watch.disconnect()
  }, [])
  return [frame, width] as const
}

/** Bar or point of one mark, with its text if it fits. */
const MarkShape = ({
  named,
  from,
  mark,
  to,
  y
}: {
  readonly mark: Mark
  readonly from: number
  readonly to: number
  readonly y: number
  readonly named: boolean
}) => {
  const { tone, words } = mark
  if (mark.from === mark.to) {
    return (
      <circle class={`shape ${tone}`} cx={from} cy={y + BAR / 2} r={6}>
        <title>{words}</title>
      </circle>
    )
  }
  const width = Math.max(8, to - from - 2)
  return (
    <g>
      <rect class={`shape ${tone}`} x={from} y={y} width={width} height={BAR} rx={4}>
        <title>{words}</title>
      </rect>
      {named && width > words.length * LETTER + 12 && (
        <text class="on-shape" x={from + 7} y={y + 12}>
          {words}
        </text>
      )}
    </g>
  )
}

/** Lane with its name; the outcome of an attempt stands beside it. */
const LaneRow = ({
  at,
  lane,
  place,
  width
}: {
  readonly lane: Lane
  readonly at: number
  readonly width: number
  readonly place: (time: number) => number
}) => {
  const top = TOP + at * LANE
  const [first, ...others] = lane.marks
  const said =
    lane.said ?? (at > 0 && first !== undefined && others.length === 0 && first.from !== first.to ? first.words : "")
  const room = Math.floor(width / LETTER) - lane.name.length - 6
  return (
    <g>
      <text class="lane-name" x={EDGE} y={top + 12}>
        {said !== "" && <title>{said}</title>}
        {lane.name}
        {said !== "" && (
          <tspan class="lane-outcome">{`  ${said.length > room ? `${said.slice(0, room)}…` : said}`}</tspan>
        )}
      </text>
      <line class="lane-line" x1={EDGE} x2="100%" y1={top + 18 + BAR / 2} y2={top + 18 + BAR / 2} />
      {lane.marks.map((mark, index) => (
        <MarkShape key={index} named={at === 0} mark={mark} from={place(mark.from)} to={place(mark.to)} y={top + 18} />
      ))}
    </g>
  )
}

const ROOM = 64

/** Ticks of the axis, as many as fit. */
const ticksOf = (lanes: ReadonlyArray<Lane>, place: (time: number) => number, width: number) => {
  const times = timesIn(lanes)
  const ticks: Array<readonly [x: number, words: string]> = []
  const start = times[0] ?? 0
  for (const time of times) {
    const x = place(time)
    const last = ticks.at(-1)
    const words = time === start ? "0" : `+${durationText(time - start)}`
    if (x > width - ROOM || (last !== undefined && (x - last[0] < ROOM || words === last[1]))) continue
    ticks.push([x, words])
  }
  return ticks
}

const summary = (lanes: ReadonlyArray<Lane>): string =>
  lanes.map(({ marks, name }) => `${name}: ${marks.map(({ words }) => words).join(", ")}`).join(". ")

export const TimelineChart = ({ items, isFinal }: TimelineChartProps) => {
  const [frame, width] = useWidth()
  const isMissing = itemsOfKind(items, "delivery").some(({ status }) => status !== "delivered")
  const lanes = lanesOf(items, endOf(items, isFinal), useEndpoints(isMissing))
  const scale = scaleOf(lanes)
  const place = (time: number) => EDGE + scale(time) * Math.max(0, width - 3 * EDGE)
  const height = TOP + lanes.length * LANE + 8
  return (
    <div ref={frame} class="track">
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={summary(lanes)}>
          {ticksOf(lanes, place, width).map(([x, words]) => (
            <g key={x}>
              <line class="tick" x1={x} x2={x} y1={14} y2={height} />
              <text class="tick-name" x={x} y={10}>
                {words}
              </text>
            </g>
          ))}
          {lanes.map((lane, at) => (
            <LaneRow key={at} at={at} lane={lane} place={place} width={width} />
          ))}
        </svg>
      )}
    </div>
  )
}
