import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { validateUkAccount } from "../../../src/payments/beneficiaries/Beneficiaries.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"

const PATH = "/v1/payments/bank-validation/validate-uk-account"

const right = { sortCode: "20-00-00", accountNumber: "55779911" }

onDatabaseServer("UK account validation", (it) => {
  it.effect("answers every role with the bare object", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      for (const credential of [acme.key, acme.token("member"), admin]) {
        const answer = yield* post(PATH, { ...credential }, right)
        expect(answer.status).toBe(200)
        expect(bodyOf(answer)).toEqual({
          success: true,
          accountDetails: { ...right, validated: true, message: expect.any(String) }
        })
      }
      expect((yield* post(PATH, {}, right)).status).toBe(401)
    })
  )

  it.effect("takes a wrong format for an answer that names the field", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const sorts = ["200000", "20-00-0", "20-00-000", "2a-00-00", " 20-00-00", "20-00-00\n", "٢٠-٠٠-٠٠", ""]
      const numbers = ["5577991", "557799110", "5577991a", " 55779911", "55779911\n", "-5577991", ""]
      const wrong = [
        ...sorts.map((sortCode) => ["sortCode", { ...right, sortCode }] as const),
        ...numbers.map((accountNumber) => ["accountNumber", { ...right, accountNumber }] as const)
      ]
      for (const [field, body] of wrong) {
        const answer = yield* post(PATH, { ...acme.key }, body)
        expect(answer.status, JSON.stringify(body)).toBe(200)
        expect(bodyOf(answer)).toEqual({
          success: false,
          accountDetails: { ...body, validated: false, message: expect.stringMatching(new RegExp(`^${field}: `)) }
        })
      }
      const { accountDetails } = validateUkAccount({ sortCode: "x", accountNumber: "y" })
      expect(accountDetails.message).toMatch(/sortCode: .*accountNumber: /)
    })
  )

  it.effect("refuses what is missing or no string", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const [field, body] of [
        ["sortCode", { accountNumber: right.accountNumber }],
        ["accountNumber", { sortCode: right.sortCode }],
        ["sortCode", { ...right, sortCode: 200000 }],
        ["accountNumber", { ...right, accountNumber: 55779911 }],
        ["accountNumber", { ...right, accountNumber: null }]
      ] as const) {
        const answer = yield* post(PATH, { ...acme.key }, body)
        expect(answer.status).toBe(400)
        expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringContaining(`${field}: `) })
      }
      expect((yield* send(PATH, { method: "GET", headers: { ...acme.key } })).status).toBe(404)
    })
  )
})
