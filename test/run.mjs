/**
 * `npm test`: checks of the source beside the fast tests. `npm run test:deep`: the slow tests (files `*.deep.test.ts`).
 * Other arguments go to vitest.
 */
import { spawn } from "node:child_process"

const began = performance.now()

const lasting = (since) => {
  const seconds = Math.round((performance.now() - since) / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const say = (line) => process.stdout.write(`${line}\n`)

const isDeep = process.argv[2] === "--deep"
const wanted = process.argv.slice(isDeep ? 3 : 2)

const sourceChecks = [
  ["types and Effect diagnostics", ["npm", "run", "--silent", "typecheck"]],
  ["lint", ["npm", "run", "--silent", "lint"]],
  ["formatting", ["npm", "run", "--silent", "lint:format"]]
]
const checks = isDeep ? [] : sourceChecks
const total = checks.length + 1
const running = new Set()

/** What a check has to say is shown in one piece, when it ends; the tests speak for themselves. */
const step = (number, name, [command, ...args], stdio, env = process.env) =>
  new Promise((resolve) => {
    const since = performance.now()
    say(`[${number}/${total}] ${name} …`)
    const child = spawn(command, args, { stdio: ["ignore", stdio, stdio], env })
    running.add(child)
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => output.push(chunk))
    child.once("error", (error) => output.push(`${error.message}\n`))
    child.once("close", (code) => {
      running.delete(child)
      process.stdout.write(Buffer.concat(output.map((chunk) => Buffer.from(chunk))))
      say(`[${number}/${total}] ${name}: ${code === 0 ? "passed" : "FAILED"} after ${lasting(since)}`)
      resolve(code === 0)
    })
  })

const oneAfterAnother = async () => {
  const passed = []
  for (const [index, [name, command]] of checks.entries()) passed.push(await step(index + 1, name, command, "pipe"))
  return passed
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal)
    process.once("exit", () => say(`Stopped by ${signal} after ${lasting(began)}`))
    process.exit(signal === "SIGINT" ? 130 : 143)
  })
}

const environment = { ...process.env, TEST_FILES: isDeep ? "deep" : "fast" }
const tests = step(total, isDeep ? "deep tests" : "tests", ["vitest", "run", ...wanted], "inherit", environment)
const passed = [...(await oneAfterAnother()), await tests]
say(`${passed.every(Boolean) ? "All passed" : "NOT all passed"}, in ${lasting(began)}`)
process.exit(passed.every(Boolean) ? 0 : 1)
