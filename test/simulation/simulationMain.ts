/**
 * `npm run simulate -- --seed N --runs M`: runs seeds in turn. A failure is shrunk and printed with the command that
 * repeats it. `--tell` prints the log of the shrunk run (`--shrink 0`: of the whole run).
 */
import { missingCounts, lineFor, table, Totals } from "./SimulationReport.ts"
import { run } from "./SimulationRun.ts"
import { shrink } from "./Shrink.ts"

const argument = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}

/** Number of runs that should reach every count. */
const ENOUGH = 1000

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const SAID_EVERY_SECONDS = 15

/** Written to stderr, so that stdout holds only the result. */
const progressOf = (runs: number) => {
  let said = process.uptime()
  return (done: number, failed: number): void => {
    const now = process.uptime()
    if (now - said < SAID_EVERY_SECONDS) return
    said = now
    const minutes = Math.ceil(((now / done) * (runs - done)) / 60)
    process.stderr.write(`${done} of ${runs} runs, ${failed} failed; about ${minutes} min left\n`)
  }
}

const first = argument("seed", 1)
const runs = argument("runs", 1)
const mostShrunk = argument("shrink", 3)
const keepsLog = process.argv.includes("--tell")
const totals = new Totals()
const progress = progressOf(runs)
const began = process.cpuUsage()
for (let seed = first; seed < first + runs; seed++) {
  const ran = run(seed, { keepsLog })
  totals.add(ran)
  progress(totals.runs, totals.failures.length)
  const hasFailed = ran.problems.length > 0
  const { options, ran: least } = hasFailed && totals.failures.length <= mostShrunk ? shrink(ran) : { options: {}, ran }
  if (keepsLog) run(seed, { ...options, keepsLog }).logLines.forEach(say)
  if (!hasFailed) continue
  say(lineFor(ran, { steps: least.steps.map(({ number }) => number), faults: least.faults.length }))
}
const { system, user } = process.cpuUsage(began)
say(table(totals))
if (runs >= ENOUGH) say(`Never came up: ${missingCounts(totals.counts).join(", ") || "nothing"}`)
say(`${runs} runs, ${totals.failures.length} failed; ${((user + system) / 1000 / runs).toFixed(1)} ms of CPU each`)
process.exit(totals.failures.length > 0 ? 1 : 0)
