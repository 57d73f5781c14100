/** Whether a run needs the build of the service: it takes longer than most single test files. */
import { existsSync, readFileSync, readdirSync } from "node:fs"
import { dirname, join, relative } from "node:path"

const importOf = /from "(\.{1,2}\/[^"]+)"|import "(\.{1,2}\/[^"]+)"/g

/** Whether a file of the tests, or one that it imports from them, asks for the build. */
const asksForBuild = (file: string, seen: Set<string>): boolean => {
  if (seen.has(file) || !existsSync(file)) return false
  seen.add(file)
  const text = readFileSync(file, "utf8")
  if (text.includes('inject("bundle")')) return true
  return Array.from(text.matchAll(importOf), ([, one, other]) => join(dirname(file), one ?? other ?? "")).some(
    (path) => relative("test", path).startsWith("..") === false && asksForBuild(path, seen)
  )
}

const testFiles = (): ReadonlyArray<string> =>
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => join("test", name))

/** `words`: the arguments of Vitest. All files where none of them names one. */
export const needsBuild = (words: ReadonlyArray<string>): boolean => {
  const all = testFiles()
  const named = all.filter((file) =>
    words.some((word) => /^\.?\/?test\b/.test(word) && file.includes(word.replace(/^\.\//, "")))
  )
  const seen = new Set<string>()
  return named.length === 0 || named.some((file) => asksForBuild(file, seen))
}
