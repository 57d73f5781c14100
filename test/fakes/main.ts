/** Fakes of all third parties on this machine, for whoever tries Corridor without an account at any of them. */
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { startFakes, type StartedFake, readArguments } from "./AllFakes.ts"

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

const program = Effect.gen(function* () {
  const { asJson, ...options } = yield* readArguments(process.argv.slice(2))
  const started = yield* Effect.mapError(startFakes(options), ({ message }) => message)
  // Whoever reads that they are up may end them at once: by then the signal is listened for.
  yield* Effect.yieldNow()
  yield* asJson ? say(jsonOf(started)) : Effect.forEach(started, (one) => say(lineOf(one)), { discard: true })
  return yield* Effect.never
})

Effect.scoped(program).pipe(
  Effect.tapError((message) => Effect.sync(() => process.stderr.write(`${message}\n`))),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
