import { useEffect, useRef, useState } from "preact/hooks"
import { span } from "../../state/Words.ts"
import { endOf, type Item, type Lane, lanesOf, type Mark, scaleOf } from "./Timeline.ts"

interface Props {
  readonly items: ReadonlyArray<Item>
  /** Whether nothing more is to come, so that time need not go on. */
  readonly settled: boolean
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

/** A word is drawn inside of a bar that has room for it. */
const Drawn = ({
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

/** What an attempt came to stands beside its name, where there is always room. */
const LaneRow = ({
  at,
  lane,
  place
}: {
  readonly lane: Lane
  readonly at: number
  readonly place: (time: number) => number
}) => {
  const top = TOP + at * LANE
  const [first, ...others] = lane.marks
  const said = at > 0 && first !== undefined && others.length === 0 && first.from !== first.to ? first.words : ""
  return (
    <g>
      <text class="lane-name" x={EDGE} y={top + 12}>
        {lane.name}
        {said !== "" && <tspan class="lane-said">{`  ${said}`}</tspan>}
      </text>
      <line
        class="lane-line"
        x1={place(Number.NEGATIVE_INFINITY)}
        x2="100%"
        y1={top + 18 + BAR / 2}
        y2={top + 18 + BAR / 2}
      />
      {lane.marks.map((mark, index) => (
        <Drawn key={index} named={at === 0} mark={mark} from={place(mark.from)} to={place(mark.to)} y={top + 18} />
      ))}
    </g>
  )
}

const ROOM = 64

/** As many moments as have room for their words. */
const ticksOf = (lanes: ReadonlyArray<Lane>, place: (time: number) => number, width: number) => {
  const times = Array.from(new Set(lanes.flatMap(({ marks }) => marks.flatMap(({ from, to }) => [from, to])))).sort(
    (a, b) => a - b
  )
  const ticks: Array<readonly [x: number, words: string]> = []
  const start = times[0] ?? 0
  for (const time of times) {
    const x = place(time)
    const last = ticks.at(-1)
    const words = time === start ? "0" : `+${span(time - start)}`
    if (x > width - ROOM || (last !== undefined && (x - last[0] < ROOM || words === last[1]))) continue
    ticks.push([x, words])
  }
  return ticks
}

const summary = (lanes: ReadonlyArray<Lane>): string =>
  lanes.map(({ marks, name }) => `${name}: ${marks.map(({ words }) => words).join(", ")}`).join(". ")

export const Track = ({ items, settled }: Props) => {
  const [frame, width] = useWidth()
  const lanes = lanesOf(items, endOf(items, settled))
  const scale = scaleOf(lanes)
  const place = (time: number) =>
    time === Number.NEGATIVE_INFINITY ? EDGE : EDGE + scale(time) * Math.max(0, width - 3 * EDGE)
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
            <LaneRow key={at} at={at} lane={lane} place={place} />
          ))}
        </svg>
      )}
    </div>
  )
}
