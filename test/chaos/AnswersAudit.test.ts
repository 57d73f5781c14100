/** Tests that the audit finds every answer that the records contradict. */
import { describe, expect, it } from "@effect/vitest"
import { holdingsOf, type Read } from "./audit/ReadRecords.ts"
import { answerProblems } from "./audit/AnswersAudit.ts"
import type { LoggedRequest } from "./business/RequestLog.ts"
import type { StartedFake } from "../fakes/AllFakes.ts"
import { wireReference } from "../../src/providers/port/ProviderWrappers.ts"
import type { Attempt, Payment } from "../../src/payments/store/Payment.ts"

const order = (key: string, status: number, body: object): LoggedRequest => ({
  kind: "payin",
  key,
  what: `payin ${key}`,
  orgId: "acme",
  apiKey: "",
  path: "",
  body: {},
  replies: [{ status, headers: {}, body: JSON.stringify(body) }]
})

const reported = (payment_id: string, status: string) => ({ statusCode: 200, response: { payment_id, status } })

const payment = (payment_id: string, client_reference: string, status: string) =>
  ({ payment_id, client_reference, status, org_id: "acme", description: null, metadata: {} }) as unknown as Payment

const read = (...payments: ReadonlyArray<Payment>): Read =>
  ({
    payments,
    postings: [],
    virtualTransactions: [],
    keyOf: ({ client_reference }: Payment) => client_reference
  }) as unknown as Read

describe("audit of answers", () => {
  it("accepts answers that match the records or a later status", () => {
    const orders = [
      order("a", 200, reported("1", "processing")),
      order("b", 200, reported("2", "completed")),
      order("c", 502, { code: "ALL_PROVIDERS_FAILED", payment_id: "3" }),
      order("d", 409, { code: "INSUFFICIENT_FUNDS" })
    ]
    const now = read(payment("1", "a", "completed"), payment("2", "b", "refunded"), payment("3", "c", "failed"))
    expect(answerProblems(orders, now)).toEqual([])
  })

  it.each([
    ["a missing payment", order("a", 200, reported("1", "processing")), [], /told of payment 1, which is not there/],
    ["two payments under one key", order("a", 200, reported("1", "processing")), ["1", "2"], /one key made 2 payments/],
    [
      "a payment after a refusal",
      order("a", 409, { code: "INSUFFICIENT_FUNDS" }),
      ["1"],
      /refused with 409, and there is/
    ],
    [
      "a changed final status",
      order("a", 200, reported("1", "failed")),
      ["1"],
      /told failed, and the payment is completed/
    ],
    [
      "a completed payment after ALL_PROVIDERS_FAILED",
      order("a", 502, { payment_id: "1" }),
      ["1"],
      /all providers refused, and .* completed/
    ]
  ])("finds %s", (_, one, ids, problem) => {
    const found = answerProblems(
      [one],
      read(...(ids as ReadonlyArray<string>).map((id) => payment(id, "a", "completed")))
    )
    expect(found).toEqual([expect.stringMatching(problem)])
  })

  it("finds payments that were never requested", () => {
    expect(answerProblems([], read(payment("1", "z", "completed")))).toEqual([
      "there is a payment of z, which was never requested"
    ])
  })
})

describe("holdings of the fakes", () => {
  const id = "01a1e24a-a5c3-7458-8067-6b1e27423f7b"
  const attempt = {
    attempt_id: id,
    payment_id: "1",
    provider: "stripe",
    provider_payment_id: null
  } as unknown as Attempt
  const fakeWith = (...references: ReadonlyArray<string>) =>
    ({
      fake: { name: "stripe" },
      running: {
        books: {
          all: () =>
            references.map((reference) => ({
              id: `pi_${reference}`,
              kind: "payin",
              state: "completed",
              reference,
              moved: { currency: "EUR", minor: 1050n },
              takenBack: 0n
            }))
        }
      }
    }) as unknown as StartedFake

  it("count for the payment that caused them, also if repeated", () => {
    const wire = wireReference(id)
    const { holdings, unmatched } = holdingsOf([fakeWith(wire, `${wire} (2)`)], [attempt])
    expect(holdings(attempt.payment_id)).toEqual(new Map([["provider/stripe/EUR", 2100n]]))
    expect(unmatched).toEqual([])
  })

  it("are reduced by disputes", () => {
    const disputed = fakeWith(wireReference(id))
    const [entry] = disputed.running.books.all()
    const taken = { ...disputed, running: { books: { all: () => [{ ...entry, takenBack: 400n }] } } }
    const { holdings } = holdingsOf([taken as unknown as StartedFake], [attempt])
    expect(holdings(attempt.payment_id)).toEqual(new Map([["provider/stripe/EUR", 650n]]))
  })

  it("are unmatched if no attempt caused them", () => {
    expect(holdingsOf([fakeWith("other")], [attempt]).unmatched).toEqual([
      "stripe has a payin other (completed) that no attempt caused"
    ])
  })
})
