/** `npm run providers:fake`: starts all fakes on this machine. */
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { newAuthority } from "../webhooks/delivery/Certificates.ts"
import { startFakes, type FakesOptions, type StartedFake, readArguments, usage } from "./AllFakes.ts"
import { startLiveFakes } from "./LiveFakes.ts"

const say = (line: string): Effect.Effect<void> => Effect.sync(() => process.stdout.write(`${line}\n`))

const quoted = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`

const lineOf = ({ running, settings, thirdParty }: StartedFake): string =>
  `${thirdParty.title} at ${running.url}: ${settings.map(([name, value]) => `${name}=${quoted(value)}`).join(" ")}`

const jsonOf = (started: ReadonlyArray<StartedFake>): string =>
  JSON.stringify(
    started.map(({ fake, running, settings }) => ({
      provider: fake.name,
      url: running.url,
      callback_url: running.world.callbackUrl,
      settings: Object.fromEntries(settings)
    }))
  )

/** With the file of the authority that signed their certificates. */
const startLive = (options: FakesOptions) => {
  const authority = newAuthority("Fakes of Corridor")
  const folder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "corridor-fakes-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  return Effect.flatMap(folder, (path) => {
    const file = join(path, "authority.pem")
    writeFileSync(file, authority.cert)
    process.stderr.write(`The server and the CLI need NODE_EXTRA_CA_CERTS=${file}\n`)
    return startLiveFakes(options, authority.issue("localhost"))
  })
}

const help = `${usage}
  --callbacks URL  where Corridor is reached: the value of PUBLIC_URL. Default: http://127.0.0.1:3000
  --port FIRST     the first of ten ports. Default: 4010
  --live           keys, answers and callbacks of live mode, over TLS
  --json           prints the settings as JSON`

const onUndelivered = (to: string): void =>
  void process.stderr.write(`A callback to ${to} was not taken. Is --callbacks the value of PUBLIC_URL?\n`)

/** Playing a bank transfer to a virtual account, for which there is no page. */
const transferHelp: Readonly<Record<string, string>> = {
  stripe:
    "  A bank transfer: POST /v1/test_helpers/customers/CUSTOMER/fund_cash_balance (see docs/providers.md). Its checkout page pays at once when it is opened.",
  paystack: "  A bank transfer: POST /demo-bank/transfers (see docs/providers.md)."
}

const textOf = (one: StartedFake): string =>
  [lineOf(one), ...(transferHelp[one.fake.name] === undefined ? [] : [transferHelp[one.fake.name]])].join("\n")

const program = Effect.gen(function* () {
  const given = process.argv.slice(2)
  if (given.includes("--help")) return yield* say(help)
  const { asJson, isLive, ...read } = yield* readArguments(given)
  const options = { ...read, onUndelivered }
  const started = yield* Effect.mapError(
    isLive ? startLive(options) : startFakes(options),
    ({ message }) => `${message}. Choose other ports with --port FIRST.`
  )
  // Installs the signal handlers before the output says that the fakes are up.
  yield* Effect.yieldNow()
  if (asJson) yield* say(jsonOf(started))
  else {
    yield* say(`Callbacks go to ${read.callbackBase}: it has to be PUBLIC_URL of the server (--callbacks).`)
    yield* Effect.forEach(started, (one) => say(textOf(one)), { discard: true })
  }
  return yield* Effect.never
})

Effect.scoped(program).pipe(
  Effect.tapError((message) => Effect.sync(() => process.stderr.write(`${message}\n`))),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
