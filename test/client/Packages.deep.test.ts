/** The packages as programs elsewhere have them: installed without a network, small, quick to load, with types that hold. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import about from "../../package.json" with { type: "json" }
import { buildPackages, installEffect, outputOf } from "./support/ClientPackages.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-packages-"))
const [js, python] = [join(folder, "js"), join(folder, "py")]

let built = ""

beforeAll(async () => {
  built = await buildPackages(folder, { types: true })
  for (const name of [js, python]) mkdirSync(name)
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const calls = `
const corridor = createCorridor({ url: "http://127.0.0.1:1/v1", apiKey: "ck_test_x", retries: 0 })
corridor.payments.transactions().then(
  () => console.log("answered"),
  (error) => console.log(error instanceof CorridorError, error.status, typeof verifyWebhook)
)
`

/** Code that must compile, and, after each @ts-expect-error, code that must not. */
const typed = `
import { createCorridor, type Operations, verifyWebhook } from "@corridor/client"

const corridor = createCorridor({ url: "https://pay.example/v1", apiKey: "ck_live_x" })

export const paid = async (reference: string | undefined): Promise<number> => {
  const { response } = await corridor.paymentsInit.initiate({
    payload: {
      amount: 1500, target_amount: 1500, currency: "KES", target_currency: "KES", payment_method: "card", direction: "payin",
      client_reference: reference
    }
  })
  const record = await corridor.payments.byId({ path: { payment_id: response.payment_id } })
  let failed = 0
  for await (const one of corridor.payments.transactions.all({ urlParams: { status: "failed" } })) failed += one.amount
  // @ts-expect-error
  record.nothing
  // @ts-expect-error
  await corridor.payments.byId({})
  // @ts-expect-error
  await corridor.payments.transactions({ urlParams: { status: "lost" } })
  // @ts-expect-error
  createCorridor({ url: "https://pay.example" })
  // @ts-expect-error
  corridor.payments.byId.all
  const removed: Promise<void> = corridor.webhooks.remove({ path: { webhook_id: "w" } })
  await removed
  return record.amount + failed
}

export const received = async (request: { headers: Record<string, string>; body: string }): Promise<string> => {
  const event = await verifyWebhook({ ...request, secret: "whsec_x" })
  // @ts-expect-error
  event.data.payment_id
  if (event.event_type === "payment.completed") return event.data.payment_id
  return event.event_type === "kyb.approved" ? event.data.kyb_status : event.event_id
}

export type Payment = Operations["payments"]["byId"]["answer"]
`

const typedEffect = `
import { Effect, Stream } from "effect"
import { allPages, Corridor } from "@corridor/client/effect"

export const count: Effect.Effect<number, unknown> = Effect.flatMap(Corridor, ({ payments }) =>
  Stream.runCount(allPages(payments.transactions, { urlParams: { limit: 100 } }))
).pipe(Effect.provide(Corridor.layer({ url: "https://pay.example", token: () => "jwt" })))
`

/** The types without Effect are those of the contract: each answer may be assigned to the other. */
const sameAnswers = `
import type { Operations as Published } from "@corridor/client"
import type { Operations as Inferred } from ${JSON.stringify(resolve("src/client/WireTypes.ts"))}

type AnswerOf<Operation> = Operation extends { readonly answer: infer Answer } ? Answer : never
type Different<A, B> = {
  [G in keyof A & keyof B]: {
    [N in keyof A[G] & keyof B[G]]: [AnswerOf<A[G][N]>] extends [AnswerOf<B[G][N]>] ? never : \`\${G & string}.\${N & string}\`
  }[keyof A[G] & keyof B[G]]
}[keyof A & keyof B]
export const none = (one: Different<Published, Inferred>, other: Different<Inferred, Published>): [never, never] => [one, other]
// @ts-expect-error
export const some = (one: Different<{ payments: { byId: { answer: string } } }, Inferred>): never => one
`

