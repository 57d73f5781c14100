/** Payments as they are read back: the record byte for byte, the timeline, the list and its cursor. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { people } from "../../support/TestCredentials.ts"
import { attemptsOf, get, initiate, type Json, jsonOf, timelineOf, untilStatus } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { byBank, byCard, byPhone } from "../support/Requests.ts"

interface Page {
  readonly status: string
  readonly data: ReadonlyArray<Json>
  readonly meta: { readonly count: number; readonly has_more: boolean; readonly last_evaluated_key: string | null }
  readonly last_evaluated_key: string | null
}

const list = (query: string) => Effect.map(get(`/transactions?${query}`), (answer) => jsonOf(answer) as unknown as Page)

const idsOf = (page: Page) => page.data.map((record) => record["payment_id"])

const fields = [
  "amount",
  "bank_account",
  "beneficiary_id",
  "card_details",
  "client_reference",
  "comments",
  "country",
  "created_at",
  "currency",
  "description",
  "direction",
  "failure",
  "fee_ids",
  "from_currency",
  "instructions",
  "metadata",
  "mobile_money_details",
  "org_id",
  "payer_details",
  "payment_id",
  "payment_method",
  "payment_path_method",
  "payout_id",
  "payout_initiated",
  "provider",
  "provider_data",
  "provider_payment_id",
  "provider_status",
  "recipient_info",
  "refunded_amount",
  "refunds",
  "region_id",
  "status",
  "target_amount",
  "target_currency",
  "total_fees",
  "transaction_id",
  "updated_at",
  "user_id",
  "user_metadata",
  "virtual_account_id",
  "webhook_metadata"
]

onDatabasePaymentServer(
  "Payment records",
  () => ({}),
  (it) => {
    it.effect("are bare, complete, and write money with its fraction", () =>
      Effect.gen(function* () {
        const metadata = { order: 7, nested: { list: [1.5, "two", null, true] }, long: 2 ** 53 }
        const { payment_id, text, transaction_id } = yield* initiate({ ...byPhone(), metadata })
        expect(text).toContain('"amount":1500.00,"currency":"KES","target_amount":1500.00,"target_currency":"KES"')
        const answer = yield* get(`/payments/transaction/${transaction_id}`)
        expect(answer.status).toBe(200)
        expect(answer.text).toMatch(/"amount":1500\.00[,}]/)
        expect(answer.text).toMatch(/"target_amount":1500\.00[,}]/)
        const record = jsonOf(answer)
        expect(Object.keys(record).toSorted()).toEqual(fields)
        expect(record).toMatchObject({
          payment_id,
          transaction_id,
          from_currency: "KES",
          region_id: "202",
          payment_path_method: "direct",
          metadata,
          bank_account: {},
          card_details: {},
          recipient_info: {},
          fee_ids: [],
          total_fees: null,
          beneficiary_id: null,
          payout_initiated: false,
          payout_id: null,
          refunds: [],
          failure: null
        })
        expect(yield* get(`/payments/${payment_id}`)).toMatchObject({ status: 200 })
      })
    )

    it.effect("write a currency without minor units with one digit, and small change with two", () =>
      Effect.gen(function* () {
        const uganda = {
          ...byPhone(),
          country: "UG",
          currency: "UGX",
          target_currency: "UGX",
          mobile_money_details: { provider: "MTN MoMo", phone_number: "+256712345678" }
        }
        const whole = yield* initiate(uganda)
        expect(whole.text).toContain('"amount":1500.0,')
        expect((yield* get(`/payments/${whole.payment_id}`)).text).toMatch(/"amount":1500\.0,/)
        const cents = yield* initiate({ ...byPhone(), amount: 0.1, target_amount: 0.1 })
        expect((yield* get(`/payments/${cents.payment_id}`)).text).toMatch(/"amount":0\.10,/)
        const long = { ...byPhone(), amount: 9999999999999.99, target_amount: 9999999999999.99 }
        const most = yield* initiate(long)
        expect((yield* get(`/payments/${most.payment_id}`)).text).toMatch(/"amount":9999999999999\.99,/)
      })
    )

    it.effect("mask the card", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* initiate(byCard("5555555555554444"))
        const answer = yield* get(`/payments/${payment_id}`)
        expect(jsonOf(answer)["card_details"]).toEqual({
          bin: "555555",
          last4: "4444",
          brand: "mastercard",
          expiry_month: "12",
          expiry_year: "2030",
          card_holder_name: "W Kamau",
          fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/)
        })
        expect(answer.text).not.toContain("5555555555554444")
        expect(answer.text).not.toContain("cvv")
      })
    )

    it.effect("do not exist for others, nor under ids that are none", () =>
      Effect.gen(function* () {
        const { globex } = yield* people
        const { payment_id, transaction_id } = yield* initiate(byPhone())
        const nothing = yield* get(`/payments/${nilUuid}`)
        expect(nothing.status).toBe(404)
        const paths = [
          `/payments/${payment_id}`,
          `/payments/transaction/${transaction_id}`,
          `/payments/${payment_id}/timeline`
        ]
        for (const path of paths)
          expect(yield* get(path, globex.key)).toMatchObject({ status: 404, text: nothing.text })
        for (const path of [
          "/payments/nonsense",
          "/payments/transaction/nonsense",
          `/payments/transaction/${payment_id}`
        ]) {
          expect(yield* get(path)).toMatchObject({ status: 404, text: nothing.text })
        }
      })
    )

    it.effect("have a timeline in the order of time", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* initiate(byPhone())
        yield* untilStatus(payment_id, "completed")
        const items = yield* timelineOf(payment_id)
        const reported = items.map((item) => item["to"] ?? item["outcome"] ?? item["report"] ?? item["movement"])
        expect(reported.toSorted()).toEqual([
          "accepted",
          "collection",
          "completed",
          "completed",
          "initiated",
          "processing"
        ])
        expect(reported[0]).toBe("initiated")
        const times = items.map((item) => String(item["at"]))
        expect(times).toEqual(times.toSorted())
        const [attempt] = yield* attemptsOf(payment_id)
        expect(attempt).toMatchObject({ provider: "fiat", leg: "payment", outcome: "accepted", reason: null })
        expect(attempt?.["latency_ms"]).toBeGreaterThanOrEqual(0)
        expect(items.filter((item) => item["kind"] === "status").map((item) => item["cause"])).toEqual([
          "initiated by the caller",
          "accepted by fiat",
          "callback from fiat"
        ])
      })
    )

    it.effect("are listed by what they are", () =>
      Effect.gen(function* () {
        const client_reference = "listed by kind"
        const phone = yield* initiate({ ...byPhone(), client_reference })
        const bank = yield* initiate({ ...byBank(), client_reference })
        const refused = yield* initiate({ ...byPhone("+254712340001"), client_reference })
        yield* initiate({ ...byPhone(), client_reference: "another" })
        const named = `client_reference=${encodeURIComponent(client_reference)}`
        const newest = [refused, bank, phone].map((one) => one.payment_id)
        expect(idsOf(yield* list(named))).toEqual(newest)
        expect(idsOf(yield* list(`${named}&payment_method=bank_transfer`))).toEqual([bank.payment_id])
        expect(idsOf(yield* list(`${named}&status=failed`))).toEqual([refused.payment_id])
        expect(idsOf(yield* list(`${named}&direction=outbound`))).toEqual([])
        expect(idsOf(yield* list(`${named}&direction=inbound`))).toEqual(newest)
        const created = String(jsonOf(yield* get(`/payments/${bank.payment_id}`))["created_at"])
        const since = idsOf(yield* list(`${named}&from=${created}`))
        expect(since).toContain(bank.payment_id)
        const before = idsOf(yield* list(`${named}&to=${created}`))
        expect(before).not.toContain(bank.payment_id)
        expect([...since, ...before].toSorted()).toEqual(newest.toSorted())
        expect(idsOf(yield* list(`${named}&from=2000-01-01&to=2000-01-02`))).toEqual([])
        const days = [
          jsonOf(yield* get(`/payments/${phone.payment_id}`)),
          jsonOf(yield* get(`/payments/${refused.payment_id}`))
        ]
        const [first, last] = days.map((record) => String(record["created_at"]).slice(0, 10))
        expect(idsOf(yield* list(`${named}&from=${first}&to=${last}`)), "a day is meant as a whole").toEqual(newest)
        const wrongs = ["status=done", "direction=payin", "payment_method=cash", "from=yesterday", "limit=0"]
        for (const wrong of [...wrongs, "from=2026-02-30", "to=2026-02-29T10:00:00Z", "from=2026-1-1"]) {
          expect(yield* get(`/transactions?${wrong}`), wrong).toMatchObject({ status: 400 })
        }
      })
    )

    it.effect("are found by a phone number as its owner writes it at home", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* initiate(byPhone())
        const found = (customer: string) =>
          Effect.map(list(`limit=100&customer=${encodeURIComponent(customer)}`), idsOf)
        for (const customer of ["0712 345 678", "712345678", "+254 712 345 678"]) {
          expect(yield* found(customer), customer).toContain(payment_id)
        }
        expect(yield* found("0712345679")).not.toContain(payment_id)
      })
    )

    it.effect("are walked page by page, each exactly once", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const reference = "walked"
        const made = yield* Effect.forEach(
          Array.from({ length: 7 }),
          () => Effect.map(initiate({ ...byPhone(), client_reference: reference }), ({ payment_id }) => payment_id),
          { concurrency: 3 }
        )
        const seen: Array<unknown> = []
        let cursor: string | null = ""
        const counts: Array<number> = []
        while (cursor !== null) {
          const next: string = cursor === "" ? "" : `&last_evaluated_key=${encodeURIComponent(cursor)}`
          const page: Page = yield* list(`client_reference=${reference}&limit=3${next}`)
          expect(page.status).toBe("success")
          expect(page.meta.last_evaluated_key).toBe(page.last_evaluated_key)
          expect(page.meta).toMatchObject({ count: page.data.length, has_more: page.last_evaluated_key !== null })
          counts.push(page.data.length)
          seen.push(...idsOf(page))
          cursor = page.last_evaluated_key
        }
        expect(counts).toEqual([3, 3, 1])
        expect([...seen].toSorted()).toEqual(made.toSorted())
        const first = yield* list(`client_reference=${reference}&limit=3`)
        const key = encodeURIComponent(first.last_evaluated_key ?? "")
        expect(yield* get(`/transactions?limit=3&last_evaluated_key=${key}`)).toMatchObject({ status: 400 })
        expect(yield* get("/transactions", acme.token("member"))).toMatchObject({ status: 403 })
        expect(yield* get("/operations/queue", acme.token("member"))).toMatchObject({ status: 403 })
      })
    )
  }
)
