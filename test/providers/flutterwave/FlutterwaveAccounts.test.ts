/** Account numbers of Flutterwave against its fake. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import type { Callback } from "../../../src/providers/port/Callback.ts"
import { flutterwave } from "../../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import { flutterwaveFake } from "../../fakes/FlutterwaveFake.ts"
import { againstFake, type Connection } from "../support/AgainstFake.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atFlutterwave } from "./FlutterwaveTestOrders.ts"

const order = {
  reference: "0199c2a6-1f02-7a11-8c54-5e0d9b7a6c31",
  currency: CurrencyCode.make("NGN"),
  country: "NG",
  holder: { name: "Ada Obi", email: "ada@example.com", phone: "+2348012345678" }
}

const headers = {
  authorization: `Bearer ${flutterwaveFake.credentials["secret_key"]}`,
  "content-type": "application/json"
}

const posts = (url: string, path: string, body: object) =>
  Effect.promise(() => fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }))

const atFake = (connection: Connection = {}) =>
  Effect.gen(function* () {
    const running = yield* againstFake(flutterwave, flutterwaveFake, connection)
    const answer = yield* running.provider.accounts!.issue(order)
    if (answer._tag !== "Issued") throw new Error(answer.reason)
    const sends = (amount: string, sender: string, about: object = {}) =>
      posts(running.url, "/demo-bank/transfers", {
        ...{ account_number: answer.details["account_number"], amount, sender },
        ...about
      })
    return { ...running, answer, sends, since: new Date(Date.now() - 60_000) }
  })

const transfersIn = (received: ReadonlyArray<Callback>) =>
  received.flatMap(({ transfers = [] }) => transfers.map(({ proof: _proof, ...one }) => one))

describe("account numbers of Flutterwave", () => {
  it.scopedLive("are permanent, under a reference of the virtual account", () =>
    Effect.gen(function* () {
      const { answer, calls, provider } = yield* atFake()
      expect(answer.details).toEqual({
        account_name: "Ada Obi",
        account_number: "7800000000",
        bank_name: "WEMA BANK"
      })
      expect(answer.providerReference).toBe(`account-${order.reference}`)
      expect(JSON.parse(calls[0]!.body!)).toEqual({
        email: "ada@example.com",
        is_permanent: true,
        bvn: "22222222222",
        tx_ref: `account-${order.reference}`,
        narration: "Ada Obi",
        firstname: "Ada",
        lastname: "Obi",
        phonenumber: "2348012345678"
      })
      const again = yield* provider.accounts!.issue(order)
      expect(again).toMatchObject({ providerReference: answer.providerReference })
    })
  )

  it.scopedLive("need a BVN of the platform, and one that Flutterwave takes", () =>
    Effect.gen(function* () {
      const { calls, provider } = yield* againstFake(flutterwave, flutterwaveFake, {
        credentials: ({ bvn: _bvn, ...rest }) => rest
      })
      expect(yield* provider.accounts!.issue(order)).toMatchObject({
        _tag: "NotIssued",
        reason: expect.stringContaining("FLUTTERWAVE_BVN")
      })
      expect(calls).toEqual([])
      const wrong = yield* againstFake(flutterwave, flutterwaveFake, { credentials: (all) => ({ ...all, bvn: "1" }) })
      expect(yield* wrong.provider.accounts!.issue(order)).toMatchObject({ _tag: "NotIssued" })
    })
  )

  it.each([
    [400, { status: "error", message: "BVN is required for static account number" }, "NotIssued"],
    [400, { status: "error", message: "tx_ref already exists" }, "MaybeIssued"],
    [401, { status: "error", message: "Invalid authorization key" }, "MaybeIssued"],
    [500, {}, "MaybeIssued"],
    [200, { status: "success", data: {} }, "MaybeIssued"]
  ])("answered with %i %j are %s", async (status, body, tag) => {
    const { http } = scripted(() => replyOf(status, body))
    expect(await Effect.runPromise(atFlutterwave(http).accounts!.issue(order))).toMatchObject({ _tag: tag })
  })

  it.scopedLive("show transfers by callback and by list under the same id, and refunds as reversals", () =>
    Effect.gen(function* () {
      const { answer, held, mailbox, provider, sends, settled, since, url } = yield* atFake()
      yield* sends("1500", "Chidi")
      yield* sends("700", "Obi", { account_number: "0000000000" })
      yield* sends("5", "Ngozi", { currency: "USD" })
      yield* settled
      const listed = yield* provider.accounts!.incoming!(since)
      const ours = { kind: "collection", providerReference: answer.providerReference, sender: null }
      expect(listed.map(({ amount, id: _id, ...one }) => ({ ...one, amount: amount.toString() })).toReversed()).toEqual(
        [
          { ...ours, amount: "1500.00 NGN" },
          { ...ours, amount: "700.00 NGN", providerReference: "account-of-somebody-else" },
          { ...ours, amount: "5.00 USD" }
        ]
      )
      const received = yield* Effect.forEach(mailbox.callbacks, (request) => provider.callback(request))
      expect(received.flatMap(({ events }) => events)).toEqual([])
      const bySender = (a: { readonly sender: string | null }, b: typeof a) => (a.sender! < b.sender! ? -1 : 1)
      expect(transfersIn(received).toSorted(bySender)).toEqual(
        listed
          .toReversed()
          .map((one, at) => ({ ...one, sender: ["Chidi", "Obi", "Ngozi"][at]! }))
          .toSorted(bySender)
      )
      expect(held().get("NGN")).toBe(220_000n)
      const paid = listed.at(-1)!
      yield* posts(url, `/v3/transactions/${paid.id}/refund`, { amount: "500", comments: "Sent twice" })
      yield* settled
      const after = yield* provider.accounts!.incoming!(since)
      expect(after.filter(({ kind }) => kind === "reversal")).toMatchObject([
        { providerReference: answer.providerReference, sender: "Chidi", amount: { minor: 50_000n } }
      ])
      expect(held().get("NGN")).toBe(170_000n)
    })
  )

  it.scopedLive("are listed to the end, and no further back than asked", () =>
    Effect.gen(function* () {
      const { calls, provider, sends, settled, since } = yield* atFake()
      for (let at = 1; at <= 23; at += 1) yield* sends(`${at * 100}`, "Chidi")
      yield* settled
      expect(yield* provider.accounts!.incoming!(since)).toHaveLength(23)
      const read = calls.length
      expect(yield* provider.accounts!.incoming!(new Date(Date.now() + 60_000))).toHaveLength(10)
      expect(calls.slice(read).filter(({ path }) => path.startsWith("/v3/transactions"))).toHaveLength(1)
    })
  )

  it("are listed soon where a callback cannot be looked up, and take no card under their reference", async () => {
    const callback = (http: Parameters<typeof atFlutterwave>[0]) =>
      Effect.runPromise(
        atFlutterwave(http).callback({
          ...{ method: "POST", path: "/callbacks/flutterwave", query: {}, authority: "pay.example.com" },
          headers: { "verif-hash": flutterwaveFake.credentials["webhook_secret"] },
          body: Buffer.from(JSON.stringify({ event: "charge.completed", data: { id: 7, tx_ref: "account-1" } }))
        })
      )
    expect(await callback(scripted(() => replyOf(500, {})).http)).toEqual({ events: [], listTransfers: true })
    const data = { id: 7, tx_ref: "account-1", status: "successful", amount: 10, currency: "NGN", payment_type: "card" }
    const { http } = scripted(() => replyOf(200, { status: "success", data }))
    expect(transfersIn([await callback(http)])).toMatchObject([{ id: "7", providerReference: null }])
    const failed = scripted(() => replyOf(200, { status: "success", data: { ...data, status: "failed" } }))
    expect(await callback(failed.http)).toEqual({ events: [], transfers: [] })
  })
})