const compiles = async (...files: ReadonlyArray<string>) => {
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2023", "ES2024.String"],
    types: ["node"],
    typeRoots: [resolve("node_modules/@types")],
    module: "NodeNext",
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true
  }
  writeFileSync(join(js, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  return spawnSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", js], { encoding: "utf8" })
    .stdout
}

/** CPU of loading the package, in milliseconds: the least of some processes, since the machine may be busy. */
const loadMillis = async (): Promise<number> => {
  const program = `const before = process.cpuUsage()
require("@corridor/client")
const { system, user } = process.cpuUsage(before)
console.log((system + user) / 1000)`
  const times: Array<number> = []
  for (let run = 0; run < 5; run++) times.push(Number(await outputOf(js, process.execPath, ["-e", program])))
  return Math.min(...times)
}

describe("@corridor/client", () => {
  beforeAll(async () => {
    const [{ filename }] = JSON.parse(
      await outputOf(js, "npm", ["pack", built, "--json", "--silent", "--pack-destination", js])
    ) as [{ readonly filename: string }]
    expect(filename).toBe(`corridor-client-${about.version}.tgz`)
    writeFileSync(join(js, "package.json"), "{}")
    await outputOf(js, "npm", ["install", `./${filename}`, "--offline", "--no-audit", "--no-fund", "--omit=peer"])
    const names = "CorridorError, createCorridor, verifyWebhook"
    writeFileSync(join(js, "imports.mjs"), `import { ${names} } from "@corridor/client"\n${calls}`)
    writeFileSync(join(js, "requires.cjs"), `const { ${names} } = require("@corridor/client")\n${calls}`)
    for (const name of ["typed.mts", "typed.cts"]) writeFileSync(join(js, name), typed)
    writeFileSync(join(js, "effect.mts"), typedEffect)
    writeFileSync(join(js, "answers.mts"), sameAnswers)
  }, 240_000)

  it("is one package without dependencies, of the server's version", () => {
    const modules = readdirSync(join(js, "node_modules")).filter((name) => !name.startsWith("."))
    expect(modules).toEqual(["@corridor"])
    const installed = join(js, "node_modules", "@corridor", "client")
    expect(readdirSync(installed).toSorted()).toEqual(["LICENSE", "README.md", "cjs", "esm", "package.json"])
    const { dependencies, peerDependencies, version } = JSON.parse(
      readFileSync(join(installed, "package.json"), "utf8")
    ) as {
      readonly dependencies?: object
      readonly peerDependencies: object
      readonly version: string
    }
    expect([dependencies, version]).toEqual([undefined, about.version])
    expect(peerDependencies).toEqual({
      "@effect/platform": `^${about.dependencies["@effect/platform"]}`,
      effect: `^${about.dependencies.effect}`
    })
  })

  // Without a version npm takes the newest release, which need not fit.
  it("names the releases of its peers where it says how to install them", () => {
    const [, minor] = about.dependencies["@effect/platform"].split(".")
    const line = `npm i effect@${about.dependencies.effect.split(".")[0]} @effect/platform@0.${minor}`
    for (const page of ["docs/client.md", "src/client/README.md"])
      expect(readFileSync(page, "utf8"), page).toContain(line)
  })

  it.each(["imports.mjs", "requires.cjs"])("runs: %s", async (file) => {
    expect(await outputOf(js, process.execPath, [file])).toBe("true 0 function\n")
  })

  it("is under 30 KB, not minified, and loads in less than 50 ms of CPU", async () => {
    for (const format of ["cjs", "esm"]) {
      const { size } = statSync(join(js, "node_modules/@corridor/client", format, "main.js"))
      expect(size).toBeGreaterThan(10_000)
      expect(size).toBeLessThan(30_000)
    }
    const millis = await loadMillis()
    expect(millis).toBeGreaterThan(0)
    expect(millis).toBeLessThan(50)
  })

  it("has types that hold, for import and for require, without Effect", async () => {
    expect(await compiles("typed.mts", "typed.cts")).toBe("")
  }, 240_000)

  it("has the types of the contract, and those of the Effect client", async () => {
    installEffect(js)
    expect(await compiles("effect.mts", "answers.mts")).toBe("")
  }, 240_000)
})

const hasPip = spawnSync("python3", ["-m", "pip", "--version"]).status === 0

describe.skipIf(!hasPip)("corridor-client (needs python3 with pip)", () => {
  const site = join(python, "site")
  const wheel = `corridor_client-${about.version}-py3-none-any.whl`
  const pip = (...words: ReadonlyArray<string>) =>
    outputOf(python, "python3", ["-m", "pip", "--disable-pip-version-check", "--no-cache-dir", ...words])

  beforeAll(async () => {
    await pip("wheel", "--no-index", "--no-deps", "--wheel-dir", python, join(built, "python"))
    await pip("install", "--no-index", "--target", site, join(python, wheel))
  }, 240_000)

  it("is one package, with types", () => {
    expect(readdirSync(site).toSorted()).toEqual(["corridor", `corridor_client-${about.version}.dist-info`])
    expect(readdirSync(join(site, "corridor"))).toContain("py.typed")
  })

  it("runs, and refuses floats", async () => {
    const program = `
from decimal import Decimal
from corridor import Corridor, CorridorError
corridor = Corridor("http://127.0.0.1:1", api_key="ck_test_x", retries=0)
for amount in (Decimal("0.10"), 0.1):
    try:
        corridor.virtual_accounts.simulate_deposit("account", {"amount": amount})
    except (CorridorError, TypeError) as error:
        print(type(error).__name__, getattr(error, "status", None))
`
    const output = await outputOf(python, "python3", ["-c", program], { PYTHONPATH: site })
    expect(output).toBe("CorridorError 0\nTypeError None\n")
  })

  it("compiles from Python 3.9 on", async () => {
    const program = `
import ast, pathlib
for file in pathlib.Path("site/corridor").glob("*.py"):
    print(file.name, len(ast.parse(file.read_text("utf-8"), feature_version=(3, 9)).body) > 0)
`
    const lines = (await outputOf(python, "python3", ["-c", program])).trim().split("\n").toSorted()
    expect(lines).toEqual([
      "__init__.py True",
      "_operations.py True",
      "_transport.py True",
      "types.py True",
      "webhooks.py True"
    ])
  })

  it.skipIf(spawnSync("mypy", ["--version"]).status !== 0)(
    "passes mypy --strict (needs mypy)",
    async () => {
      const program = `
from decimal import Decimal
from corridor import Corridor
corridor = Corridor("https://pay.example", api_key="k")
amount: Decimal = corridor.payments.by_id("p")["amount"]
for payment in corridor.payments.all_transactions(status="failed"):
    reveal_type(payment["amount"])
corridor.payments.all_transactions(status="lost")
`
      writeFileSync(join(python, "program.py"), program)
      const words = ["--strict", "--python-version=3.9", "--cache-dir=cache"]
      expect(await outputOf(site, "mypy", [...words, "corridor"])).toMatch(/^Success/)
      const { stdout } = spawnSync("mypy", [...words, join(python, "program.py")], {
        cwd: python,
        encoding: "utf8",
        env: { ...process.env, MYPYPATH: site }
      })
      expect(stdout).toMatch(/Revealed type is "_?decimal\.Decimal"/)
      expect(stdout).toContain('program.py:8: error: Argument "status"')
      expect(stdout).toContain("Found 1 error")
    },
    240_000
  )
})
