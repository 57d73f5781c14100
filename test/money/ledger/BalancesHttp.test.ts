import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { daysBefore } from "../../../src/domain/CalendarDate.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { code, fiatProvider, moved } from "./Entries.ts"

const get = (credential: Credential, path: string) => send(`/v1/organizations/${path}`, { headers: { ...credential } })

interface Trends {
  readonly data: {
    readonly date_from: string
    readonly date_to: string
    readonly days: ReadonlyArray<{ readonly date: string; readonly balances: ReadonlyArray<unknown> }>
  }
}

onDatabaseServer("Balances of the platform", (it) => {
  it.effect("are for platform admins, exact, and of every organisation", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const currency = code("TZS")
      for (const { org_id } of [acme, globex]) {
        yield* moved(org_id, fiatProvider("TZS"), LedgerAccount.settlement(org_id, currency), "10000000000000.07 TZS")
      }
      const { org_id } = acme
      yield* moved(org_id, LedgerAccount.receivable(org_id, code("ZMW")), fiatProvider("ZMW"), "50.17 ZMW")
      const answer = yield* send("/v1/ledger/balances", { headers: { ...admin } })
      expect(answer.status, answer.text).toBe(200)
      expect(answer.text).toContain(
        '{"kind":"provider","account":"provider/fiat/TZS","provider":"fiat","config_id":null,"currency":"TZS","balance":20000000000000.14,"accounts":1}'
      )
      expect(answer.text).toContain(
        '{"kind":"receivable","account":"receivable/ZMW","provider":null,"config_id":null,"currency":"ZMW","balance":-50.17,"accounts":1}'
      )
      const own = bodyOf(yield* get(acme.key, `${org_id}/balances`)) as { readonly data: ReadonlyArray<unknown> }
      expect(own.data).toContainEqual({
        ...{ account: `receivable/${org_id}/ZMW`, kind: "receivable", currency: "ZMW", balance: -50.17, floor: null }
      })
      for (const credential of [acme.key, acme.token("org-admin")]) {
        expect((yield* send("/v1/ledger/balances", { headers: { ...credential } })).status).toBe(403)
      }
    })
  )
})

onDatabaseServer("Balances by day", (it) => {
  it.effect("are of thirty days, and end at the balances of now, digit by digit", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { org_id } = acme
      yield* moved(org_id, fiatProvider(), LedgerAccount.settlement(org_id, code("KES")), "10000000000000.07 KES")
      yield* moved(org_id, LedgerAccount.settlement(org_id, code("UGX")), fiatProvider("UGX"), "1500 UGX")
      const answer = yield* get(acme.key, `${org_id}/balances/trends`)
      expect(answer.status, answer.text).toBe(200)
      const { data } = bodyOf(answer) as Trends
      expect(data.days).toHaveLength(30)
      expect([data.days[0]?.date, data.days.at(-1)?.date]).toEqual([data.date_from, data.date_to])
      expect(data.days[0]?.balances).toEqual([
        { currency: "KES", balance: 0 },
        { currency: "UGX", balance: 0 }
      ])
      expect(answer.text).toContain(
        '"balances":[{"currency":"KES","balance":10000000000000.07},{"currency":"UGX","balance":-1500.0}]}]'
      )
      const list = bodyOf(yield* get(acme.key, `${org_id}/balances`)) as {
        readonly data: ReadonlyArray<{ readonly kind: string; readonly currency: string; readonly balance: number }>
      }
      const settled = list.data.filter(({ kind }) => kind === "settlement")
      expect(data.days.at(-1)?.balances).toEqual(settled.map(({ balance, currency }) => ({ currency, balance })))
    })
  )

  it.effect("go back for a year, in ranges that have an order", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const asked = (query: string) => get(acme.key, `${acme.org_id}/balances/trends?${query}`)
      const { date_to: today } = (bodyOf(yield* asked("")) as Trends).data
      // A day within, as another one may begin at any moment.
      const first = daysBefore(today, 364)
      const year = yield* asked(`dateFrom=${first}&dateTo=${today}`)
      expect((bodyOf(year) as Trends).data.days).toHaveLength(365)
      const past = yield* asked(`dateFrom=${first}&dateTo=${first}`)
      expect((bodyOf(past) as Trends).data).toMatchObject({ date_from: first, date_to: first })
      for (const query of [
        `dateFrom=${daysBefore(today, 366)}&dateTo=${daysBefore(today, 300)}`,
        "dateTo=2020-01-01",
        `dateFrom=${today}&dateTo=${first}`,
        "dateFrom=yesterday"
      ]) {
        const answer = yield* asked(query)
        expect(answer.status, query).toBe(400)
        expect(bodyOf(answer)).toMatchObject({ status: "error", message: expect.stringContaining("dateFrom: ") })
      }
    })
  )

  it.effect("have no day that has not begun", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const asked = (query: string) =>
        Effect.map(
          get(acme.key, `${acme.org_id}/balances/trends?${query}`),
          (answer) => (bodyOf(answer) as Trends).data
        )
      const { date_to: today } = yield* asked("")
      const tomorrow = daysBefore(today, -1)
      // Another day may begin while this is asked.
      const [yesterday, soon] = [daysBefore(today, 1), daysBefore(today, -9)]
      const { date_to, days } = yield* asked(`dateFrom=${yesterday}&dateTo=${soon}`)
      expect(date_to).toBe(soon)
      expect(days.map(({ date }) => date).filter((date) => date <= today)).toEqual([yesterday, today])
      expect(days.map(({ date }) => date).filter((date) => date > tomorrow)).toEqual([])
      expect((yield* asked(`dateFrom=${daysBefore(today, -2)}&dateTo=${soon}`)).days).toEqual([])
    })
  )

  it.effect("are for staff, of their own organisation", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      for (const credential of [acme.key, acme.token("org-admin"), acme.token("staff"), admin]) {
        expect((yield* get(credential, `${acme.org_id}/balances/trends`)).status).toBe(200)
      }
      expect((yield* get(acme.token("member"), `${acme.org_id}/balances/trends`)).status).toBe(403)
      const stranger = yield* get(globex.key, `${acme.org_id}/balances/trends`)
      expect(stranger.status).toBe((yield* get(globex.key, `${acme.org_id}/balances`)).status)
      expect(stranger.status).toBeGreaterThanOrEqual(403)
    })
  )
})
