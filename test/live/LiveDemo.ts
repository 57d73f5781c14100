/** The demo in live mode: fakes of the third parties over TLS, a server with a database of its own, and the same story. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { get } from "node:https"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { ConfigProvider, Data, Effect, Exit } from "effect"
import { sandboxRates } from "../../src/app/Sandbox.ts"
import { play } from "../../src/cli/demo/Demo.ts"
import type { DemoServer } from "../../src/cli/demo/DemoSteps.ts"
import { runCorridor } from "../../src/cli/Run.ts"
import { Streams } from "../../src/cli/shared/Terminal.ts"
import { Settings } from "../../src/platform/config/Settings.ts"
import { freePort } from "../bench/FreePort.ts"
import { type Environment, liveEnvironment } from "./LiveEnvironment.ts"

/** Public, as live mode demands; receiverNetwork.mjs keeps deliveries to it on this machine. */
const RECEIVER = "93.184.216.34"

class DemoNotStarted extends Data.TaggedError("DemoNotStarted")<{ readonly message: string }> {}

const newFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "corridor-live-demo-"))
    // The embedded PostgreSQL runs under another user when the demo runs as root.
    chmodSync(folder, 0o711)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Only these of the environment reach the server, so that no setting of a real provider does. */
const inherited: Environment = Object.fromEntries(
  ["PATH", "HOME", "TMPDIR"].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
)

const stop = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, "close")
  child.kill("SIGTERM")
  await closed
}

/** The banner is the last thing that a start prints. */
const startServer = (main: string, environment: Environment) =>
  Effect.acquireRelease(
    Effect.async<ChildProcess, DemoNotStarted>((resume) => {
      const child = spawn(process.execPath, [main], {
        env: { ...inherited, ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let said = ""
      child.stderr.on("data", (text: Buffer) => (said += text.toString()))
      child.stdout.on("data", (text: Buffer) => {
        said += text.toString()
        if (said.includes("Reference")) resume(Effect.succeed(child))
      })
      child.once("close", () => resume(new DemoNotStarted({ message: `The server did not start: ${said}` })))
    }),
    (child) => Effect.promise(() => stop(child))
  )

/** The result of a command of the CLI, run in this process with the server's environment. */
const corridor =
  (environment: Environment) =>
  <A>(...words: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      let [out, err] = ["", ""]
      const streams = {
        out: (text: string) => void (out += text),
        err: (text: string) => void (err += text),
        watched: false
      }
      const run = runCorridor([...words, "--json"], environment).pipe(Effect.provideService(Streams, streams))
      if (Exit.isFailure(yield* Effect.exit(run))) {
        return yield* new DemoNotStarted({ message: `corridor ${words.join(" ")} failed: ${err}` })
      }
      return (JSON.parse(out) as { readonly data: A }).data
    })

const corridors = [
  ["pawapay", "KE", "mobile_money", "inbound"],
  ["pawapay", "KE", "mobile_money", "outbound"],
  ["mtn_momo", "UG", "mobile_money", "inbound"],
  ["mtn_momo", "UG", "mobile_money", "outbound"],
  ["stripe", "DE", "card", "inbound"],
  ["adyen", "DE", "card", "inbound"],
  ["circle", "KE", "crypto", "outbound"]
] as const

const currencies = new Set(["USD", "KES", "UGX", "USDC"])

/** Sets up what docs/going-live.md says: an organisation with an org-admin and a key, corridors and rates. */
const setUp = Effect.fnUntraced(function* (environment: Environment) {
  const cli = corridor(environment)
  const orgName = "Kilimo Ltd"
  const about = ["--country", "KE", "--currency", "KES", "--email", "ops@kilimo.example", "--feature", "escrow"]
  const { org_id: orgId } = yield* cli<{ org_id: string }>("orgs", "create", "--name", orgName, ...about)
  const ada = ["--email", "ada@kilimo.example", "--subject", "ada", "--org", orgId, "--role", "org-admin"]
  const { user_id: userId } = yield* cli<{ user_id: string }>("users", "create", ...ada)
  const { api_key: apiKey } = yield* cli<{ api_key: string }>("keys", "create", "--org", orgId, "--name", "Demo")
  yield* Effect.forEach(corridors, ([provider, country, method, direction]) =>
    cli("providers", "add", provider, "--country", country, "--method", method, "--direction", direction)
  )
  const rates = sandboxRates.filter((one) => currencies.has(one.from_currency) && currencies.has(one.to_currency))
  yield* Effect.forEach(rates, ({ from_currency, rate, to_currency }) =>
    cli("rates", "set", from_currency, to_currency, rate)
  )
  return { orgId, orgName, userId, apiKey }
})

/** Opens a page of a fake, trusting the authority of the fakes alone. */
const openPage = (ca: string) => (url: string, signal: AbortSignal) =>
  new Promise<void>((done, failed) => {
    get(url, { ca, signal }, (answer) => {
      answer.resume().once("end", done)
    }).once("error", failed)
  })

/** Runs until its scope ends. `main`: the built server; `given`: the caller's environment. */
export const liveDemo = Effect.fnUntraced(function* (
  asJson: boolean,
  given: Readonly<Record<string, string | undefined>>,
  main: string
) {
  const folder = yield* newFolder
  const port = yield* Effect.promise(freePort)
  const { authority, url, ...live } = yield* liveEnvironment(folder, port, given)
  const receiverPort = yield* Effect.promise(freePort)
  const environment: Environment = {
    ...live.environment,
    CORRIDOR_WORKERS: "1",
    DEMO_RECEIVER: `${RECEIVER} ${receiverPort}`,
    NODE_OPTIONS: `--import=${resolve("test/live/receiverNetwork.mjs")}`
  }
  yield* startServer(main, environment)
  const organization = yield* setUp(environment)
  const server: DemoServer = {
    ...organization,
    mode: "live",
    baseUrl: `${url}/v1`,
    receiver: { port: receiverPort, identity: authority.issue(RECEIVER), addressAt: () => `https://${RECEIVER}/` },
    openPage: openPage(authority.cert)
  }
  const settings = ConfigProvider.fromMap(new Map(Object.entries({ ...environment, LOG_LEVEL: "warn" })))
  return yield* play(asJson, server).pipe(Effect.provide(Settings.layer), Effect.withConfigProvider(settings))
})
