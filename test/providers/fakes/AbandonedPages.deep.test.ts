/** Payers who leave the page, or the prompt, of each vendor: the real server beside the fakes, with short ends. */
import { Duration, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { enquiryLease } from "../../../src/domain/policies/PaymentPolicies.ts"
import { databaseOf, openItems, pay, type RealServer, until, withSql } from "../../payments/support/RealServer.ts"
import { besideFakes, booksAgree, requestTo, sandboxIn } from "../support/ServerWithFakes.ts"

const payer_details = { name: "Ada Lovelace", email: "ada@example.com", phone: "+256772123456" }

const amounts = (amount: number, currency: string) => ({
  amount,
  target_amount: amount,
  currency,
  target_currency: currency
})

const byCard = (country: string, currency: string, card_number: string) => ({
  ...amounts(100, currency),
  ...{ country, payment_method: "card", direction: "payin", payer_details },
  card_details: { card_number, expiry_month: "12", expiry_year: "2035", cvv: "123" }
})

/** A fake that is asked for an amount with these last digits says for ever that the order is under way. */
const SILENT = 1010

const byPhone = (country: string, currency: string, provider: string, phone_number: string) => ({
  ...amounts(SILENT, currency),
  ...{ country, payment_method: "mobile_money", direction: "payin", payer_details },
  mobile_money_details: { provider, phone_number }
})

const AUTHENTICATES = "4000002760003184"

const lanes = [
  { provider: "stripe", method: "card", country: "DE", order: byCard("DE", "EUR", AUTHENTICATES) },
  { provider: "adyen", method: "card", country: "FR", order: byCard("FR", "EUR", AUTHENTICATES) },
  { provider: "paypal", method: "card", country: "NL", order: byCard("NL", "EUR", AUTHENTICATES) },
  { provider: "paystack", method: "card", country: "NG", order: byCard("NG", "NGN", AUTHENTICATES) },
  { provider: "flutterwave", method: "card", country: "TZ", order: byCard("TZ", "TZS", AUTHENTICATES) },
  {
    provider: "mtn_momo",
    method: "mobile_money",
    country: "UG",
    order: byPhone("UG", "UGX", "mtn", "+256772123456")
  },
  {
    provider: "pawapay",
    method: "mobile_money",
    country: "RW",
    order: byPhone("RW", "RWF", "mtn", "+250781234567")
  }
]

/** pawaPay says that it works on a deposit, and not that it waits for the payer: money may have moved. */
const worksOnIt = ({ provider }: { readonly provider: string }): boolean => provider === "pawapay"

const hasPage = ({ provider }: { readonly provider: string }): boolean => !["mtn_momo", "pawapay"].includes(provider)

/** Time until another instance asks: the server may be killed while it holds the lease of an enquiry. */
const AFTER_A_LEASE = Duration.toMillis(enquiryLease) + 40_000

interface Record {
  readonly status: string
  readonly provider: string
  readonly failure: { readonly code: string } | null
}

describe("pages that payers leave", () => {
  const { begin, dataDir } = besideFakes(
    lanes.map(({ provider }) => provider),
    { PAYIN_EXPIRY: "4 seconds", STATUS_ENQUIRY_DELAYS: "1 second, 1 second" }
  )

  const recordOf = async (server: RealServer, id: string): Promise<Record> => {
    const headers = { authorization: "NONE", "x-api-key": server.apiKey }
    return (await (await fetch(`${server.url}/v1/payments/${id}`, { headers })).json()) as Record
  }

  it("end as EXPIRED, after kill -9 too, and late money waits for an operator", async () => {
    const { fakes, start } = await begin()
    const first = await start()
    const { admin } = sandboxIn(dataDir)
    for (const { country, method, provider } of lanes) {
      const config = { provider, country, payment_method: method, direction: "inbound", priority: 1 }
      expect((await requestTo(first)("/payments/provider-configs", config, admin)).status).toBe(201)
    }
    const begun = await Promise.all(
      lanes.map(async ({ order, provider }) => {
        const answer = (await (await pay(first, order)).json()) as {
          readonly response: { readonly payment_id: string; readonly redirect_url?: string | null }
        }
        const { payment_id, redirect_url = null } = answer.response
        return { payment_id, page: redirect_url, provider }
      })
    )
    for (const { page, payment_id, provider } of begun) {
      const { status } = await recordOf(first, payment_id)
      expect([provider, status]).toEqual([provider, hasPage({ provider }) ? "pending" : "processing"])
      expect([provider, page !== null]).toEqual([provider, hasPage({ provider })])
    }
    await first.kill()
    const server = await start()
    const left = begun.filter((one) => !worksOnIt(one))
    for (const { payment_id, provider } of left) {
      const ended = async () => {
        const found = await recordOf(server, payment_id)
        return found.status === "failed" ? found : undefined
      }
      const record = await until(`${provider} ends`, ended, AFTER_A_LEASE)
      expect(record).toMatchObject({ provider, status: "failed", failure: { code: "EXPIRED" } })
    }
    const url = databaseOf(dataDir)
    const waiting = () =>
      withSql(url, async (sql) => {
        const { rows } = await sql.query<{ provider: string; kind: string }>(
          `select p.provider, o.kind from ${openItems} o join payments p using (payment_id) order by 1`
        )
        return rows
      })
    const unknown = { provider: "pawapay", kind: "unknown_outcome" }
    expect(
      await until("an operator is asked", async () => {
        const items = await waiting()
        return items.length > 0 ? items : undefined
      })
    ).toEqual([unknown])

    // Now the payers come back to their pages; a page that was closed takes nothing.
    for (const { page } of begun) if (page !== null) await fetch(page)
    await Effect.runPromise(Effect.forEach(fakes, ({ running }) => running.settled))
    const asked = `update attempts set next_enquiry_at = now() where next_enquiry_at > now() + interval '30 minutes'`
    await booksAgree(url, fakes, asked)
    const holders = fakes.filter(({ running }) => Array.from(running.books.holdings().values()).some((sum) => sum > 0n))
    const paidLate = holders.map(({ fake }) => fake.name).toSorted()
    expect(paidLate).toContain("paystack")
    expect(paidLate).toContain("flutterwave")
    expect(paidLate, "closed at its end").not.toContain("stripe")
    expect(
      await until("operators have an item for all of it", async () => {
        const items = await waiting()
        return items.length === paidLate.length + 1 ? items : undefined
      })
    ).toEqual(
      [unknown, ...paidLate.map((provider) => ({ provider, kind: "suspense" }))].toSorted((a, b) =>
        a.provider < b.provider ? -1 : 1
      )
    )
    for (const { payment_id } of left) {
      expect(await recordOf(server, payment_id)).toMatchObject({ status: "failed", failure: { code: "EXPIRED" } })
    }
  }, 240_000)
})
