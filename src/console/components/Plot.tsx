import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"

export interface Line {
  readonly name: string
  /** A custom property of the style, such as `--good`. */
  readonly color: string
  readonly values: ReadonlyArray<number>
  readonly bars?: boolean
}

interface Props {
  /** Description for screen readers. */
  readonly name: string
  readonly days: ReadonlyArray<string>
  readonly lines: ReadonlyArray<Line>
  readonly height?: number
  /** The times are hours, not days. */
  readonly hourly?: boolean
}

const colorOf = (property: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(property).trim()

/** In seconds. */
const HALF_DAY = 43_200

/** Steps of the axis: 1, 2, 5, 10, 20 … */
const steps = Array.from({ length: 15 }, (_, digits) => [1, 2, 5].map((step) => step * 10 ** digits)).flat()

/** Short numbers for the axis, such as 1.5M. */
const short = new Intl.NumberFormat(undefined, { notation: "compact" })

/** Shows the latest values while no time is pointed at. */
const showLatest = (plot: uPlot) => {
  if (typeof plot.cursor.idx !== "number") plot.setLegend({ idx: plot.data[0].length - 1 })
}

const optionsOf = (width: number, height: number, lines: ReadonlyArray<Line>, hourly: boolean): uPlot.Options => {
  // Bars are centred on their day.
  const edge = lines.some(({ bars }) => bars) ? HALF_DAY : 0
  const quiet = colorOf("--muted")
  const axis = { stroke: quiet, font: "12px system-ui", ticks: { show: false } }
  return {
    width,
    height,
    // Days are of UTC, hours of the person's time zone, as the fields that take a time.
    ...(hourly ? {} : { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") }),
    legend: { live: true },
    cursor: { y: false, points: { size: 7 } },
    hooks: { ready: [showLatest], setCursor: [showLatest] },
    scales: {
      x: { range: (_plot, first, last) => [first - edge, last + edge] },
      y: { range: (_plot, low, high) => [Math.min(0, low * 1.1), Math.max(low < 0 ? 0 : 1, high * 1.1)] }
    },
    axes: [
      { ...axis, grid: { show: false }, space: 64, size: 28, values: hourly ? "{HH}:{mm}" : "{MMM} {D}" },
      {
        ...axis,
        grid: { stroke: colorOf("--line"), width: 1 },
        size: 56,
        values: (_plot, marks) => marks.map((mark) => short.format(mark)),
        incrs: steps
      }
    ],
    series: [
      hourly ? { label: "Hour", value: "{YYYY}-{MM}-{DD} {HH}:{mm}" } : { label: "Day", value: "{YYYY}-{MM}-{DD}" },
      ...lines.map(({ bars = false, color, name }): uPlot.Series => {
        const stroke = colorOf(color)
        return bars
          ? {
              label: name,
              fill: stroke,
              width: 0,
              points: { show: false },
              paths: uPlot.paths.bars!({ size: [0.6, 40], radius: 0.2 })
            }
          : { label: name, stroke, width: 2, fill: `${stroke}1f`, points: { show: false } }
      })
    ]
  }
}

export const Plot = ({ days, height = 220, hourly = false, lines, name }: Props) => {
  const frame = useRef<HTMLDivElement>(null)
  const subject = JSON.stringify([days, lines])
  useEffect(() => {
    const box = frame.current!
    const times = days.map((day) => Date.parse(day) / 1000)
    const data = [times, ...lines.map(({ values }) => [...values])] as uPlot.AlignedData
    const draw = () => new uPlot(optionsOf(box.clientWidth, height, lines, hourly), data, box)
    let plot = draw()
    const watch = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }))
    watch.observe(box)
    const scheme = matchMedia("(prefers-color-scheme: dark)")
    const redraw = () => {
      plot.destroy()
      plot = draw()
    }
    scheme.addEventListener("change", redraw)
    return () => {
      scheme.removeEventListener("change", redraw)
      watch.disconnect()
      plot.destroy()
    }
  }, [subject, height])
  return <div ref={frame} class="plot" role="img" aria-label={name} />
}
