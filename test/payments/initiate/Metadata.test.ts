/** Metadata of a payment: kept to the digit, within limits. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { byPhone } from "../support/Requests.ts"

/** The body as text, since a double has no such digits. */
const initiateWith = (metadata: string) =>
  Effect.flatMap(people, ({ acme }) =>
    send("/v1/payments-init/initiate", {
      method: "POST",
      headers: { ...acme.key, "content-type": "application/json" },
      body: `${JSON.stringify(byPhone()).slice(0, -1)},"metadata":${metadata}}`
    })
  )

const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])))

/** Metadata of so many bytes as JSON. */
const ofSize = (bytes: number) => JSON.stringify({ x: "é".repeat((bytes - 8) / 2) })

onDatabaseServer("Metadata", (it) => {
  it.effect("comes back with the digits that it was sent with", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const members = ['"long":12345678901234567890.10', '"zeros":[1.00,0.10]', '"small":0.0000001', '"text":"1.10"']
      const answer = yield* initiateWith(`{${members.join(",")}}`)
      expect(answer.status, answer.text).toBe(200)
      for (const member of members) expect(answer.text).toContain(member)
      const { response } = bodyOf(answer) as { readonly response: { readonly payment_id: string } }
      const record = yield* send(`/v1/payments/${response.payment_id}`, { headers: { ...acme.key } })
      expect(record.status).toBe(200)
      for (const member of members) expect(record.text).toContain(member)
    })
  )

  it.effect("is refused where a number would come back otherwise", () =>
    Effect.gen(function* () {
      for (const number of ["1e3", "-0", "1e400"]) {
        const answer = yield* initiateWith(`{"n":${number}}`)
        expect([answer.status, bodyOf(answer)]).toMatchObject([400, { code: "VALIDATION_ERROR" }])
      }
    })
  )

  it.effect("has at most 50 keys and 16 KiB", () =>
    Effect.gen(function* () {
      expect((yield* initiateWith(keys(50))).status).toBe(200)
      expect((yield* initiateWith(ofSize(16 * 1024))).status).toBe(200)
      expect(bodyOf(yield* initiateWith(keys(51)))).toMatchObject({
        message: expect.stringMatching(/^metadata: .*\b50\b/)
      })
      expect(bodyOf(yield* initiateWith(ofSize(16 * 1024 + 2)))).toMatchObject({
        message: expect.stringMatching(/^metadata: .*\b16 KiB\b/)
      })
    })
  )

  it.effect("is refused with a body that gives a field twice", () =>
    Effect.gen(function* () {
      const answer = yield* initiateWith('{"a":{"amount":1,"amount":2}}')
      expect([answer.status, bodyOf(answer)]).toMatchObject([
        400,
        { message: "the field metadata.a.amount is given twice" }
      ])
    })
  )
})
