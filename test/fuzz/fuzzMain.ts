/**
 * `npm run fuzz -- --seed N --requests M`: fuzzes a new server, or the one at `--url` with the `sandbox.json` at
 * `--sandbox`. A wrong answer is printed with the command that repeats it.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import type { Credentials } from "./Callers.ts"
import { ownServer } from "./OwnServer.ts"
import { run } from "./FuzzRun.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    requests: { type: "string", default: "10000" },
    from: { type: "string", default: "0" },
    url: { type: "string" },
    sandbox: { type: "string", default: ".data/sandbox.json" },
    tell: { type: "boolean", default: false }
  }
})

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const server =
  values.url === undefined
    ? await ownServer()
    : {
        url: values.url,
        credentials: JSON.parse(readFileSync(values.sandbox, "utf8")) as Credentials,
        log: () => "",
        stop: () => Promise.resolve()
      }
const began = process.cpuUsage()
try {
  const { counts, failures } = await run({
    url: server.url,
    credentials: server.credentials,
    ...("kybSecret" in server ? { kybSecret: server.kybSecret } : {}),
    seed: Number(values.seed),
    requests: Number(values.requests),
    from: Number(values.from),
    onFailure: say
  })
  const byStatus = new Map<number, number>()
  for (const ofOperation of counts.values()) {
    for (const [status, count] of ofOperation) byStatus.set(status, (byStatus.get(status) ?? 0) + count)
  }
  if (values.tell) for (const [name, of] of counts) say(`${name} ${JSON.stringify(Object.fromEntries(of))}`)
  if (server.log() !== "") say(server.log())
  say(
    Array.from(byStatus, ([status, count]) => `${status}: ${count}`)
      .toSorted()
      .join(", ")
  )
  const { system, user } = process.cpuUsage(began)
  say(`${values.requests} requests, ${failures.length} failed; ${Math.round((user + system) / 1000)} ms of CPU here`)
  process.exitCode = failures.length > 0 ? 1 : 0
} finally {
  await server.stop()
}
