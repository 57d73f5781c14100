/** The real server beside the fake of M-Pesa and another provider of the same corridor, which gets only what was declined. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { databaseOf, openItems, pay, type RealServer, until, withSql } from "../../payments/support/RealServer.ts"
import { besideFakes, booksAgree, requestTo, sandboxIn } from "../support/ServerWithFakes.ts"

const corridor = { country: "KE", payment_method: "mobile_money" }

const phone = { provider: "mpesa", phone_number: "+254712345678" }

const beneficiary = {
  ...{ account_type: "mobile_money", beneficiary_type: "individual", country: "KE", currency: "KES" },
  ...{ fname: "Ada", lname: "Lovelace", momo_details: phone }
}

const order = (amount: number, direction: "payin" | "payout", beneficiary_id: string) => ({
  ...{ amount, target_amount: amount, currency: "KES", target_currency: "KES", country: "KE" },
  ...{ payment_method: "mobile_money", direction, mobile_money_details: phone },
  ...(direction === "payin"
    ? { payer_details: { name: "Ada Lovelace", email: "ada@example.com", phone: "+254712345678" } }
    : { beneficiary_id })
})

interface Record {
  readonly status: string
  readonly provider: string
  readonly provider_data: { readonly mpesa_receipt?: string } | null
}

/** Scenarios by the last two digits of whole shillings. */
const cases = [
  { what: "completes", amount: 1500, status: "completed", provider: "mpesa" },
  { what: "its answer is lost, and a callback names it", amount: 1504, status: "completed", provider: "mpesa" },
  { what: "its answer cannot be read", amount: 1506, status: "completed", provider: "mpesa" },
  { what: "fails later", amount: 1509, status: "failed", provider: "mpesa" },
  { what: "is declined, and another takes it", amount: 1502, status: "completed", provider: "flutterwave" },
  { what: "has a fraction, and another takes it", amount: 1500.5, status: "completed", provider: "flutterwave" }
]

describe("payments by M-Pesa", () => {
  const { begin, dataDir } = besideFakes(["mpesa", "flutterwave"], { STATUS_ENQUIRY_DELAYS: "1 second, 1 second" })

  it("are made once, and never elsewhere while their outcome is unknown", async () => {
    const { fakes, start } = await begin()
    const server = await start()
    const { admin } = sandboxIn(dataDir)
    for (const [priority, provider] of ["mpesa", "flutterwave"].entries()) {
      for (const direction of ["inbound", "outbound"]) {
        const config = { ...corridor, provider, direction, priority: priority + 1 }
        expect((await requestTo(server)("/payments/provider-configs", config, admin)).status).toBe(201)
      }
    }
    const made = await requestTo(server)("/beneficiaries", beneficiary, { "x-api-key": server.apiKey })
    const { data } = (await made.json()) as { readonly data: { readonly beneficiary_id: string } }
    const recordOf = async ({ apiKey, url }: RealServer, id: string): Promise<Record> => {
      const headers = { authorization: "NONE", "x-api-key": apiKey }
      return (await (await fetch(`${url}/v1/payments/${id}`, { headers })).json()) as Record
    }
    const sent = async (amount: number, direction: "payin" | "payout") => {
      const answer = (await (await pay(server, order(amount, direction, data.beneficiary_id))).json()) as {
        readonly response?: { readonly payment_id: string }
      }
      expect([amount, direction, answer]).toMatchObject([amount, direction, { response: {} }])
      return answer.response!.payment_id
    }
    const ends = async (direction: "payin" | "payout") => {
      for (const { amount, provider, status, what } of cases) {
        const id = await sent(amount, direction)
        const record = await until(`${direction} ${what}`, async () => {
          const found = await recordOf(server, id)
          return found.status === status ? found : undefined
        })
        expect([what, record.provider]).toEqual([what, provider])
        const isPaid = provider === "mpesa" && status === "completed"
        if (isPaid) expect([what, record.provider_data?.mpesa_receipt]).toEqual([what, expect.any(String)])
      }
    }
    await ends("payin")
    await ends("payout")
    await sent(1600, "payin")

    // Leaves these to an operator, as Safaricom cannot be asked about them; no other provider is called.
    const lost = [await sent(1503, "payin"), await sent(1505, "payin"), await sent(1503, "payout")]
    const url = databaseOf(dataDir)
    await until("an operator is asked about each", () =>
      withSql(url, async (sql) => {
        const { rows } = await sql.query(`select payment_id from ${openItems} o where payment_id = any($1)`, [lost])
        return rows.length === lost.length ? rows : undefined
      })
    )
    for (const id of lost) {
      const open = expect.stringMatching(/^(pending|processing)$/)
      expect(await recordOf(server, id)).toMatchObject({ status: open, provider: "mpesa" })
    }
    await Effect.runPromise(Effect.forEach(fakes, ({ running }) => running.settled))
    expect(await booksAgree(url, fakes), "what was paid in was paid out, except for the last").toEqual({
      "provider/mpesa/KES": 1600
    })
  }, 240_000)
})
