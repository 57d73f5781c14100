/** The pages of the documentation, and their fenced blocks. */
import { readdirSync, readFileSync } from "node:fs"

export interface Block {
  /** Page and line, for messages. */
  readonly at: string
  readonly language: string
  /** The second word of its first line: the file to save it as. */
  readonly file: string | undefined
  readonly text: string
  /** The reason in the comment before it, if it is not run. */
  readonly notRun: string | undefined
}

export const pages: ReadonlyArray<string> = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
]

const fence = /(?:<!-- not run: ([^>]*?) -->\n+)?^```(.*)\n([^]*?)^```$/gm

export const blocksOf = (page: string): ReadonlyArray<Block> => {
  const text = readFileSync(page, "utf8")
  return Array.from(text.matchAll(fence), ({ 0: whole, 1: notRun, 2: first = "", 3: body = "", index }) => {
    const [language = "", file] = first.split(" ")
    const line = text.slice(0, index + whole.indexOf("```")).split("\n").length
    return { at: `${page}:${line}`, language, file, text: body, notRun }
  })
}
