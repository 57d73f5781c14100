import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import { clientFor } from "../../support/Client.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, post } from "../../support/Send.ts"
import { onServer } from "../../support/TestServer.ts"

const PATH = "/v1/externals/networks"

onServer("Mobile money networks", "memory", {}, (it) => {
  it.effect("are listed by country, to any credential", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* post(PATH, { ...acme.token("member") }, { country: "TZ", more: 1 })
      expect([answer.status, bodyOf(answer)]).toEqual([
        200,
        {
          status: "success",
          message: "Mobile money networks",
          data: [
            { name: "M-Pesa", code: "mpesa", country: "TZ", currency: "TZS" },
            { name: "Airtel Money", code: "airtel", country: "TZ", currency: "TZS" },
            { name: "Tigo Pesa", code: "tigo", country: "TZ", currency: "TZS" }
          ]
        }
      ])
    })
  )

  it.effect("reach the typed client; a country without any has an empty list", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { networks } = yield* clientFor(acme.key)
      const codesOf = (country: string) =>
        Effect.map(networks.list({ payload: { country: CountryCode.make(country) } }), ({ data }) =>
          data.map(({ code }) => code)
        )
      expect(yield* codesOf("CI")).toEqual(["orange", "wave", "mtn"])
      expect(yield* codesOf("DE")).toEqual([])
    })
  )

  it.effect("want a country that exists", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const [body, message] of [
        [{}, /^country: is missing\.$/],
        [{ country: "XX" }, /^country: is not an ISO 3166-1 country code/],
        [{ country: "ke" }, /^country: is not a country code of two upper-case letters/],
        [{ country: null }, /^country: /],
        [{ country: 7 }, /^country: is not a string/]
      ] as const) {
        const answer = yield* post(PATH, { ...acme.key }, body)
        expect([answer.status, bodyOf(answer)]).toEqual([
          400,
          { status: "error", message: expect.stringMatching(message) }
        ])
      }
    })
  )

  it.effect("want a credential", () =>
    Effect.map(post(PATH, {}, { country: "KE" }), ({ status }) => expect(status).toBe(401))
  )
})
