/**
 * The real server against fakes of third parties, killed in the middle and started again: fallbacks between two of them,
 * lost answers, duplicates. Nothing moves twice, and the books say of each what it really holds.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Entry } from "../../fakes/FakeLedger.ts"
import type { StartedFake } from "../../fakes/AllFakes.ts"
import { anotherApiUser } from "../../fakes/MtnMomoFake.ts"
import { attemptOfWire } from "../../../src/providers/port/ProviderWrappers.ts"
import { databaseOf, openItems, pay, type RealServer, until, withSql } from "../../payments/support/RealServer.ts"
import { besideFakes, booksAgree, paidBy, requestTo, sandboxIn } from "../support/ServerWithFakes.ts"

const named = ["stripe", "adyen", "pawapay", "mtn_momo"]

const corridors = [
  { provider: "stripe", country: "DE", payment_method: "card", direction: "inbound", priority: 1 },
  { provider: "adyen", country: "DE", payment_method: "card", direction: "inbound", priority: 2 },
  { provider: "pawapay", country: "UG", payment_method: "mobile_money", direction: "inbound", priority: 1 },
  { provider: "mtn_momo", country: "UG", payment_method: "mobile_money", direction: "inbound", priority: 2 },
  { provider: "pawapay", country: "UG", payment_method: "mobile_money", direction: "outbound", priority: 1, own: true },
  { provider: "mtn_momo", country: "UG", payment_method: "mobile_money", direction: "outbound", priority: 2, own: true }
]

/** Payouts here go through an account of the organisation's own: a decline by the platform's moves the hold to it. */
const WITH_OWN_ACCOUNT = "mtn_momo"

const payer_details = { name: "Ada Lovelace", email: "ada@example.com", phone: "+256772123456" }

const byCard = (amount: string) => ({
  ...money(amount, "EUR"),
  country: "DE",
  payment_method: "card",
  direction: "payin",
  payer_details,
  card_details: { card_number: "4242424242424242", expiry_month: "12", expiry_year: "2035", cvv: "123" }
})

const mobile_money_details = { provider: "mtn", phone_number: "+256772123456" }

const byPhone = (amount: string) => ({
  ...money(amount, "UGX"),
  country: "UG",
  payment_method: "mobile_money",
  direction: "payin",
  payer_details,
  mobile_money_details
})

const toPhone = (amount: string, beneficiary_id: string) => ({
  ...byPhone(amount),
  direction: "payout",
  beneficiary_id
})

const money = (amount: string, currency: string) => ({
  amount: Number(amount),
  target_amount: Number(amount),
  currency,
  target_currency: currency
})

/** Last digits of every scenario, and of one that the first of two declines alone. */
const digits = [...Array.from({ length: 15 }, (_, nth) => `${nth}`.padStart(2, "0")), "21", "27"]

/**
 * Orphans are looked up, and absences believed, only after a while: for them that while passes now, once, and not so much
 * of it that a third party which is asked for what it took at that time would look in the wrong place.
 */
const timePasses = `
  update attempts set next_enquiry_at = now(),
    sent_at = case when sent_at > now() - interval '5 minutes' then sent_at - interval '6 minutes' else sent_at end
  where (outcome is null or outcome in ('unknown', 'accepted')) and next_enquiry_at > now() + interval '1 second'`

interface Row {
  readonly payment_id: string
  readonly status: string
  readonly next_action: string | null
  readonly silent: boolean
  readonly said: string
  readonly items: number
}

const overview = `select p.payment_id, p.status, p.next_action,
  right(trunc(p.amount * case when p.currency = 'EUR' then 100 else 1 end)::text, 2) = '10' as silent,
  (select count(*)::int from ${openItems} o where o.payment_id = p.payment_id) as items,
  p.direction || ' ' || p.amount || ' ' || (select string_agg(concat_ws(' ', a.provider, a.outcome, a.reason), '; ') from attempts a where a.payment_id = p.payment_id) as said from payments p`

/** Sum that the organisation's own account has paid. */
const paidByOwn = `select coalesce(sum(amount), 0)::text as amount from ledger_postings
  where account like 'provider/${WITH_OWN_ACCOUNT}/%/UGX'`

/** Needs somebody to act: a customer, or an operator where the outcome stays unknown. */
const isOver = ({ items, next_action, silent, status }: Row): boolean =>
  ["completed", "failed", "canceled"].includes(status) ||
  silent ||
  items > 0 ||
  (status === "pending" && next_action !== "check_status" && next_action !== "wait")

