import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { askForLink, cancelLink, kenyan, type Link, linkOf, linksOf, newLink } from "./LinkFixtures.ts"

const fields = [
  ...["link_id", "org_id", "email", "link_ref", "amount", "currency", "payer_currency", "description"],
  ...["amount_type", "status", "expires_at", "paid_at", "created_at", "url", "country"],
  ...["brand", "client_reference", "return_url", "virtual_account_id"]
]

const unknownId = "01890000-0000-7000-8000-000000000000"

onDatabaseServer("Payment links", (it) => {
  it.effect("are made, listed without an envelope, found and canceled", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const first = yield* newLink(globex, {
        amount: 10.5,
        currency: "NGN",
        payer_currency: "USD",
        country: "KE",
        email: "ada@example.com",
        description: "Two seats",
        amount_type: "fixed",
        expires_at: "2035-01-31T20:00:00+02:00",
        unknown: "ignored"
      })
      expect(Object.keys(first).sort()).toEqual([...fields].sort())
      expect(first).toMatchObject({
        org_id: globex.org_id,
        amount: 10.5,
        currency: "NGN",
        payer_currency: "USD",
        country: "KE",
        email: "ada@example.com",
        description: "Two seats",
        amount_type: "fixed",
        status: "active",
        expires_at: "2035-01-31T18:00:00.000Z",
        paid_at: null
      })
      expect(first.link_ref).toMatch(/^[0-9A-Za-z]{23}$/)
      expect(first.url).toBe(`http://127.0.0.1:3000/pay/${first.link_ref}`)
      const second = yield* newLink(globex, { currency: "NGN", amount_type: "open" })
      expect(second).toMatchObject({
        ...{ amount: null, email: null, description: null, expires_at: null },
        ...{ payer_currency: "NGN", country: "NG", status: "active" }
      })
      const listed = yield* send(linksOf(globex.org_id), { headers: { ...globex.token("staff") } })
      expect(bodyOf(listed)).toEqual({ data: [second, first], count: 2 })
      expect(listed.text).toContain('"amount":10.50,')
      expect(yield* linkOf(globex, first.link_id)).toEqual(first)

      for (const _ of ["once", "twice"]) {
        const canceled = yield* cancelLink(globex.token("staff"), globex.org_id, first.link_id)
        expect([canceled.status, canceled.text]).toEqual([204, ""])
      }
      expect(yield* linkOf(globex, first.link_id)).toEqual({ ...first, status: "canceled" })
      const audit = yield* send("/v1/audit-log", { headers: { ...globex.key } })
      const { data } = bodyOf(audit) as { readonly data: ReadonlyArray<Readonly<Record<string, unknown>>> }
      const about = data.filter(({ subject_id }) => subject_id === first.link_id).map(({ action }) => action)
      expect(about).toEqual(["payment_link.canceled", "payment_link.created"])
    })
  )

  it.effect("are refused with the field that is wrong", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const wrong: ReadonlyArray<readonly [object, RegExp]> = [
        [{ amount: undefined }, /amount: is needed for a fixed link/],
        [{ amount: 0 }, /amount/],
        [{ amount: -1 }, /amount/],
        [{ amount: "1500" }, /amount/],
        [{ amount: 1500.005 }, /amount: has more than 2 fraction digits/],
        [{ amount: 5.5, currency: "UGX" }, /amount: has a fraction/],
        [{ currency: "kes" }, /currency/],
        [{ currency: "XXQ" }, /currency/],
        [{ currency: undefined }, /currency/],
        [{ payer_currency: "USDT" }, /payer_currency/],
        [{ payer_currency: "ISK" }, /payer_currency: there is no rate from ISK to KES/],
        [{ country: "KEN" }, /country/],
        [{ country: "ke" }, /country/],
        [{ email: "ada" }, /email/],
        [{ description: "x".repeat(1001) }, /description/],
        [{ amount_type: "any" }, /amount_type/],
        [{ amount_type: undefined }, /amount_type/],
        [{ expires_at: "2020-01-01T00:00:00Z" }, /expires_at: is over already/],
        [{ expires_at: "tomorrow" }, /expires_at: must be an ISO 8601 time/],
        [{ expires_at: "2035-02-30T00:00:00Z" }, /expires_at/],
        [{ expires_at: 1_900_000_000 }, /expires_at/]
      ]
      for (const [change, message] of wrong) {
        const answer = yield* askForLink(acme.key, acme.org_id, { ...kenyan, ...change })
        expect(answer.status, JSON.stringify(change)).toBe(400)
        expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringMatching(message) })
      }
    })
  )

  it.effect("are for staff and above, and for whom they are granted", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const { link_id } = yield* newLink(acme)
      const tries = (credential: typeof admin) =>
        Effect.all([
          send(linksOf(acme.org_id), { headers: { ...credential } }),
          send(`${linksOf(acme.org_id)}/${link_id}`, { headers: { ...credential } }),
          askForLink(credential, acme.org_id, kenyan),
          cancelLink(credential, acme.org_id, link_id)
        ]).pipe(Effect.map((answers) => answers.map(({ status }) => status)))
      const member = acme.token("member")
      expect(yield* tries(member)).toEqual([403, 403, 403, 403])
      for (const credential of [acme.token("staff"), acme.token("org-admin"), acme.key, admin]) {
        expect(yield* tries(credential)).toEqual([200, 200, 201, 204])
      }
      const users = yield* UserStore
      yield* users.grant(acme.org_id, acme.userId("member"), "payment_links", "the test")
      expect(yield* tries(member)).toEqual([200, 200, 201, 204])
    })
  )

  it.effect("are seen by their own organisation alone", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const { link_id } = yield* newLink(acme)
      const headers = { ...globex.key }
      for (const path of [linksOf(acme.org_id), `${linksOf(acme.org_id)}/${link_id}`]) {
        expect((yield* send(path, { headers })).status).toBe(403)
      }
      expect((yield* askForLink(globex.key, acme.org_id, kenyan)).status).toBe(403)
      const theirs = yield* send(`${linksOf(globex.org_id)}/${link_id}`, { headers })
      const none = yield* send(`${linksOf(globex.org_id)}/${unknownId}`, { headers })
      expect([theirs.status, theirs.text]).toEqual([404, none.text])
      expect((yield* cancelLink(globex.key, globex.org_id, link_id)).status).toBe(404)
      expect((yield* send(linksOf(unknownId), { headers: { ...admin } })).status).toBe(404)
      const { data } = bodyOf(yield* send(linksOf(globex.org_id), { headers })) as {
        readonly data: ReadonlyArray<Link>
      }
      expect(data.map((link) => link.link_id)).not.toContain(link_id)
      expect((yield* linkOf(acme, link_id)).status).toBe("active")
    })
  )
})
