/**
 * `npm run simulate`, `chaos`, `bench` … : bundles a program under test/, starts it with the given arguments
 * and ends as it ends.
 */
import { spawn } from "node:child_process"
import { basename, join } from "node:path"
import { build } from "esbuild"

const serverFlags = ["--max-semi-space-size=8", "--heap-growing-percent=60", "--no-memory-reducer"]

/** `server`: arguments for scripts/build.mjs, where the program starts the built server. `main` is the first entry. */
const programs = {
  "providers:fake": { entries: ["test/fakes/fakesMain.ts"] },
  "demo:live": { entries: ["test/live/demoMain.ts"], server: [] },
  simulate: { entries: ["test/simulation/simulationMain.ts"], flags: ["--max-semi-space-size=64"] },
  chaos: { entries: ["test/chaos/chaosMain.ts"], server: ["--client"] },
  failover: { entries: ["test/chaos/failoverMain.ts"], server: ["--client"] },
  fuzz: { entries: ["test/fuzz/fuzzMain.ts"], server: ["--client"] },
  bench: {
    entries: {
      main: "test/bench/benchMain.ts",
      CpuReport: "test/bench/CpuReport.ts",
      "fastify/main": "test/bench/fastify/fastifyMain.ts",
      "load/main": "test/bench/load/loadMain.ts",
      "load/ticks": "test/bench/load/ticks.mjs"
    },
    server: ["--map"]
  },
  "bench:bytes": { entries: ["test/bench/growth/bytes.ts", "test/bench/CpuReport.ts"], server: [] },
  "bench:growth": { entries: ["test/bench/growth/speed.ts", "test/bench/CpuReport.ts"], server: [] },
  "bench:pages": { entries: ["test/bench/growth/pages.ts"] },
  "bench:webhooks": {
    entries: ["test/bench/webhooks/webhooksMain.ts", "test/bench/webhooks/receiver.ts"],
    flags: serverFlags
  }
}

const [name, ...args] = process.argv.slice(2)
const program = programs[name]
if (program === undefined) {
  process.stderr.write(`No program ${name}; there are: ${Object.keys(programs).join(", ")}\n`)
  process.exit(2)
}

const run = (argv) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, argv, { stdio: "inherit" })
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
    child.once("close", (code, signal) => resolve(code ?? 128 + (signal === "SIGINT" ? 2 : 15)))
  })

if (program.server !== undefined) {
  const code = await run(["scripts/build.mjs", ...program.server])
  if (code !== 0) process.exit(code)
}
const named = Array.isArray(program.entries)
  ? Object.fromEntries(program.entries.map((file) => [basename(file).replace(/\.\w+$/, ""), file]))
  : program.entries
const outdir = join("dist", name.replace(":", "-"))
await build({
  entryPoints: Object.entries(named).map(([out, file]) => ({ in: file, out })),
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "warning"
})
process.exit(await run([...(program.flags ?? []), join(outdir, `${Object.keys(named)[0]}.mjs`), ...args]))
