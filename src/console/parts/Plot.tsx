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
  /** What it shows, for those who do not see it. */
  readonly name: string
  readonly days: ReadonlyArray<string>
  readonly lines: ReadonlyArray<Line>
  readonly height?: number
}

const colorOf = (property: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(property).trim()

const optionsOf = (width: number, height: number, lines: ReadonlyArray<Line>): uPlot.Options => {
  const quiet = colorOf("--muted")
  const axis = { stroke: quiet, font: "12px system-ui", ticks: { show: false } }
  return {
    width,
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    legend: { live: true },
    cursor: { y: false, points: { size: 7 } },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [
      { ...axis, grid: { show: false }, space: 64, size: 28, values: "{MMM} {D}" },
      {
        ...axis,
        grid: { stroke: colorOf("--line"), width: 1 },
        size: 56,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7, 1e8]
      }
    ],
    series: [
      { label: "Day", value: "{YYYY}-{MM}-{DD}" },
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

export const Plot = ({ days, height = 220, lines, name }: Props) => {
  const frame = useRef<HTMLDivElement>(null)
  const subject = JSON.stringify([days, lines])
  useEffect(() => {
    const box = frame.current!
    const times = days.map((day) => Date.parse(day) / 1000)
    const data = [times, ...lines.map(({ values }) => [...values])] as uPlot.AlignedData
    const draw = () => new uPlot(optionsOf(box.clientWidth, height, lines), data, box)
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
