/** Options, progress and exit code of the commands in this folder. */
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Logger, LogLevel, type Scope } from "effect"
import { explainFailure } from "../../src/app/StartupMessages.ts"
import { ChaosFailed } from "./ChaosFailed.ts"

/** Reads `--NAME N` (at least 1), `--seed N` and `--json`. */
export const optionsOf = <Name extends string>(command: string, name: Name, otherwise: number) =>
  Effect.try({
    try: () => {
      const { values } = parseArgs({
        options: {
          [name]: { type: "string" as const, default: `${otherwise}` },
          seed: { type: "string" as const, default: "1" },
          json: { type: "boolean" as const, default: false }
        }
      })
      const [extent, seed] = [Number(values[name]), Number(values["seed"])]
      if (!Number.isInteger(extent) || extent < 1 || !Number.isInteger(seed)) throw new Error("expected whole numbers")
      return { extent, seed, json: values["json"] === true }
    },
    catch: (cause) =>
      new ChaosFailed({ message: `${String(cause)}\nnpm run ${command} -- [--${name} N] [--seed N] [--json]` })
  })

const began = performance.now()

export const log = (line: string): void => {
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}\n`)
}

/** Violations set the exit code. */
export const printResult = <Result extends { readonly violations: ReadonlyArray<unknown> }>(
  result: Result,
  json: boolean,
  text: (result: Result) => string
): void => {
  process.stdout.write(`${json ? JSON.stringify(result, null, 2) : text(result)}\n`)
  if (result.violations.length > 0) process.exitCode = 1
}

export const runCommand = <E>(main: Effect.Effect<void, E, Scope.Scope>): void =>
  main.pipe(
    Effect.scoped,
    Logger.withMinimumLogLevel(LogLevel.Fatal),
    explainFailure,
    NodeRuntime.runMain({ disableErrorReporting: true })
  )
