/** Rows of text in aligned columns: full width in a file, and fitted to the width of a terminal. */
import type { WireNumber } from "../../domain/Decimal.ts"

type Cell = string | null

type Line = ReadonlyArray<string>

/** Text for people, and the same for a terminal of so many columns. */
export interface TextLayout {
  readonly text: string
  readonly fit: (columns: number) => string
}

const GAP = "  "

const aligned = (line: Line, widths: ReadonlyArray<number>): string =>
  line
    .map((cell, column) => cell.padEnd(widths[column]!))
    .join(GAP)
    .trimEnd()

const widthsOf = (lines: ReadonlyArray<Line>): ReadonlyArray<number> =>
  lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))

const alignedLines = (lines: ReadonlyArray<Line>): string => {
  const widths = widthsOf(lines)
  return lines.map((line) => aligned(line, widths)).join("\n")
}

/** In lines of so many characters, between words where it goes. */
const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (longer.length <= width) {
      line = longer
      continue
    }
    if (line !== "") lines.push(line)
    line = word
    while (line.length > width) {
      lines.push(line.slice(0, width))
      line = line.slice(width)
    }
  }
  return [...lines, line]
}

const wrappedRow = (row: Line, widths: ReadonlyArray<number>): string => {
  const cells = row.map((cell, column) => wrapped(cell, widths[column]!))
  const height = Math.max(...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, at) =>
    aligned(
      cells.map((lines) => lines[at] ?? ""),
      widths
    )
  ).join("\n")
}

const NARROWEST = 14
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-/

const total = (widths: ReadonlyArray<number>): number =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))

/** Narrower columns, the widest first; ids stay whole, since people copy them. Undefined where that is not enough. */
const narrowed = (lines: ReadonlyArray<Line>, widths: ReadonlyArray<number>, columns: number) => {
  const narrow = [...widths]
  const whole = new Set(Array.from(widths.keys()).filter((column) => lines.some((line) => UUID.test(line[column]!))))
  while (total(narrow) > columns) {
    const widest = Math.max(...narrow.filter((_, column) => !whole.has(column)))
    if (widest <= NARROWEST) return undefined
    narrow[narrow.findIndex((width, column) => width === widest && !whole.has(column))] = widest - 1
  }
  return narrow
}

const blocks = (titles: Line, rows: ReadonlyArray<Line>, columns: number): string => {
  const width = Math.max(...titles.map((title) => title.length))
  const place = Math.max(NARROWEST, columns - width - GAP.length)
  return rows
    .map((row) => row.map((cell, column) => wrappedRow([titles[column]!, cell], [width, place])).join("\n"))
    .join("\n\n")
}

const NOTHING = "-"

/** Keeps the columns that are not spare, and as many spare ones as fit. */
const withRoomFor = (
  lines: ReadonlyArray<Line>,
  widths: ReadonlyArray<number>,
  spare: ReadonlyArray<number>,
  columns: number
) => {
  const kept = new Set(Array.from(widths.keys()).filter((column) => !spare.includes(column)))
  const fits = () => total(widths.filter((_, column) => kept.has(column))) <= columns
  for (const column of spare) {
    if (lines.slice(1).every((line) => line[column] === NOTHING)) continue
    kept.add(column)
    if (!fits()) kept.delete(column)
  }
  return lines.map((line) => line.filter((_, column) => kept.has(column)))
}

/**
 * Rows under a line of titles, or `nothing` if there are none. `spare`: titles of columns that a narrow terminal omits,
 * the most important first.
 */
export const tableLayout = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  nothing: string,
  spare: ReadonlyArray<string> = []
): TextLayout => {
  if (rows.length === 0) return { text: nothing, fit: () => nothing }
  const shown = rows.map((row) => row.map((cell) => printable(cell ?? NOTHING)))
  const lines = [titles, ...shown]
  const widths = widthsOf(lines)
  const text = alignedLines(lines)
  return {
    text,
    fit: (columns) => {
      if (total(widths) <= columns) return text
      const places = spare.map((title) => titles.indexOf(title))
      const fewer = withRoomFor(lines, widths, places, columns)
      const narrow = narrowed(fewer, widthsOf(fewer), columns)
      return narrow === undefined
        ? blocks(titles, shown, columns)
        : fewer.map((line) => wrappedRow(line, narrow)).join("\n")
    }
  }
}

/** A column's value: a field of the row, or what a function makes of the row. */
type Column<Row> =
  | { [Name in keyof Row]: Row[Name] extends string | number | null ? Name : never }[keyof Row]
  | ((row: Row) => string | number | null)

/** A table by its titles, each with the value below it. `nothing` and `spare` as of `tableLayout`. */
export const tableOf =
  <Row>(columns: Readonly<Record<string, Column<Row>>>, nothing: string, spare: ReadonlyArray<string> = []) =>
  (rows: ReadonlyArray<Row>): TextLayout => {
    const cellsOf = (row: Row) =>
      Object.values(columns).map((column) => {
        const value = typeof column === "function" ? column(row) : row[column]
        return value === null || value === undefined ? null : String(value)
      })
    return tableLayout(Object.keys(columns), rows.map(cellsOf), nothing, spare)
  }

/** Puts text before a table, and after it. */
export const framed = (before: string, { fit, text }: TextLayout, after = ""): TextLayout => ({
  text: `${before}${text}${after}`,
  fit: (columns) => `${before}${fit(columns)}${after}`
})

/** Lines of a name and a value each. */
export const properties = (rows: ReadonlyArray<readonly [name: string, value: Cell]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${printable(value ?? "-")}`).join("\n")
}

/** Replaces characters that could steer the terminal, or turn round the order of what follows. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "\u00b7")

/** A time as the database or as the API tells it. */
export const minute = (at: Date | string): string =>
  `${(typeof at === "string" ? at : at.toISOString()).slice(0, 16).replace("T", " ")}Z`

/** A number without the fraction that a whole one has on the wire. */
export const plainText = ({ text }: WireNumber): string => text.replace(/\.0$/, "")
