/** The real server beside fakes of third parties: what is asked of it, who pays, and whether the books say what each holds. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { afterAll, expect } from "vitest"
import { freePort } from "../../bench/FreePort.ts"
import { allFakes, type StartedFake, startFakes } from "../../fakes/AllFakes.ts"
import {
  discard,
  newDataDir,
  pay,
  type RealServer,
  startServer,
  until,
  withSql
} from "../../payments/support/RealServer.ts"

/** Starts fakes of these, and a server that speaks to them each time that it is started. */
export const besideFakes = (named: ReadonlyArray<string>, about: Readonly<Record<string, string>>) => {
  const dataDir = newDataDir()
  const scope = Effect.runSync(Scope.make())
  let running: RealServer | undefined

  afterAll(async () => {
    await running?.stop()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    discard(dataDir)
  }, 60_000)

  const begin = async () => {
    const port = await freePort()
    const wanted = allFakes.filter(({ fake }) => named.includes(fake.name))
    const fakes = await Effect.runPromise(
      Scope.extend(startFakes({ callbackBase: `http://127.0.0.1:${port}` }, wanted), scope)
    )
    const settings = { ...Object.fromEntries(fakes.flatMap((one) => one.settings)), LOG_LEVEL: "error", ...about }
    const start = async (): Promise<RealServer> => (running = await startServer(dataDir, port, settings))
    return { fakes, start }
  }
  return { dataDir, begin }
}

export const sandboxIn = (dataDir: string) => {
  const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as {
    readonly admin: { readonly jwt: string }
    readonly orgs: ReadonlyArray<{ readonly org_id: string }>
  }
  return { admin: { authorization: `Bearer ${sandbox.admin.jwt}` }, org_id: sandbox.orgs[0]!.org_id }
}

export const requestTo =
  ({ url }: RealServer) =>
  (path: string, body: object, headers: Readonly<Record<string, string>>, method = "POST"): Promise<Response> =>
    fetch(`${url}/v1${path}`, {
      method,
      headers: { authorization: "NONE", "x-api-key": "NONE", "content-type": "application/json", ...headers },
      body: JSON.stringify(body)
    })

/** Visits the third party's page, where it has one, and follows the way back. */
export const paidBy = async (server: RealServer, order: object): Promise<void> => {
  const answer = (await (await pay(server, order)).json()) as {
    readonly response?: { readonly redirect_url?: string | null }
  }
  const page = answer.response?.redirect_url ?? null
  if (page !== null) await fetch(page)
}

/** Sums over all accounts at a fake, which keeps one book for all of them. */
const balances = `select 'provider/' || split_part(account, '/', 2) || '/' || currency as account, currency,
    sum(amount)::text as amount
  from ledger_postings where account like 'provider/%' and account not like 'provider/fiat/%' group by 1, currency`

const inUnits = (minor: bigint, currency: string): number => Number(minor) / (currency === "UGX" ? 1 : 100)

const heldBy = (fakes: ReadonlyArray<StartedFake>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    fakes.flatMap(({ fake, running }) =>
      Array.from(
        running.books.holdings(),
        ([currency, minor]) => [`provider/${fake.name}/${currency}`, inUnits(minor, currency)] as const
      ).filter(([, amount]) => amount !== 0)
    )
  )

/** `meanwhile`: a statement that is run before every look. */
export const booksAgree = (url: string, fakes: ReadonlyArray<StartedFake>, meanwhile = "select 1") => {
  let [booked, held]: ReadonlyArray<Readonly<Record<string, number>>> = [{}, {}]
  return withSql(url, (sql) =>
    until("the books say what each of them holds", async () => {
      await sql.query(meanwhile)
      const rows = (await sql.query<{ account: string; currency: string; amount: string }>(balances)).rows
      booked = Object.fromEntries(
        rows.filter(({ amount }) => Number(amount) !== 0).map((row) => [row.account, -Number(row.amount)])
      )
      held = heldBy(fakes)
      return JSON.stringify(Object.entries(booked).toSorted()) === JSON.stringify(Object.entries(held).toSorted())
        ? held
        : undefined
    }).catch(() => expect(booked, "what the books say that each of them holds").toEqual(held))
  )
}
