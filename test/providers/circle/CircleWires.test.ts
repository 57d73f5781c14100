/** Wires of Circle for virtual accounts in USD, against its fake and by its contract. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { circle } from "../../../src/providers/circle/CircleAdapter.ts"
import { createWire } from "../../../src/providers/circle/CircleWires.ts"
import type { HolderBankAccount } from "../../../src/providers/port/AccountIssuer.ts"
import { circleFake } from "../../fakes/CircleFake.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { publishedContract, unpublished } from "../support/PublishedContract.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"

const bank_account: HolderBankAccount = {
  account_number: "12340010",
  routing_number: "121000248",
  address: {
    line1: "100 Money Street",
    city: "Boston",
    district: "MA",
    postal_code: "01234",
    country: CountryCode.make("US")
  }
}

const order = {
  reference: "0199c2a6-1f02-7a11-8c54-5e0d9b7a6c31",
  currency: CurrencyCode.make("USD"),
  country: "US",
  holder: { name: "Ada Obi", email: "ada@example.com", phone: null, bank_account }
}

const issued = (status: number, body: object, next = replyOf(200, { data: {} })) => {
  const { http } = scripted(({ method }) => (method === "POST" ? replyOf(status, body) : next))
  return Effect.runPromise(connected(circle, http, circleFake.credentials).accounts!.issue(order))
}

const file = "circle.openapi.json"
const why = unpublished(file)

describe("wires of Circle", () => {
  it.scopedLive("have instructions with a reference of the holder's bank account", () =>
    Effect.gen(function* () {
      const { calls, provider } = yield* againstFake(circle, circleFake)
      const answer = yield* provider.accounts!.issue(order)
      expect(answer).toMatchObject({
        _tag: "Issued",
        details: {
          account_name: "CIRCLE INTERNET FINANCIAL INC",
          account_number: "11111111",
          routing_number: "322286803",
          bic: "FAKEUS33XXX",
          bank_name: "FAKE BANK",
          reference: expect.stringMatching(/^CIR/)
        }
      })
      expect(yield* provider.accounts!.issue(order)).toEqual(answer)
      const sent = calls.length
      const holder = { ...order.holder, bank_account: undefined }
      expect(yield* provider.accounts!.issue({ ...order, holder })).toMatchObject({
        _tag: "NotIssued",
        reason: expect.stringContaining("holder.bank_account")
      })
      expect(calls).toHaveLength(sent)
    })
  )

  const wire = { id: "w", trackingRef: "CIR1" }

  it("are not issued before the bank account is linked", async () => {
    expect(await issued(400, { code: 2, message: "No." })).toMatchObject({ _tag: "NotIssued" })
    expect(await issued(500, {})).toMatchObject({ _tag: "MaybeIssued" })
    expect(await issued(201, { data: {} })).toMatchObject({ _tag: "MaybeIssued" })
    expect(await issued(201, { data: { ...wire, status: "pending" } })).toMatchObject({ _tag: "MaybeIssued" })
    expect(await issued(201, { data: { ...wire, status: "failed" } })).toMatchObject({ _tag: "NotIssued" })
    expect(await issued(201, { data: { ...wire, status: "complete" } })).toMatchObject({ _tag: "MaybeIssued" })
  })

  it.scopedLive("are listed once they are complete, and a callback has them listed soon", () =>
    Effect.gen(function* () {
      const { held, mailbox, provider, settled, url } = yield* againstFake(circle, circleFake)
      const answer = yield* provider.accounts!.issue(order)
      if (answer._tag !== "Issued") throw new Error(answer.reason)
      const sends = (trackingRef: string, amount: string) =>
        Effect.promise(() =>
          fetch(`${url}/v1/mocks/payments/wire`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${circleFake.credentials["api_key"]}`,
              "content-type": "application/json"
            },
            body: JSON.stringify({
              trackingRef,
              amount: { amount, currency: "USD" },
              beneficiaryBank: { accountNumber: "11111111" }
            })
          })
        )
      yield* sends(answer.details["reference"]!, "1500.50")
      yield* sends("CIR0", "70.00")
      yield* settled
      const listed = yield* provider.accounts!.incoming!(new Date(Date.now() - 60_000))
      expect(listed.map(({ amount, id: _id, ...one }) => ({ ...one, amount: amount.toString() }))).toEqual([
        {
          kind: "collection",
          providerReference: expect.any(String),
          sender: null,
          isUncertain: true,
          amount: "70.00 USD"
        },
        {
          kind: "collection",
          providerReference: answer.providerReference,
          sender: null,
          isUncertain: true,
          amount: "1500.50 USD"
        }
      ])
      expect(listed[0]!.providerReference).not.toBe(answer.providerReference)
      const received = yield* Effect.forEach(mailbox.callbacks, (request) => provider.callback(request))
      expect(received).toEqual([
        { events: [], listTransfers: true },
        { events: [], listTransfers: true }
      ])
      expect(held().get("USD")).toBe(157_050n)
    })
  )
})

describe.skipIf(why !== "")(`what is sent to Circle about wires, by its contract${why}`, () => {
  const contract = publishedContract(file)
  const call = Either.getOrThrow(createWire(order))

  it("a bank account, as the contract has it, and none without its routing number", () => {
    expect(contract.callFlaws(call)).toEqual([])
    const { routingNumber: _routing, ...without } = JSON.parse(call.body!) as Record<string, unknown>
    expect(contract.bodyFlaws("POST", call.path, JSON.stringify(without))).not.toEqual([])
  })

  it.scopedLive("and the fake answers in its shape", () =>
    Effect.gen(function* () {
      const { exchanged, provider } = yield* againstFake(circle, circleFake)
      yield* provider.accounts!.issue(order)
      const { reply } = exchanged[0]!
      expect(contract.answerFlaws("POST", call.path, reply.status, reply.text)).toEqual([])
    })
  )
})
