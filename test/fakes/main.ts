/** `npm run providers:fake`: starts all fakes on this machine. */
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { newAuthority } from "../webhooks/delivery/Certificates.ts"
import { startFakes, type FakesOptions, type StartedFake, readArguments } from "./AllFakes.ts"
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
  const file = join(mkdtempSync(join(tmpdir(), "corridor-fakes-")), "authority.pem")
  writeFileSync(file, authority.cert)
  return Effect.zipRight(
    Effect.sync(() => process.stderr.write(`The server and the CLI need NODE_EXTRA_CA_CERTS=${file}\n`)),
    startLiveFakes(options, authority.issue("localhost"))
  )
}

const program = Effect.gen(function* () {
  const { asJson, isLive, ...options } = yield* readArguments(process.argv.slice(2))
  const started = yield* Effect.mapError(isLive ? startLive(options) : startFakes(options), ({ message }) => message)
  // Installs the signal handlers before the output says that the fakes are up.
  yield* Effect.yieldNow()
  yield* asJson ? say(jsonOf(started)) : Effect.forEach(started, (one) => say(lineOf(one)), { discard: true })
  return yield* Effect.never
})

Effect.scoped(program).pipe(
  Effect.tapError((message) => Effect.sync(() => process.stderr.write(`${message}\n`))),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
