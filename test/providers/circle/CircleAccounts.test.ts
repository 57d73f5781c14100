/** Deposit addresses of Circle against its fake, and by its contract. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { circle } from "../../../src/providers/circle/CircleAdapter.ts"
import { createAddress } from "../../../src/providers/circle/CircleAccounts.ts"
import { derivedUuid } from "../../../src/providers/circle/CircleRequests.ts"
import { circleFake } from "../../fakes/CircleFake.ts"
import { AddressBody } from "../../fakes/CircleFakeBodies.ts"
import { againstFake, type Connection } from "../support/AgainstFake.ts"
import { keptBy, publishedContract, unpublished } from "../support/PublishedContract.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"

const order = {
  reference: "0199c2a6-1f02-7a11-8c54-5e0d9b7a6c31",
  currency: "USDC" as const,
  country: "NG",
  holder: { name: "Ada Obi", email: "ada@example.com", phone: null }
}

const atFake = (connection: Connection = {}) =>
  Effect.gen(function* () {
    const running = yield* againstFake(circle, circleFake, connection)
    const answer = yield* running.provider.accounts!.issue(order)
    if (answer._tag !== "Issued") throw new Error(answer.reason)
    const sends = (amount: string, about: object = {}) =>
      Effect.promise(() =>
        fetch(`${running.url}/demo-chain/transfers`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${circleFake.credentials["api_key"]}`,
            "content-type": "application/json"
          },
          body: JSON.stringify({ address: answer.details["address"], amount, ...about })
        })
      )
    return { ...running, answer, sends, since: new Date(Date.now() - 60_000) }
  })

const file = "circle.openapi.json"
const why = unpublished(file)

describe("deposit addresses of Circle", () => {
  it.scopedLive("are one for each virtual account, on the network of the setting", () =>
    Effect.gen(function* () {
      const { answer, provider } = yield* atFake()
      expect(answer.details).toEqual({ address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), network: "ETHEREUM" })
      expect(answer.providerReference).toBe(answer.details["address"]!.toLowerCase())
      expect(yield* provider.accounts!.issue(order)).toEqual(answer)
      const reference = "0199c2a6-1f02-7a11-8c54-5e0d9b7a6c32"
      expect(yield* provider.accounts!.issue({ ...order, reference })).not.toEqual(answer)
      const solana = yield* atFake({ credentials: (all) => ({ ...all, deposit_network: "SOLANA" }) })
      expect(solana.answer.details["network"]).toBe("SOLANA")
      expect(solana.answer.providerReference).toBe(solana.answer.details["address"])
      const tron = yield* againstFake(circle, circleFake, {
        credentials: (all) => ({ ...all, deposit_network: "TRON" })
      })
      expect(yield* tron.provider.accounts!.issue(order)).toMatchObject({ _tag: "NotIssued" })
      expect(tron.calls).toEqual([])
    })
  )

  it.each([
    [400, { code: 2, message: "Not possible." }, "NotIssued"],
    [409, { code: 409, message: "Conflict." }, "MaybeIssued"],
    [500, {}, "MaybeIssued"],
    [201, { data: {} }, "MaybeIssued"]
  ])("answered with %i %j are %s", async (status, body, tag) => {
    const { http } = scripted(() => replyOf(status, body))
    const provider = connected(circle, http, circleFake.credentials)
    expect(await Effect.runPromise(provider.accounts!.issue(order))).toMatchObject({ _tag: tag })
  })

  it.scopedLive("show transfers by callback and by list under the same id, and leave out other addresses", () =>
    Effect.gen(function* () {
      const { answer, held, mailbox, provider, sends, settled, since } = yield* atFake()
      yield* sends("150.25", { sender: "Chidi" })
      yield* sends("70", { currency: "EUR" })
      yield* sends("30", { address: "0x8381470ED67C3802402dbbFa0058E8871F017A6F" })
      yield* settled
      const listed = yield* provider.accounts!.incoming!(since)
      expect(listed.map(({ amount, id: _id, ...one }) => ({ ...one, amount: amount.toString() }))).toEqual([
        { kind: "collection", providerReference: answer.providerReference, sender: null, amount: "70.00 EUR" },
        { kind: "collection", providerReference: answer.providerReference, sender: "Chidi", amount: "150.250000 USDC" }
      ])
      const received = yield* Effect.forEach(mailbox.callbacks, (request) => provider.callback(request))
      expect(received).toHaveLength(3)
      expect(received.flatMap(({ events }) => events)).toEqual([])
      const reported = received.flatMap(({ transfers = [] }) => transfers.map(({ proof: _proof, ...one }) => one))
      const byId = (a: { readonly id: string }, b: typeof a) => (a.id < b.id ? -1 : 1)
      expect(reported.toSorted(byId)).toEqual(listed.toSorted(byId))
      expect(held().get("USDC")).toBe(180_250_000n)
    })
  )

  it.scopedLive("are listed to the end", () =>
    Effect.gen(function* () {
      const { calls, provider, sends, settled, since } = yield* atFake()
      for (let at = 1; at <= 53; at += 1) yield* sends(`${at}`)
      yield* settled
      expect(yield* provider.accounts!.incoming!(since)).toHaveLength(53)
      expect(calls.filter(({ path }) => path.includes("pageAfter"))).toHaveLength(1)
    })
  )

  it("fail a list that ends early", async () => {
    const { http } = scripted(({ path }) => (path.includes("deposit") ? replyOf(200, { data: [] }) : replyOf(500, {})))
    const { accounts } = connected(circle, http, circleFake.credentials)
    expect(await Effect.runPromise(Effect.flip(accounts!.incoming!(new Date())))).toMatchObject({ _tag: "NotListed" })
  })
})

describe.skipIf(why !== "")(`what is sent to Circle about addresses, by its contract${why}`, () => {
  const contract = publishedContract(file)
  const path = "/v1/businessAccount/wallets/addresses/deposit"

  it.each([
    ["no key", { idempotencyKey: undefined }],
    ["USDC for a currency", { currency: "USDC" }],
    ["a chain that it does not have", { chain: "TRX" }]
  ])("a body with %s is refused by the contract and by the fake", (_why, change) => {
    const good = { idempotencyKey: derivedUuid("a"), currency: "USD", chain: "ETH" }
    expect(contract.bodyFlaws("POST", path, JSON.stringify(good))).toEqual([])
    expect(Schema.is(AddressBody)(good)).toBe(true)
    const bad = JSON.parse(JSON.stringify({ ...good, ...change })) as unknown
    expect(contract.bodyFlaws("POST", path, JSON.stringify(bad))).not.toEqual([])
    expect(Schema.is(AddressBody)(bad)).toBe(false)
  })

  it.each(["ETH", "POLY", "SOL", "BASE"])("%s", (chain) => {
    expect(contract.callFlaws(createAddress(order, chain))).toEqual([])
  })

  it.scopedLive("every call of the adapter, and what the fake answers to it", () =>
    Effect.gen(function* () {
      const at = yield* atFake()
      yield* at.sends("12", { sender: "Chidi" })
      yield* at.settled
      yield* at.provider.accounts!.incoming!(at.since)
      yield* Effect.forEach(at.mailbox.callbacks, (request) => at.provider.callback(request))
      expect(at.calls.filter(({ path: asked }) => asked.includes("/transfers/"))).toHaveLength(1)
      // The document at hand is an excerpt without the list of deposits.
      const isCircles = ({ path: asked }: { readonly path: string }) =>
        asked.startsWith("/v1/") && !asked.includes("/deposits?")
      keptBy(contract, {
        calls: at.calls.filter(isCircles),
        exchanged: at.exchanged.filter(({ call }) => isCircles(call))
      })
    })
  )
})
