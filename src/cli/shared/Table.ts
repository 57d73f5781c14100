/** Rows of text in aligned columns, for a terminal. */

export type Cell = string | null

/** One line for each row under a line of titles; `nothing` is said instead when there are no rows. */
export const table = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  nothing: string
): string => {
  if (rows.length === 0) return nothing
  const lines = [titles, ...rows.map((row) => row.map((cell) => printable(cell ?? "-")))]
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** One thing: a line for each of its properties. */
export const properties = (rows: ReadonlyArray<readonly [name: string, value: Cell]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${printable(value ?? "-")}`).join("\n")
}

/** Names come from strangers: control characters could steer the terminal. */
const printable = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]/gu, "\u00b7")

export const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace("T", " ")}Z`
