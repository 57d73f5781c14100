/** Options of the benchmark. */
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import type { Endpoint } from "./load/RequestLoad.ts"

export interface Options {
  readonly quick: boolean
  /** Only initiations one by one. */
  readonly lone: boolean
  readonly json: string | undefined
  readonly cpuProfiles: string | undefined
  readonly connections: number
  readonly pool: number
  /** Processes of Corridor; the other server has one. */
  readonly processes: number
  readonly rounds: number
  readonly warmUpSeconds: Readonly<Record<Endpoint, number>>
  readonly seconds: Readonly<Record<Endpoint, number>>
}

const whole = (name: string, text: string): number => {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} ${text}: expected a whole number above zero`)
  return Number(text)
}

export const usage = `npm run bench -- [--quick] [--lone] [--json FILE] [--rounds N] [--seconds N] [--workers N] [--cpu-prof FOLDER]

  --quick            fewer and shorter rounds, about four minutes in all
  --lone             only initiations one by one, ten a second
  --json FILE        writes every measurement as JSON
  --rounds N         rounds of each server, and as many at half of the peak; the medians are reported
  --seconds N        length of a round of initiations; rounds of all else are half as long
  --workers N        processes of Corridor, as CORRIDOR_WORKERS has it; one unless it is given
  --cpu-prof FOLDER  writes CPU profiles, those of each server to a folder of its name there (which slows both down);
                     npm run bench:profile -- FILE.cpuprofile tells what is in one
`

const parse = (args: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      lone: { type: "boolean", default: false },
      json: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      workers: { type: "string" },
      "cpu-prof": { type: "string" }
    }
  })
  const { lone, quick } = values
  const initiate = whole("seconds", values.seconds ?? (quick ? "5" : "10"))
  const shorter = Math.ceil(initiate / 2)
  return {
    quick,
    lone,
    json: values.json,
    cpuProfiles: values["cpu-prof"] === undefined ? undefined : resolve(values["cpu-prof"]),
    connections: 64,
    pool: 10,
    processes: whole("workers", values.workers ?? "1"),
    rounds: whole("rounds", values.rounds ?? (quick ? "3" : "7")),
    // Long enough for the JIT compiler.
    warmUpSeconds: quick
      ? { initiate: 15, record: 6, list: 4, rate: 4 }
      : { initiate: 30, record: 15, list: 10, rate: 10 },
    seconds: { initiate, record: shorter, list: shorter, rate: shorter }
  }
}

export const readOptions = (args: ReadonlyArray<string>) =>
  Effect.try({ try: () => parse(args), catch: (cause) => new BenchFailed({ message: `${String(cause)}\n\n${usage}` }) })
