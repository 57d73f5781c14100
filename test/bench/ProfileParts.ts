/** Summarizes a CPU profile by part of the program and by function. */
export interface Frame {
  readonly functionName: string
  readonly url: string
  /** Zero-based. */
  readonly lineNumber: number
  readonly columnNumber: number
}

export interface CpuProfile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: Frame
    readonly children?: ReadonlyArray<number>
  }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

/** Source file from the project's root, and line. */
export interface Place {
  readonly file: string
  readonly line: number
}

export interface Spent {
  readonly name: string
  readonly micros: number
}

export interface Summary {
  readonly idleMicros: number
  readonly busyMicros: number
  readonly parts: ReadonlyArray<Spent>
  readonly functions: ReadonlyArray<Spent>
}

const IDLE = "(idle)"

/** V8's names of what is no function. */
const own: ReadonlyMap<string, string> = new Map([
  ["(garbage collector)", "garbage collection"],
  ["(program)", "(program)"],
  ["(root)", "(program)"],
  [IDLE, IDLE]
])

const packages: ReadonlyArray<readonly [RegExp, string]> = [
  [/^effect$/, "effect"],
  [/^@effect\/platform/, "@effect/platform, -node"],
  [/^@effect\/sql/, "@effect/sql, -pg"],
  [/^(pg|pg-.+|pgpass|postgres-.+)$/, "pg"],
  [/^(fastify|@fastify\/.+)$/, "fastify"]
]

const packageIn = (file: string): string | undefined => /.*node_modules\/(@[^/]+\/[^/]+|[^/]+)\//.exec(file)?.[1]

const partOfFile = (file: string): string => {
  if (file.startsWith("node:")) return "Node's own"
  const name = packageIn(file)
  if (name !== undefined) return packages.find(([pattern]) => pattern.test(name))?.[1] ?? "other packages"
  const wing = /(?:^|\/)src\/([^/]+)\//.exec(file)?.[1]
  if (wing !== undefined) return `src/${wing}`
  return /(?:^|\/)bench\//.test(file) ? "bench" : "other code"
}

/** A sample lasts until the next. */
const selfMicros = ({ samples, timeDeltas }: CpuProfile): ReadonlyMap<number, number> => {
  const micros = new Map<number, number>()
  samples.forEach((id, at) => micros.set(id, (micros.get(id) ?? 0) + (timeDeltas[at + 1] ?? 0)))
  return micros
}

const sorted = (micros: ReadonlyMap<string, number>): ReadonlyArray<Spent> =>
  Array.from(micros, ([name, spent]) => ({ name, micros: spent })).sort((a, b) => b.micros - a.micros)

export const summaryOf = (profile: CpuProfile, placeOf: (frame: Frame) => Place): Summary => {
  const micros = selfMicros(profile)
  const frames = new Map(profile.nodes.map(({ callFrame, id }) => [id, callFrame]))
  const parents = new Map(profile.nodes.flatMap(({ children = [], id }) => children.map((child) => [child, id])))
  const parts = new Map<string, number>()
  const functions = new Map<string, number>()
  const add = (to: Map<string, number>, name: string, spent: number) => to.set(name, (to.get(name) ?? 0) + spent)

  /** Native functions count for their caller. */
  const written = (id: number): Frame | undefined => {
    const frame = frames.get(id)
    const parent = parents.get(id)
    if (frame === undefined || frame.url !== "") return frame
    return parent === undefined ? undefined : written(parent)
  }

  for (const [id, spent] of micros) {
    const { functionName, url } = frames.get(id)!
    const without = own.get(functionName)
    if (without !== undefined) {
      add(parts, without, spent)
      continue
    }
    const frame = written(id)
    const place = frame === undefined ? { file: "", line: 0 } : placeOf(frame)
    const part = partOfFile(place.file)
    add(parts, part, spent)
    const where = url === "" ? `native, called by ${part}` : `${place.file}:${place.line}`
    add(functions, `${functionName || "(anonymous)"}  ${where}`, spent)
  }
  const idleMicros = parts.get(IDLE) ?? 0
  parts.delete(IDLE)
  const busyMicros = Array.from(parts.values()).reduce((sum, spent) => sum + spent, 0)
  return { idleMicros, busyMicros, parts: sorted(parts), functions: sorted(functions) }
}
