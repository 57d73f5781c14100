/** Facts about an account that each third party's fake answers when credentials are tested; nothing moves. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { thirdParties } from "../../../src/providers/accounts/ThirdParties.ts"
import { factsText } from "../../../src/providers/port/AccountTest.ts"
import type { AccountFacts } from "../../../src/providers/port/Provider.ts"
import type { CredentialFields, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { adyenFake } from "../../fakes/AdyenFake.ts"
import { allFakes } from "../../fakes/AllFakes.ts"
import { stripeFake } from "../../fakes/StripeFake.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"

const anything: unknown = expect.anything()

/** Facts that are not named here are not answered. */
const reported: Readonly<Record<string, AccountFacts>> = {
  stripe: { name: "Corridor acct_1Fake", mode: "test", balances: ["1000000.00 USD"], rights: ["charges", "payouts"] },
  adyen: {
    name: "CorridorFake ws@Company.CorridorFake",
    balances: ["1000000.00 EUR"],
    rights: ["Checkout webservice role", "Management API - Webhooks read and write"]
  },
  paypal: {
    name: "FAKEPAYPALMERCHANT",
    balances: ["1000000.00 USD"],
    rights: expect.arrayContaining(["services/payouts", "openid"]) as ReadonlyArray<string>
  },
  paystack: { balances: anything as ReadonlyArray<string> },
  flutterwave: { balances: anything as ReadonlyArray<string> },
  mtn_momo: {
    balances: ["collection 1000000 UGX", "disbursement 1000000 UGX"],
    rights: ["collection", "disbursement"]
  },
  pawapay: {
    name: "Corridor",
    balances: expect.arrayContaining(["1000000.00 KES KEN"]) as ReadonlyArray<string>,
    rights: expect.arrayContaining(["KEN DEPOSIT PAYOUT REFUND"]) as ReadonlyArray<string>
  },
  circle: { name: "master wallet 1000000001", balances: ["1000000.00 USD"] },
  coinbase: { name: expect.stringMatching(/^Corridor account_/) as string, balances: ["1000000 USDC"] },
  mpesa: { name: expect.stringMatching(/^shortcode \d+$/) as string, note: "payouts are set up" }
}

describe("the test of an account", () => {
  it.scopedLive.each(allFakes.map(({ fake }) => fake))("reads the facts of $name, and moves nothing", (fake) =>
    Effect.gen(function* () {
      const party = thirdParties.find(({ name }) => name === fake.name) as unknown as ThirdParty<CredentialFields>
      const at = yield* againstFake(party, fake)
      const facts = Either.getOrThrow(yield* at.provider.test!)
      expect(facts).toEqual(reported[fake.name])
      expect([at.books.all(), at.callbacks]).toEqual([[], []])
      const isToken = /token/i
      for (const { method, operation } of at.calls) if (method !== "GET") expect(operation).toMatch(isToken)
    })
  )

  it.effect("leaves out what the key may not read", () =>
    Effect.gen(function* () {
      const { http } = scripted(({ path }) =>
        path.startsWith("/v1/payment") ? replyOf(200, { data: [] }) : replyOf(403)
      )
      expect(yield* connected(stripe, http, stripeFake.credentials).test!).toEqual(Either.right({}))
      const atAdyen = scripted(({ path }) => replyOf(path.startsWith("/paymentLinks") ? 404 : 403))
      expect(yield* connected(adyen, atAdyen.http, adyenFake.credentials).test!).toEqual(
        Either.right({ note: expect.stringContaining("role of the Management API") })
      )
    })
  )

  it("is kept as one line", () => {
    expect(factsText({})).toBe("It took the credentials.")
    expect(factsText({ name: "Acme", balances: [], rights: ["payouts"], note: "as told" })).toBe(
      "account Acme; no balance; rights payouts; as told"
    )
    expect(factsText({ balances: ["1 USD", "2 EUR"], rights: [] })).toBe("balances 1 USD, 2 EUR; rights none")
  })
})
