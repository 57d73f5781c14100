import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { PaymentStatus } from "../../../src/domain/PaymentStatus.ts"
import { newPayment } from "../support/NewPayment.ts"
import { newMember, newOrganization } from "../../support/StoreFixtures.ts"
import { type Cast, type Credential, people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { joined, membersOf } from "../../people/members/InvitationFixtures.ts"
import { payoutByPhone } from "../support/Requests.ts"

const TRENDS = "/v1/transactions/analytics/trends"
const GEOGRAPHY = "/v1/users/analytics/geographic-distribution"

const get = (credential: Credential, path: string, query = "") =>
  send(`${path}${query === "" ? "" : `?${query}`}`, { headers: { ...credential } })

const paid = (org: Cast, at: string, status: PaymentStatus, currency: string, minor: bigint) => {
  const amount = new Money({ currency: CurrencyCode.make(currency), minor })
  const owner = { org_id: org.org_id, user_id: org.userId("staff") }
  return newPayment(owner, { status, amount, target: amount, created_at: new Date(at), updated_at: new Date(at) })
}

interface Trends {
  readonly status: string
  readonly data: {
    readonly date_from: string
    readonly date_to: string
    readonly days: ReadonlyArray<{ readonly date: string; readonly count: number }>
    readonly totals: { readonly count: number }
  }
}

onDatabaseServer("Analytics", (it) => {
  it.effect("trends show every day of the range with its counts and exact sums, of all organisations or one", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      yield* paid(acme, "2024-02-28T23:59:59.999Z", "completed", "KES", 10n)
      yield* paid(acme, "2024-02-28T10:00:00Z", "completed", "KES", 20n)
      yield* paid(acme, "2024-02-28T10:00:00Z", "failed", "KES", 9_999n)
      yield* paid(acme, "2024-02-28T10:00:00Z", "pending", "KES", 9_999n)
      yield* paid(acme, "2024-03-01T00:00:00Z", "completed", "UGX", 1_500n)
      yield* paid(globex, "2024-03-01T12:00:00Z", "completed", "KES", 1_000_000_000_000_007n)
      yield* paid(acme, "2024-03-02T00:00:00Z", "completed", "KES", 5n)
      const answer = yield* get(admin, TRENDS, "dateFrom=2024-02-28&dateTo=2024-03-01")
      expect(answer.status, answer.text).toBe(200)
      const empty = { count: 0, completed: 0, failed: 0, success_rate: null, volume: [] }
      const { data, status } = bodyOf(answer) as Trends
      expect(status).toBe("success")
      expect({ ...data, days: data.days.slice(0, 2) }).toEqual({
        date_from: "2024-02-28",
        date_to: "2024-03-01",
        days: [
          {
            date: "2024-02-28",
            ...{ count: 4, completed: 2, failed: 1, success_rate: 2 / 3 },
            volume: [{ currency: "KES", amount: 0.3 }]
          },
          { date: "2024-02-29", ...empty }
        ],
        totals: expect.objectContaining({ count: 6, completed: 4, failed: 1, success_rate: 0.8 })
      })
      expect(answer.text).toContain(
        '"date":"2024-03-01","count":2,"completed":2,"failed":0,"success_rate":1,' +
          '"volume":[{"currency":"KES","amount":10000000000000.07},{"currency":"UGX","amount":1500.0}]'
      )
      expect(answer.text).toContain('"volume":[{"currency":"KES","amount":0.30}]')
      expect(answer.text).toContain('{"currency":"KES","amount":10000000000000.37}')
      const one = yield* get(admin, TRENDS, `dateFrom=2024-02-28&dateTo=2024-03-01&org_id=${globex.org_id}`)
      expect((bodyOf(one) as Trends).data.days.map(({ count }) => count)).toEqual([0, 0, 1])
      expect((yield* get(admin, TRENDS, `org_id=${nilUuid}`)).status).toBe(404)
    })
  )

  it.effect("trends are of the last thirty days unless the caller says otherwise", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const before = new Date().toISOString().slice(0, 10)
      yield* paid(acme, new Date().toISOString(), "completed", "KES", 100n)
      const { data } = bodyOf(yield* get(admin, TRENDS)) as Trends
      expect(data.days).toHaveLength(30)
      expect([data.days[0]?.date, data.days.at(-1)?.date]).toEqual([data.date_from, data.date_to])
      expect(data.date_to >= before).toBe(true)
      expect(data.totals.count).toBeGreaterThanOrEqual(1)
    })
  )

  it.effect("trends refuse a range that is too long or turned round, and dates that do not exist", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      expect((yield* get(admin, TRENDS, "dateFrom=2025-03-02&dateTo=2026-03-02")).status).toBe(200)
      const leap = yield* get(admin, TRENDS, "dateFrom=2024-01-01&dateTo=2024-12-31")
      expect((bodyOf(leap) as Trends).data.days).toHaveLength(366)
      for (const [field, query] of [
        ["dateFrom", "dateFrom=2025-03-01&dateTo=2026-03-02"],
        ["dateFrom", "dateFrom=2026-03-02&dateTo=2026-03-01"],
        ["dateFrom", "dateFrom=2026-02-30&dateTo=2026-03-02"],
        ["dateTo", "dateFrom=2026-02-01&dateTo=2026-02-30"],
        ["dateTo", "dateTo=2026-03-02T00:00:00Z"],
        ["dateTo", "dateTo="],
        ["dateFrom", "dateFrom=0000-01-01"],
        ["dateFrom", "dateFrom=2026-03-01&dateFrom=2026-03-02"]
      ] as const) {
        const answer = yield* get(admin, TRENDS, query)
        expect(answer.status, query).toBe(400)
        expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringContaining(`${field}: `) })
      }
      const last = yield* get(admin, TRENDS, "dateFrom=9999-12-30&dateTo=9999-12-31")
      expect((bodyOf(last) as Trends).data.days).toHaveLength(2)
    })
  )

  it.effect("trends are for platform admins", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const credential of [acme.key, acme.token("org-admin"), acme.token("member")]) {
        expect((yield* get(credential, TRENDS)).status).toBe(403)
        expect((yield* get(credential, TRENDS, `org_id=${acme.org_id}`)).status).toBe(403)
      }
      expect((yield* send(TRENDS)).status).toBe(401)
    })
  )

  it.effect("“reports” shows a member the figures of their own organisation, and lets them act on nothing", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { user_id, credential } = yield* joined(acme.org_id, "member")
      const own = `/v1/organizations/${acme.org_id}`
      const reports = [
        `${own}/balances`,
        `${own}/balances/trends`,
        `${own}/reserves`,
        `${own}/trends`,
        GEOGRAPHY,
        TRENDS
      ]
      const lists = ["/v1/transactions"]
      const closed = [
        "/v1/operations/queue",
        "/v1/public/webhooks/deliveries",
        "/v1/audit-log",
        `/v1/orgs/${acme.org_id}/payment-links`
      ]
      const statuses = (paths: ReadonlyArray<string>) =>
        Effect.forEach(paths, (path) => Effect.map(get(credential, path), ({ status }) => status))
      const all = [...reports, ...lists]
      expect(yield* statuses(all)).toEqual(all.map(() => 403))
      const granted = yield* post(
        `${membersOf(acme.org_id)}/${user_id}/permissions`,
        { ...acme.key },
        { permission: "reports" }
      )
      expect(granted.status, granted.text).toBe(200)
      expect(yield* statuses(all)).toEqual(all.map(() => 200))
      expect(yield* statuses(closed)).toEqual(closed.map(() => 403))
      yield* paid(acme, "2023-05-01T10:00:00Z", "completed", "KES", 10n)
      yield* paid(globex, "2023-05-01T10:00:00Z", "completed", "KES", 99n)
      const day = "dateFrom=2023-05-01&dateTo=2023-05-01"
      expect(bodyOf(yield* get(credential, TRENDS, day))).toMatchObject({ data: { totals: { count: 1 } } })
      expect((yield* get(credential, TRENDS, `${day}&org_id=${globex.org_id}`)).status).toBe(403)
      const actions = [
        ["/v1/payments-init/initiate", payoutByPhone(nilUuid)],
        [`/v1/payments-init/${nilUuid}/action`, { action: "refund" }],
        [`/v1/orgs/${acme.org_id}/payment-links`, { amount: 10, currency: "KES", amount_type: "fixed" }],
        ["/v1/virtual-accounts/internal/bank", { org_id: acme.org_id, user_id, currency: "KES" }]
      ] as const
      for (const [path, body] of actions) {
        expect((yield* post(path, { ...credential }, body)).status, path).toBe(403)
      }
      yield* send(`${membersOf(acme.org_id)}/${user_id}`, { method: "DELETE", headers: { ...acme.key } })
    })
  )

  it.effect("the geographic distribution counts users by country, with their share", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      const { org_id } = yield* newOrganization()
      for (const country of ["KE", "KE", "NG", null]) yield* newMember(org_id, "member", { country })
      const answer = yield* get(admin, GEOGRAPHY, `org_id=${org_id}`)
      expect(answer.status).toBe(200)
      expect(bodyOf(answer)).toEqual({
        status: "success",
        data: {
          total_users: 4,
          countries: [
            { country: "KE", users: 2, share: 0.5 },
            { country: "NG", users: 1, share: 0.25 },
            { country: null, users: 1, share: 0.25 }
          ]
        }
      })
      const none = yield* newOrganization()
      const empty = yield* get(admin, GEOGRAPHY, `org_id=${none.org_id}`)
      expect(bodyOf(empty)).toEqual({ status: "success", data: { total_users: 0, countries: [] } })
      const all = bodyOf(yield* get(admin, GEOGRAPHY)) as {
        readonly data: { readonly total_users: number; readonly countries: ReadonlyArray<{ readonly share: number }> }
      }
      expect(all.data.total_users).toBeGreaterThan(10)
      expect(all.data.countries.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 10)
    })
  )

  it.effect("the geographic distribution is for staff, of their own organisation", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      for (const credential of [acme.key, acme.token("org-admin"), acme.token("staff")]) {
        const own = yield* get(credential, GEOGRAPHY)
        expect(own.status).toBe(200)
        expect(bodyOf(own)).toMatchObject({ data: { total_users: 3 } })
        expect((yield* get(credential, GEOGRAPHY, `org_id=${acme.org_id}`)).text).toBe(own.text)
        expect((yield* get(credential, GEOGRAPHY, `org_id=${globex.org_id}`)).status).toBe(403)
      }
      expect((yield* get(acme.token("member"), GEOGRAPHY)).status).toBe(403)
    })
  )
})
