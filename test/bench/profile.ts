/** Summarizes a CPU profile: `npm run bench:profile -- FILE.cpuprofile`. */
import { existsSync, readFileSync } from "node:fs"
import { SourceMap, type SourceMapPayload, type SourceMapping } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { type CpuProfile, type Frame, type Place, type Spent, summaryOf } from "./ProfileParts.ts"

const HEAVIEST = 15

const usage = `npm run bench:profile -- FILE.cpuprofile

  Shares of the time that a process was busy, by part and by function, each without what it calls. Profiles come from
  npm run bench -- --cpu-prof FOLDER; the map of a bundle, such as main.cjs.map, is looked for beside the profile.
`

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"))

const mapsBeside = (profile: string): ((bundle: string) => SourceMap | undefined) => {
  const known = new Map<string, SourceMap | undefined>()
  const read = (bundle: string) => {
    const file = join(dirname(profile), `${basename(bundle)}.map`)
    return existsSync(file) ? new SourceMap(readJson(file) as SourceMapPayload) : undefined
  }
  return (bundle) => {
    if (!known.has(bundle)) known.set(bundle, read(bundle))
    return known.get(bundle)
  }
}

const placesBeside = (profile: string): ((frame: Frame) => Place) => {
  const mapOf = mapsBeside(profile)
  return ({ columnNumber, lineNumber, url }) => {
    if (url.startsWith("node:")) return { file: url, line: lineNumber + 1 }
    const path = url.startsWith("file:") ? fileURLToPath(url) : url
    // The bundler's own code has no source.
    const entry: Partial<SourceMapping> = mapOf(path)?.findEntry(lineNumber, columnNumber) ?? {}
    const { originalLine = 0, originalSource } = entry
    return originalSource === undefined
      ? { file: relative(process.cwd(), path), line: lineNumber + 1 }
      : { file: originalSource.replace(/^(\.\.\/)+/, ""), line: originalLine + 1 }
  }
}

const say = (profile: string): string => {
  const summary = summaryOf(readJson(profile) as CpuProfile, placesBeside(profile))
  const { busyMicros, functions, idleMicros, parts } = summary
  const line = ({ micros, name }: Spent) =>
    `${((100 * micros) / busyMicros).toFixed(1).padStart(6)} %${(micros / 1000).toFixed(0).padStart(9)} ms  ${name}`
  const seconds = (micros: number) => `${(micros / 1e6).toFixed(1)} s`
  return [
    `${basename(profile)}: busy for ${seconds(busyMicros)}, idle for ${seconds(idleMicros)}`,
    "",
    ...parts.map(line),
    "",
    `The ${HEAVIEST} heaviest functions`,
    ...functions.slice(0, HEAVIEST).map(line),
    ""
  ].join("\n")
}

const [file] = process.argv.slice(2)
if (file === undefined || file === "--help") process.stdout.write(usage)
else process.stdout.write(say(file))
