/** Payers who take back what they paid: the real server beside the fakes that play it, each in its provider's own format. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { databaseOf, openItems, withSql } from "../../payments/support/RealServer.ts"
import { besideFakes, booksAgree, paidBy, requestTo, sandboxIn } from "../support/ServerWithFakes.ts"

const lanes = [
  { provider: "stripe", country: "DE", currency: "EUR" },
  { provider: "adyen", country: "FR", currency: "EUR" },
  { provider: "paypal", country: "NL", currency: "EUR" },
  { provider: "paystack", country: "NG", currency: "NGN" }
]

/** Left open, won, lost and lost in part, as each amount has it in store, and what its provider has taken at the last. */
const cases = [
  { amount: 100.15, takenAtOnce: 100.15, takenInTheEnd: 0 },
  { amount: 200.16, takenAtOnce: 0, takenInTheEnd: 0 },
  { amount: 300.17, takenAtOnce: 300.17, takenInTheEnd: 300.17 },
  { amount: 400.18, takenAtOnce: 200.09, takenInTheEnd: 200.09 },
  // Reports of refunds that were made by hand come only from providers that take at once.
  { amount: 500.19, takenAtOnce: 250.09, takenInTheEnd: 0 }
]

const paid = cases.reduce((sum, { amount }) => sum + amount, 0)
const lessTaken = (taken: "takenAtOnce" | "takenInTheEnd") =>
  Number((paid - cases.reduce((sum, one) => sum + one[taken], 0)).toFixed(2))

/** Stripe and Adyen take what is disputed at once, PayPal and Paystack once it is lost. */
const left = {
  "provider/stripe/EUR": lessTaken("takenAtOnce"),
  "provider/adyen/EUR": lessTaken("takenAtOnce"),
  "provider/paypal/EUR": lessTaken("takenInTheEnd"),
  "provider/paystack/NGN": lessTaken("takenInTheEnd")
}

describe("disputes", () => {
  const { begin, dataDir } = besideFakes(
    lanes.map(({ provider }) => provider),
    {}
  )

  it("leave in the books what each provider is left with", async () => {
    const { fakes, start } = await begin()
    const server = await start()
    const { admin } = sandboxIn(dataDir)
    for (const { country, provider } of lanes) {
      const config = { provider, country, payment_method: "card", direction: "inbound", priority: 1 }
      expect((await requestTo(server)("/payments/provider-configs", config, admin)).status).toBe(201)
    }
    const orders = lanes.flatMap(({ country, currency }) =>
      cases.map(({ amount }) => ({
        ...{ amount, target_amount: amount, currency, target_currency: currency, country },
        ...{ payment_method: "card", direction: "payin" },
        payer_details: { name: "Ada Lovelace", email: "ada@example.com", phone: "+256772123456" },
        card_details: { card_number: "4242424242424242", expiry_month: "12", expiry_year: "2035", cvv: "123" }
      }))
    )
    await Promise.all(orders.map((order) => paidBy(server, order)))
    await Effect.runPromise(Effect.forEach(fakes, ({ running }) => running.settled))
    const url = databaseOf(dataDir)
    expect(await booksAgree(url, fakes)).toEqual(left)
    const waiting = await withSql(url, async (sql) => {
      const { rows } = await sql.query<{ provider: string; items: number }>(
        `select p.provider, count(*)::int as items from ${openItems} o join payments p using (payment_id)
         group by 1 order by 1`
      )
      return Object.fromEntries(rows.map(({ items, provider }) => [provider, items]))
    })
    expect(waiting, "operators have an item for all that was taken, and not given back").toEqual({
      ...{ adyen: 4, paypal: 2, paystack: 2, stripe: 4 }
    })
  })
})
