/** Whether a server of ours answers where this configuration would have it. */
import { request } from "node:http"
import { Duration, Effect, Option, Schema } from "effect"
import type { Settings } from "../../platform/config/Settings.ts"
import { readinessTimeout } from "../../domain/policies/Database.ts"
import { fail, ok, warn } from "./Check.ts"

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

/** `own` is the database that this command has opened: advice about another one would be worse than none. */
export const serverCheck = ({ host, port }: Settings["Type"], own: Option.Option<string>) => {
  const target = everywhere.get(host) ?? host
  const at = `${target}:${port}`
  return ask(target, port).pipe(
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
}