describe("third parties and a server that is killed", () => {
  const { begin, dataDir } = besideFakes(named, { PROVIDER_TIMEOUT: "3 seconds" })

  const arranged = async (server: RealServer, fakes: ReadonlyArray<StartedFake>): Promise<string> => {
    const { admin, org_id } = sandboxIn(dataDir)
    const request = requestTo(server)
    for (const { own = false, ...corridor } of corridors) {
      const config = { ...corridor, is_active: true, ...(own ? { org_id } : {}) }
      const answer = await request("/payments/provider-configs", config, admin)
      expect(answer.status, await answer.clone().text()).toBe(201)
      if (!own || corridor.provider !== WITH_OWN_ACCOUNT) continue
      const { data } = (await answer.json()) as { readonly data: { readonly config_id: string } }
      const path = `/payments/provider-configs/${corridor.provider}/${data.config_id}/credentials`
      const { credentials } = fakes.find(({ fake }) => fake.name === corridor.provider)!.running
      const set = await request(path, { ...credentials, api_user: anotherApiUser }, admin, "PUT")
      expect(set.status, await set.clone().text()).toBe(200)
    }
    const beneficiary = {
      account_type: "mobile_money",
      beneficiary_type: "individual",
      country: "UG",
      currency: "UGX",
      fname: "Ada",
      lname: "Lovelace",
      momo_details: mobile_money_details
    }
    const made = await request("/beneficiaries", beneficiary, { "x-api-key": server.apiKey })
    const { data } = (await made.json()) as { readonly data: { readonly beneficiary_id: string } }
    return data.beneficiary_id
  }

  it("moves nothing twice, and its books say what each of them holds", async () => {
    const { fakes, start } = await begin()
    const first = await start()
    const beneficiary = await arranged(first, fakes)
    const orders = digits.flatMap((two) => [
      byCard(`100.${two}`),
      byPhone(`150${two}`),
      toPhone(`250${two}`, beneficiary),
      byCard(`200.${two}`)
    ])
    let answered = 0
    await new Promise<void>((enough) => {
      for (const order of orders) {
        pay(first, order)
          .then((response) => {
            expect([200, 502]).toContain(response.status)
            if ((answered += 1) === 15) enough()
          })
          .catch((error: unknown) => expect(error).toBeInstanceOf(TypeError))
      }
    })
    await first.kill()
    expect(answered, "some callers never got an answer").toBeLessThan(orders.length)

    const server = await start()
    const url = databaseOf(dataDir)
    await Promise.all(orders.map((order) => paidBy(server, order)))
    let left: ReadonlyArray<Row> = []
    const rows = await withSql(url, (sql) =>
      until(
        "every payment is over",
        async () => {
          await sql.query(timePasses)
          await new Promise((next) => setTimeout(next, 500))
          const seen = (await sql.query<Row>(overview)).rows
          left = seen.filter((row) => !isOver(row))
          return seen.length > 0 && left.length === 0 ? seen : undefined
        },
        60_000
      ).catch(() => expect.fail(`not over: ${JSON.stringify(left)}`))
    )
    await Effect.runPromise(Effect.forEach(fakes, ({ running }) => running.settled))
    expect(rows.filter(({ status }) => status === "completed").length).toBeGreaterThan(20)
    await booksAgree(url, fakes, timePasses)
    for (const { fake, running } of fakes) {
      expect(
        running.books.all().some(({ state }) => state === "completed"),
        `${fake.name} took something`
      ).toBe(true)
    }
    await nothingTwice(url, fakes)
    const [paid] = await withSql(url, async (sql) => (await sql.query<{ amount: string }>(paidByOwn)).rows)
    expect(Number(paid?.amount), "payouts went through the organisation's own account").toBeGreaterThan(0)
  })

  const nothingTwice = async (url: string, fakes: ReadonlyArray<StartedFake>) => {
    const payments = await withSql(url, async (sql) => {
      const { rows } = await sql.query<{ attempt_id: string; payment_id: string }>(
        "select attempt_id, payment_id from attempts"
      )
      return new Map(rows.map(({ attempt_id, payment_id }) => [attempt_id, payment_id]))
    })
    const moved = fakes.flatMap(({ running }) =>
      running.books.all().filter(({ state }: Entry) => state === "completed")
    )
    const of = moved.map(({ kind, reference }) => `${kind} ${payments.get(attemptOfWire(reference)) ?? "nobody's"}`)
    expect(of.filter((one) => one.endsWith("nobody's"))).toEqual([])
    expect(of.length, "each payment moved once at most").toBe(new Set(of).size)
  }
})
