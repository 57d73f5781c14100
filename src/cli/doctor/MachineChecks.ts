/** Checks of the machine for `corridor doctor`: Node, the data folder, the sandbox's file, the running server. */
import { constants } from "node:fs"
import { access, readFile, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Config, Effect, Option, Schema, Duration } from "effect"
import type { Settings } from "../../platform/config/Settings.ts"
import { request } from "node:http"
import { urlOf } from "../../domain/Url.ts"
import { readinessTimeout } from "../../domain/policies/DatabasePolicies.ts"

/** Line of `corridor doctor`. */
export interface Check {
  readonly name: string
  readonly status: "ok" | "warn" | "fail"
  readonly message: string
}

export const ok = (name: string, message: string): Check => ({ name, status: "ok", message })
export const warn = (name: string, message: string): Check => ({ name, status: "warn", message })
export const fail = (name: string, message: string): Check => ({ name, status: "fail", message })

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

/** Answer of a server to `/readyz`. */
interface Answer {
  readonly status: number
  readonly body: string
}

const everywhere = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"]
])

const LONGEST_ANSWER = 4096

const ask = (host: string, port: number): Effect.Effect<Answer, string> =>
  Effect.async((resume) => {
    const timeout = 2 * Duration.toMillis(readinessTimeout)
    const asked = request({ host, port, path: "/readyz", timeout, agent: false }, (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => (body = `${body}${chunk}`.slice(0, LONGEST_ANSWER)))
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, body })))
    })
    asked.on("timeout", () => asked.destroy(new Error("no answer in time")))
    asked.on("error", (error: NodeJS.ErrnoException) => resume(Effect.fail(error.code ?? error.message)))
    asked.end()
    return Effect.sync(() => asked.destroy())
  })

const Ready = Schema.parseJson(Schema.Struct({ database_id: Schema.NullOr(Schema.String) }))

const databaseOf = (body: string): Option.Option<string> =>
  Option.flatMap(Schema.decodeOption(Ready)(body), ({ database_id }) => Option.fromNullable(database_id))

/** Address that the last start of the sandbox's server wrote down, unless PUBLIC_URL or PORT says another one now. */
export const knownAddress = (dataDir: string): Effect.Effect<Option.Option<string>> =>
  Effect.gen(function* () {
    const given = yield* Config.option(Config.orElse(Config.string("PUBLIC_URL"), () => Config.string("PORT")))
    if (Option.isSome(given)) return Option.none<string>()
    const text = yield* onDisk(() => readFile(join(resolve(dataDir), "sandbox.json"), "utf8"))
    const { base_url } = yield* Schema.decode(Credentials)(text)
    return Option.some(base_url.replace(/\/v1$/, ""))
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(Effect.logDebug("No sandbox.json to take the address from", error), Option.none<string>())
    )
  )

/** Where the server listens. An address behind TLS is a proxy's, not the server's own. */
const serverAddress = ({ dataDir, host, mode, port }: Values) =>
  Effect.map(mode === "sandbox" ? knownAddress(dataDir) : Effect.succeed(Option.none<string>()), (known) => {
    const url = urlOf(Option.getOrElse(known, () => ""))
    return url?.protocol === "http:"
      ? { target: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port === "" ? 80 : url.port) }
      : { target: everywhere.get(host) ?? host, port }
  })

/** `own` is the database that this command has opened: advice about another one would be worse than none. */
export const serverCheck = Effect.fnUntraced(function* (settings: Values, own: Option.Option<string>) {
  const { port, target } = yield* serverAddress(settings)
  const at = `${target}:${port}`
  return yield* ask(target, port).pipe(
    Effect.map(({ body, status }) => {
      const theirs = databaseOf(body)
      if (Option.isSome(own) && Option.isSome(theirs) && own.value !== theirs.value) {
        return fail(
          "Server",
          `the one on ${at} works on another database (${theirs.value}) than this command (${own.value}): set DATA_DIR or DATABASE_URL as the server has them.`
        )
      }
      if (status === 200 && body.includes('"ready"')) return ok("Server", `ready on ${at}`)
      return status === 503 && body.includes('"unavailable"')
        ? fail("Server", `runs on ${at} but is not ready: see its log.`)
        : fail("Server", `something else answers on ${at}: set PORT to another one.`)
    }),
    Effect.catchAll((code) =>
      Effect.succeed(
        code === "ECONNREFUSED"
          ? warn("Server", `none runs on ${at}: start it with "npm start" (or set PORT to where it runs).`)
          : fail("Server", `no usable answer from ${at} (${code}): see its log, or set HOST and PORT to where it runs.`)
      )
    )
  )
})
