/** `corridor/client` as a program elsewhere has it: installed, imported and required, and with types that hold. */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, inject, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "corridor-client-test-"))
const installed = join(folder, "node_modules", "corridor")

const run = (...words: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, words, { cwd: folder }).then(
    ({ stderr, stdout }) => stdout + stderr,
    (error: { readonly stdout: string; readonly stderr: string }) => `failed: ${error.stdout}${error.stderr}`
  )

const promises = `
const corridor = createCorridor({ url: "http://127.0.0.1:1/v1", apiKey: "ck_test_x", retries: 0 })
corridor.payments.transactions().then(
  () => console.log("answered"),
  (error) => console.log(error instanceof CorridorError, error.status, typeof verifyWebhook)
)
`

/** What must compile, and, after each @ts-expect-error, what must not. */
const typed = `
import { Effect, Stream } from "effect"
import { allPages, Corridor, createCorridor, verifyWebhook } from "corridor/client"

const corridor = createCorridor({ url: "https://pay.example/v1", apiKey: "ck_live_x" })

export const paid = async (): Promise<number> => {
  const { response } = await corridor.paymentsInit.initiate({
    payload: {
      amount: 1500, target_amount: 1500, currency: "KES", target_currency: "KES", payment_method: "card", direction: "payin"
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
  return record.amount + failed
}

export const received = async (request: { headers: Record<string, string>; body: string }): Promise<string> =>
  (await verifyWebhook({ ...request, secret: "whsec_x" })).event_type

export const count: Effect.Effect<number, unknown> = Effect.flatMap(Corridor, ({ payments }) =>
  Stream.runCount(allPages(payments.transactions, { urlParams: { limit: 100 } }))
).pipe(Effect.provide(Corridor.layer({ url: "https://pay.example", token: () => "jwt" })))
`

const compilerOptions = {
  target: "ES2022",
  lib: ["ES2023"],
  types: ["node"],
  typeRoots: [resolve("node_modules/@types")],
  module: "NodeNext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true
}

beforeAll(async () => {
  const bundle = inject("bundle")
  const builder = JSON.stringify(resolve("src/client/build.mjs"))
  const built = await run(
    "--input-type=module",
    "-e",
    `await (await import(${builder})).buildClient(${JSON.stringify(bundle)})`
  )
  expect(built).toBe("")
  cpSync(join(bundle, "client"), join(installed, "dist", "client"), { recursive: true })
  cpSync("package.json", join(installed, "package.json"))
  for (const name of ["effect", "@effect/platform"]) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true })
    symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name))
  }
  writeFileSync(join(folder, "package.json"), "{}")
  const names = "CorridorError, createCorridor, verifyWebhook"
  writeFileSync(join(folder, "imports.mjs"), `import { ${names} } from "corridor/client"\n${promises}`)
  writeFileSync(join(folder, "requires.cjs"), `const { ${names} } = require("corridor/client")\n${promises}`)
  for (const name of ["typed.mts", "typed.cts"]) writeFileSync(join(folder, name), typed)
  const config = { compilerOptions, files: ["typed.mts", "typed.cts"] }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true }))

it.each(["imports.mjs", "requires.cjs"])("runs: %s", async (file) => {
  expect(await run(file)).toBe("true 0 function\n")
})

it("has types that hold, for import and for require", async () => {
  expect(await run(resolve("node_modules/typescript/bin/tsc"), "-p", folder)).toBe("")
}, 240_000)
