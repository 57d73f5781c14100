/** What `corridor doctor` looks at on the machine itself: Node, the data folder, the sandbox's file. */
import { constants } from "node:fs"
import { access, readFile, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Option, Schema } from "effect"
import type { Settings } from "../../platform/config/Settings.ts"
import { type Check, fail, ok, warn } from "./Check.ts"

type Values = Settings["Type"]

const OLDEST_NODE = 20

export const nodeVersion = Effect.sync((): Check => {
  const { node } = process.versions
  return Number.parseInt(node, 10) >= OLDEST_NODE
    ? ok("Node", `version ${node}`)
    : fail("Node", `version ${node} is too old: install ${OLDEST_NODE} or newer.`)
})

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)

const onDisk = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: codeOf })

/** The folder itself, or the nearest one above it that is there. */
const nearest = (folder: string): Effect.Effect<string, string> =>
  onDisk(() => stat(folder)).pipe(
    Effect.as(folder),
    Effect.catchAll((code) =>
      code === "ENOENT" && dirname(folder) !== folder ? nearest(dirname(folder)) : Effect.fail(code)
    )
  )

export const dataFolder = ({ dataDir, databaseUrl, mode }: Values): Effect.Effect<Check> => {
  const folder = resolve(dataDir)
  if (mode === "live" && Option.isSome(databaseUrl)) return Effect.succeed(ok("DATA_DIR", "not used with DATABASE_URL"))
  return Effect.gen(function* () {
    const there = yield* nearest(folder)
    if (!(yield* onDisk(() => stat(there))).isDirectory()) {
      return fail("DATA_DIR", `${there} is not a folder: set DATA_DIR to one.`)
    }
    yield* onDisk(() => access(there, constants.W_OK | constants.X_OK))
    if (there !== folder) return ok("DATA_DIR", `${folder} can be made`)
    const { mode: bits } = yield* onDisk(() => stat(folder))
    return (bits & 0o066) === 0
      ? ok("DATA_DIR", `${folder} is writable`)
      : warn("DATA_DIR", `${folder} is writable, but others of this machine can look into it: chmod go-rw ${folder}`)
  }).pipe(
    Effect.catchAll((code) =>
      Effect.succeed(
        fail(
          "DATA_DIR",
          `${folder} is not writable (${code}): mend its permissions, or set DATA_DIR to another folder.`
        )
      )
    )
  )
}

const Credentials = Schema.parseJson(Schema.Struct({ base_url: Schema.String, orgs: Schema.Array(Schema.Unknown) }))

export const sandboxFile = ({ dataDir }: Values): Effect.Effect<Check> => {
  const path = join(resolve(dataDir), "sandbox.json")
  return Effect.gen(function* () {
    const { mode } = yield* onDisk(() => stat(path))
    const text = yield* onDisk(() => readFile(path, "utf8"))
    const known = yield* Effect.either(Schema.decode(Credentials)(text))
    if (known._tag === "Left")
      return fail("sandbox.json", `${path} cannot be understood: restart the server, which rewrites it.`)
    const shown = (mode & 0o777).toString(8).padStart(4, "0")
    return (mode & 0o077) === 0
      ? ok("sandbox.json", `${path}, readable by its owner only`)
      : fail("sandbox.json", `${path} has mode ${shown}, so others can read its keys: chmod 600 ${path}`)
  }).pipe(
    Effect.catchAll((code) =>
      Effect.succeed(
        code === "ENOENT"
          ? warn("sandbox.json", `${path} is not there yet: the first start of the server writes it.`)
          : fail("sandbox.json", `${path} cannot be read (${code}): run this as its owner, or mend its permissions.`)
      )
    )
  )
}
