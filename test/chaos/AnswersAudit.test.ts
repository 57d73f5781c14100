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

const told = (payment_id: string, status: string) => ({ statusCode: 200, response: { payment_id, status } })

const payment = (payment_id: string, client_reference: string, status: string) =>
  ({ payment_id, client_reference, status, org_id: "acme", description: null, metadata: {} }) as unknown as Payment

const read = (...payments: ReadonlyArray<Payment>): Read =>
  ({
    payments,
    postings: [],
    virtualTransactions: [],
    keyOf: ({ client_reference }: Payment) => client_reference
  }) as unknown as Read

describe("what callers were told", () => {
  it("is so, or may have become so", () => {
    const orders = [
      order("a", 200, told("1", "processing")),
      order("b", 200, told("2", "completed")),
      order("c", 502, { code: "ALL_PROVIDERS_FAILED", payment_id: "3" }),
      order("d", 409, { code: "INSUFFICIENT_FUNDS" })
    ]
    const now = read(payment("1", "a", "completed"), payment("2", "b", "refunded"), payment("3", "c", "failed"))
    expect(answerProblems(orders, now)).toEqual([])
  })

  it.each([
    ["a payment that is gone", order("a", 200, told("1", "processing")), [], /told of payment 1, which is not there/],
    ["two of one key", order("a", 200, told("1", "processing")), ["1", "2"], /one key made 2 payments/],
    ["one that was refused", order("a", 409, { code: "INSUFFICIENT_FUNDS" }), ["1"], /refused with 409, and there is/],
    [
      "an end that was taken back",
      order("a", 200, told("1", "failed")),
      ["1"],
      /told failed, and the payment is completed/
    ],
    [
      "a refusal of all that one took",
      order("a", 502, { payment_id: "1" }),
      ["1"],
      /all providers refused, and .* completed/
    ]
  ])("is found out: %s", (_, one, ids, problem) => {
    const found = answerProblems(
      [one],
      read(...(ids as ReadonlyArray<string>).map((id) => payment(id, "a", "completed")))
    )
    expect(found).toEqual([expect.stringMatching(problem)])
  })

  it("is all that there is", () => {
    expect(answerProblems([], read(payment("1", "z", "completed")))).toEqual([
      "there is a payment of z, which nobody asked for"
    ])
  })
})

describe("what the fakes have", () => {
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

  it("is counted for the payment that asked for it, however often it was taken", () => {
    const wire = wireReference(id)
    const { holdings, unmatched } = holdingsOf([fakeWith(wire, `${wire} (2)`)], [attempt])
    expect(holdings(attempt.payment_id)).toEqual(new Map([["provider/stripe/EUR", 2100n]]))
    expect(unmatched).toEqual([])
  })

  it("is less by what a dispute took of it", () => {
    const disputed = fakeWith(wireReference(id))
    const [entry] = disputed.running.books.all()
    const taken = { ...disputed, running: { books: { all: () => [{ ...entry, takenBack: 400n }] } } }
    const { holdings } = holdingsOf([taken as unknown as StartedFake], [attempt])
    expect(holdings(attempt.payment_id)).toEqual(new Map([["provider/stripe/EUR", 650n]]))
  })

  it("is a stranger's where nobody asked for it", () => {
    expect(holdingsOf([fakeWith("other")], [attempt]).unmatched).toEqual([
      "stripe has a payin other (completed) that nobody asked for"
    ])
  })
})
