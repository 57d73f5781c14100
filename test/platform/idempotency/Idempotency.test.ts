import { describe, expect, it as plain } from "vitest"
import { Effect, Either, Option } from "effect"
import * as fc from "fast-check"
import { canonicalJson } from "../../../src/domain/Decimal.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { parseJsonText } from "../../../src/platform/http/RequestJson.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"

const payin = (amount = 1500, more: object = {}) => ({
  amount,
  currency: "KES",
  target_amount: amount,
  target_currency: "KES",
  payment_method: "mobile_money",
  direction: "payin",
  country: "KE",
  payer_details: { name: "Wanjiru", email: "w@example.com", phone: "+254712345678" },
  mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" },
  ...more
})

const initiate = (key: string | undefined, body: object, who: "acme" | "globex" = "acme") =>
  Effect.flatMap(people, (cast) =>
    send("/v1/payments-init/initiate", {
      method: "POST",
      headers: {
        ...cast[who].key,
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      body: JSON.stringify(body)
    })
  )

const countPayments = Effect.gen(function* () {
  const store = yield* PaymentStore
  return (yield* store.list(Option.none(), {}, { after: Option.none(), take: 1000 })).length
})

onDatabaseServer("An Idempotency-Key", (it) => {
  it.effect("gives the first answer again, byte for byte", () =>
    Effect.gen(function* () {
      const first = yield* initiate("again-1", payin())
      const { amount, currency, ...rest } = payin()
      const second = yield* initiate("again-1", { ...rest, currency, amount })
      expect(first.status).toBe(200)
      expect(first.headers["idempotent-replayed"]).toBeUndefined()
      expect(second.headers["idempotent-replayed"]).toBe("true")
      expect(second.text).toBe(first.text)
      expect(yield* initiate("again-1", payin(1501))).toMatchObject({ status: 409 })
      expect(bodyOf(yield* initiate("again-1", payin(1501)))).toMatchObject({ code: "IDEMPOTENCY_CONFLICT" })
    })
  )

  it.effect("gives a 502 again without asking the providers again", () =>
    Effect.gen(function* () {
      const declined = payin(10, { mobile_money_details: { provider: "mpesa", phone_number: "+254712340001" } })
      const first = yield* initiate("declined", declined)
      const before = yield* countPayments
      const second = yield* initiate("declined", declined)
      expect([first.status, second.status]).toEqual([502, 502])
      expect(second.text).toBe(first.text)
      expect(yield* countPayments).toBe(before)
    })
  )

  it.effect("does not keep a refusal: the corrected request goes through", () =>
    Effect.gen(function* () {
      expect((yield* initiate("corrected", payin(-1))).status).toBe(400)
      expect((yield* initiate("corrected", payin(20))).status).toBe(200)
    })
  )

  it.effect("belongs to its organisation, and nothing is deduplicated without one", () =>
    Effect.gen(function* () {
      const ours = bodyOf(yield* initiate("shared", payin(30)))
      const theirs = bodyOf(yield* initiate("shared", payin(30), "globex"))
      expect(ours).not.toEqual(theirs)
      const before = yield* countPayments
      yield* initiate(undefined, payin(31))
      yield* initiate(undefined, payin(31))
      expect(yield* countPayments).toBe(before + 2)
    })
  )

  it.effect("turns twenty requests at once into one payment", () =>
    Effect.gen(function* () {
      const before = yield* countPayments
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => initiate("at-once", payin(40))),
        { concurrency: "unbounded" }
      )
      expect(yield* countPayments).toBe(before + 1)
      const good = answers.filter(({ status }) => status === 200)
      expect(good.length).toBeGreaterThan(0)
      expect(new Set(good.map(({ text }) => text)).size).toBe(1)
      expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    })
  )

  it.effect("must be 1 to 255 visible characters", () =>
    Effect.gen(function* () {
      for (const key of ["has space", "x".repeat(256), "é"]) {
        expect(yield* initiate(key, payin(50))).toMatchObject({ status: 400 })
      }
      expect(yield* initiate("x".repeat(255), payin(50))).toMatchObject({ status: 200 })
    })
  )

  it.effect("is no card number, since it is stored", () =>
    Effect.gen(function* () {
      const answer = yield* initiate("4539578763621486", payin(51))
      expect(answer.status).toBe(400)
      expect(bodyOf(answer)).toMatchObject({ message: expect.stringMatching(/^Idempotency-Key: .* card number/) })
    })
  )
})

describe("Canonical JSON", () => {
  plain("is the same text for the same value in any order", () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([k, v]) => [k, reversed(v)])
            )
          : value
    fc.assert(fc.property(fc.jsonValue(), (value) => canonicalJson(reversed(value)) === canonicalJson(value)))
  })

  plain("differs when a value differs", () => {
    expect(canonicalJson({ a: 1, b: [1, 2] })).not.toBe(canonicalJson({ a: 1, b: [2, 1] }))
  })

  plain("differs between a number that keeps its digits and an object that looks like one", () => {
    const digest = (metadata: string) =>
      canonicalJson(Either.getOrThrow(parseJsonText(`{"metadata": {"weight": ${metadata}}}`)))
    expect(digest('{"text": "1.0"}')).not.toBe(digest("1.0"))
    expect(digest('"1.0"')).not.toBe(digest("1.0"))
    expect(digest("1.00")).not.toBe(digest("1.0"))
    expect(digest(" 1.0 ")).toBe(digest("1.0"))
  })
})
