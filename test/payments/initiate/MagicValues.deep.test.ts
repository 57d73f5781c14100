/** Every magic value of the built-in simulators, over the whole API. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { post } from "../../support/Send.ts"
import { people } from "../../support/TestCredentials.ts"
import { attemptsOf, eventually, initiate, jsonOf, recordOf, timelineOf, untilStatus } from "../support/PaymentCalls.ts"
import { leisurely, onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { byBank, byCard, byPhone, kenyanBank, kenyanPhone, payoutByPhone } from "../support/Requests.ts"

const phone = (ending: string) => byPhone(`+25471234${ending}`)
const bank = (ending: string) => byBank(`110022${ending}`)

const beneficiary = (about: object) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const answer = yield* post("/v1/beneficiaries", { ...acme.key }, about)
    const { data } = jsonOf(answer) as { readonly data: { readonly beneficiary_id: string } }
    return data.beneficiary_id
  })

const payoutToPhone = (ending: string) =>
  Effect.gen(function* () {
    const number = `+25471234${ending}`
    return payoutByPhone(yield* beneficiary(kenyanPhone(number)), number)
  })

const payoutToBank = (ending: string) =>
  Effect.gen(function* () {
    const account_number = `110022${ending}`
    const beneficiary_id = yield* beneficiary(kenyanBank(account_number))
    return {
      ...byBank("5566778899"),
      direction: "payout",
      beneficiary_id,
      bank_account: { account_number, bank_code: "01", bank_name: "KCB" }
    }
  })

onDatabasePaymentServer(
  "Magic values",
  () => ({ variables: { ...leisurely, PROVIDER_TIMEOUT: "3 seconds" } }),
  (it) => {
    it.effect("accept everything that is not magic, and complete it by callback", () =>
      Effect.gen(function* () {
        const cases = [
          { request: byPhone(), status: "processing", next_action: "wait" },
          { request: byCard(), status: "processing", next_action: undefined },
          { request: byBank(), status: "pending", next_action: "bank_transfer" },
          { request: yield* payoutToPhone("5678"), status: "processing", next_action: undefined },
          { request: yield* payoutToBank("3344"), status: "processing", next_action: undefined }
        ]
        const completed = yield* Effect.forEach(
          cases,
          ({ next_action, request, status }) =>
            Effect.gen(function* () {
              const { body, payment_id, response } = yield* initiate(request)
              expect(body["statusCode"]).toBe(200)
              expect(response).toMatchObject({ success: true, status, provider: "fiat", redirect_url: null })
              expect(response["next_action"]).toBe(next_action)
              if (next_action === undefined) expect(response).not.toHaveProperty("next_action")
              return yield* untilStatus(payment_id, "completed")
            }),
          { concurrency: "unbounded" }
        )
        for (const record of completed) {
          expect(record).toMatchObject({
            provider: "fiat",
            provider_status: "completed",
            payment_path_method: "direct"
          })
          expect(record["webhook_metadata"]).toMatchObject({ event_id: expect.any(String) as unknown })
        }
        expect(completed.map((record) => record["direction"])).toEqual([
          "inbound",
          "inbound",
          "inbound",
          "outbound",
          "outbound"
        ])
        expect(completed.map((record) => record["payout_initiated"])).toEqual([false, false, false, true, true])
      })
    )

    it.effect("decline: 502 with the ids of a failed payment", () =>
      Effect.gen(function* () {
        const requests = [
          byCard("4000000000000002"),
          phone("0001"),
          bank("0001"),
          yield* payoutToPhone("0001"),
          yield* payoutToBank("0001")
        ]
        for (const request of requests) {
          const { body, payment_id, status, transaction_id } = yield* initiate(request)
          expect({ status, ...body }).toMatchObject({ status: "error", code: "ALL_PROVIDERS_FAILED" })
          expect(status).toBe(502)
          expect(Object.keys(body).toSorted()).toEqual(
            ["code", "error", "message", "payment_id", "status", "transaction_id"].toSorted()
          )
          const record = yield* recordOf(payment_id)
          expect(record).toMatchObject({ transaction_id, status: "failed", provider: null })
          const [attempt, ...others] = yield* attemptsOf(payment_id)
          expect(attempt).toMatchObject({ provider: "fiat", outcome: "declined", reason: "The payment was declined" })
          expect(others).toEqual([])
        }
      })
    )

    it.effect("ask the customer: redirect, one-time password, payment link", () =>
      Effect.gen(function* () {
        const redirect = yield* initiate(byCard("4000000000003220"))
        const checkout = expect.stringContaining(`/checkout/${redirect.payment_id}?t=`) as unknown
        expect(redirect.response).toMatchObject({ status: "pending", next_action: "redirect", redirect_url: checkout })
        const otp = yield* initiate(phone("0002"))
        expect(otp.response).toMatchObject({ status: "pending", next_action: "collect_otp", redirect_url: null })
        const link = yield* initiate(phone("0005"))
        expect(link.response).toMatchObject({
          status: "pending",
          next_action: "pay_by_link",
          payment_link: expect.stringContaining(`/checkout/${link.payment_id}?t=`) as unknown,
          redirect_url: null
        })
        expect((yield* recordOf(link.payment_id))["instructions"]).toBe(
          `Pay at ${String(link.response["payment_link"])}.`
        )
      })
    )

    it.effect("never answer: pending, to be looked up, and not failed", () =>
      Effect.gen(function* () {
        const requests = [
          byCard("4000000000000119"),
          phone("0003"),
          bank("0003"),
          yield* payoutToPhone("0003"),
          yield* payoutToBank("0003")
        ]
        const initiated = yield* Effect.forEach(requests, (request) => initiate(request), {
          concurrency: "unbounded"
        })
        for (const { payment_id, response, status } of initiated) {
          expect(status).toBe(200)
          expect(response).toMatchObject({
            success: true,
            status: "pending",
            next_action: "check_status",
            provider: "fiat"
          })
          const [attempt, ...others] = yield* attemptsOf(payment_id)
          expect(attempt).toMatchObject({ provider: "fiat", outcome: "unknown", reason: "no answer within 3s" })
          expect(others).toEqual([])
        }
      })
    )

    it.effect("accept and fail later, answer slowly, lose the answer, repeat and reorder callbacks", () =>
      Effect.gen(function* () {
        const follow = (ending: string, kind: (ending: string) => object, end: string) =>
          Effect.gen(function* () {
            const { payment_id, response } = yield* initiate(kind(ending))
            return { response, record: yield* untilStatus(payment_id, end), payment_id }
          })
        const [late, lateBank, slow, lost, repeated, reordered] = yield* Effect.all(
          [
            follow("0004", phone, "failed"),
            follow("0004", bank, "failed"),
            follow("0007", phone, "completed"),
            follow("0006", phone, "completed"),
            follow("0008", phone, "completed"),
            follow("0009", phone, "completed")
          ],
          { concurrency: "unbounded" }
        )
        expect(late.response).toMatchObject({ status: "processing", provider: "fiat" })
        expect(lateBank.response).toMatchObject({ status: "pending", next_action: "bank_transfer" })
        expect(late.record).toMatchObject({ provider: "fiat", provider_status: "failed" })
        expect(slow.response).toMatchObject({ status: "processing" })
        expect(lost.response).toMatchObject({ status: "pending", next_action: "check_status", provider: "fiat" })
        expect(yield* attemptsOf(lost.payment_id)).toHaveLength(1)

        const three = yield* eventually(
          timelineOf(repeated.payment_id),
          (items) => items.filter(isCallback).length === 2
        )
        expect(three.filter(isCallback).map((item) => item["effect"])).toEqual(["applied", "nothing to change"])
        expect(three.filter((item) => item["to"] === "completed")).toHaveLength(1)

        const both = yield* eventually(
          timelineOf(reordered.payment_id),
          (items) => items.filter(isCallback).length === 2
        )
        expect(both.filter(isCallback).map((item) => [item["report"], item["effect"]])).toEqual([
          ["completed", "applied"],
          ["processing", "nothing to change"]
        ])
        const settled = yield* recordOf(reordered.payment_id)
        expect(settled).toMatchObject({ status: "completed", provider_status: "completed" })
      })
    )
  }
)

const isCallback = (item: Readonly<Record<string, unknown>>) => item["kind"] === "callback"

onDatabasePaymentServer(
  "Magic values before anybody pays",
  () => ({ variables: { SANDBOX_RAIL_PACE: "10 minutes" } }),
  (it) => {
    it.effect("show a bank transfer's payer where to send the money", () =>
      Effect.gen(function* () {
        const { payment_id, response } = yield* initiate(byBank())
        expect(response).toMatchObject({
          next_action: "bank_transfer",
          account_name: "Corridor Sandbox",
          account_number: expect.stringMatching(/^\d{10}$/) as unknown,
          bank_name: "Corridor Sandbox Bank",
          bank_code: "999",
          reference: expect.stringMatching(/^CR[0-9A-F]{10}$/) as unknown,
          expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as unknown
        })
        const { instructions } = yield* recordOf(payment_id)
        for (const field of ["account_number", "account_name", "bank_name", "reference"]) {
          expect(instructions).toContain(response[field])
        }
      })
    )
  }
)
