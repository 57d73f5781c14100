/**
 * A database that an earlier release has filled, brought up to date by this one: what callers read is what they read then,
 * and the books are in order. `releases/` holds what each release wrote: a backup, and what its API answered about it.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { migrations } from "../../src/platform/database/Migrations.ts"
import { byPhone } from "../payments/support/Requests.ts"
import {
  dataIn,
  freePort,
  type OwnDatabase,
  ownDatabase,
  type RunningServer,
  startServer,
  temporaryFolder
} from "./Cli.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 })

type Item = Readonly<Record<string, unknown>>

interface Release {
  readonly payments: Readonly<
    Record<string, ReadonlyArray<Item & { readonly payment_id: string; readonly status: string }>>
  >
  readonly timelines: Readonly<Record<string, Readonly<Record<string, { readonly items: ReadonlyArray<Item> }>>>>
  readonly balances: Readonly<Record<string, ReadonlyArray<Item>>>
}

interface Timeline {
  readonly data: { readonly items: ReadonlyArray<Item> }
}

const RELEASES = resolve("test/platform/database/releases")
const names = readdirSync(RELEASES).flatMap((file) => (file.endsWith(".backup") ? [file.replace(".backup", "")] : []))

it("is kept of one release at least, and of an earlier one", () => {
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) expect(Number(name)).toBeLessThan(Object.keys(migrations).length)
})

for (const name of names) {
  describe(`the database of migration ${name}`, () => {
    const release = JSON.parse(readFileSync(join(RELEASES, `${name}.json`), "utf8")) as Release
    const dataDir = temporaryFolder()
    let database: OwnDatabase
    let server: RunningServer
    let keys: ReadonlyMap<string, string>
    let applied: ReadonlyArray<number> = []
    let env: Readonly<Record<string, string>> = {}

    const get = async <A>(org: string, path: string): Promise<A> => {
      const headers = { authorization: "NONE", "x-api-key": keys.get(org)! }
      return (await (await fetch(`${server.url}/v1${path}`, { headers })).json()) as A
    }

    beforeAll(async () => {
      database = await ownDatabase("empty")
      env = {
        DATABASE_URL: database.url,
        DATA_DIR: dataDir,
        PORT: await freePort(),
        CORRIDOR_MASTER_KEY: "33".repeat(32),
        SANDBOX_RAIL_PACE: "200 millis"
      }
      const restored = await dataIn(env)<{ readonly migrations_applied: ReadonlyArray<number> }>(
        "restore",
        join(RELEASES, `${name}.backup`)
      )
      applied = restored.migrations_applied
      server = await startServer(env)
      const { orgs } = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as {
        readonly orgs: ReadonlyArray<{ readonly org_id: string; readonly api_key: string }>
      }
      keys = new Map(orgs.map(({ api_key, org_id }) => [org_id, api_key]))
    })

    afterAll(async () => {
      await server.stop()
      await database.drop()
      rmSync(dataDir, { recursive: true })
    })

    it("is brought up to date by every migration since", () => {
      const later = Object.keys(migrations).map((one) => Number.parseInt(one, 10))
      expect(applied).toEqual(later.filter((id) => id > Number(name)))
    })

    it("has payments that read the same, each with its history", async () => {
      for (const [org, payments] of Object.entries(release.payments)) {
        // What is under way goes on.
        for (const payment of payments.filter(({ status }) => !["pending", "processing"].includes(status))) {
          expect(await get(org, `/payments/${payment.payment_id}`)).toMatchObject(payment)
          const timeline = await get<Timeline>(org, `/payments/${payment.payment_id}/timeline`)
          expect(timeline.data.items).toMatchObject(release.timelines[org]![payment.payment_id]!.items)
        }
        const now = await get<{ readonly data: ReadonlyArray<Item> }>(org, "/transactions?limit=100")
        expect(now.data.map((one) => one["payment_id"])).toEqual(payments.map(({ payment_id }) => payment_id))
      }
      expect(Object.values(release.payments).flat().length).toBeGreaterThan(10)
    })

    it("has books that are in order, and the balances of then", async () => {
      const { problems } = await dataIn(env)<{ readonly problems: ReadonlyArray<unknown> }>("ledger", "check")
      expect(problems).toEqual([])
      for (const [org, balances] of Object.entries(release.balances)) {
        expect(await dataIn(env)("ledger", "balances", "--org", org)).toEqual(balances)
      }
    })

    it("takes a new payment", async () => {
      const [org, key] = Array.from(keys)[0]!
      const answer = await fetch(`${server.url}/v1/payments-init/initiate`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "NONE", "x-api-key": key },
        body: JSON.stringify(byPhone())
      })
      expect(answer.status).toBe(200)
      const { response } = (await answer.json()) as { readonly response: { readonly payment_id: string } }
      expect(await get(org, `/payments/${response.payment_id}`)).toMatchObject({ org_id: org })
    })
  })
}
