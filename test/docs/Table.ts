/** A table in Markdown. */
const row = (...cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

export const table = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [row(...titles), row(...titles.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n")
