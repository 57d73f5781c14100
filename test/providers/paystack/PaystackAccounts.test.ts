/** Dedicated accounts of Paystack against its fake. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { paystack } from "../../../src/providers/paystack/PaystackAdapter.ts"
import { taggedAddress } from "../../../src/providers/paystack/PaystackAccounts.ts"
import { paystackFake } from "../../fakes/PaystackFake.ts"
import { againstFake } from "../support/AgainstFake.ts"

const order = {
  reference: "0199c2a6-1f02-7a11-8c54-5e0d9b7a6c31",
  currency: CurrencyCode.make("NGN"),
  country: "NG",
  holder: { name: "Ada Obi", email: "ada@example.com", phone: "+2348012345678" }
}

const sends = (url: string, body: object) =>
  Effect.promise(() =>
    fetch(`${url}/demo-bank/transfers`, {
      method: "POST",
      headers: { authorization: "Bearer sk_test_corridor_fake", "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  )

describe("dedicated accounts of Paystack", () => {
  it.scopedLive("are issued once for a virtual account, and refused without a phone number", () =>
    Effect.gen(function* () {
      const { calls, provider } = yield* againstFake(paystack, paystackFake)
      const first = yield* provider.accounts!.issue(order)
      expect(first).toMatchObject({
        _tag: "Issued",
        details: { account_number: expect.stringMatching(/^\d{10}$/), bank_name: "Test Bank" }
      })
      expect(yield* provider.accounts!.issue(order)).toEqual(first)
      expect(calls.filter(({ path }) => path === "/dedicated_account")).toHaveLength(1)
      const other = yield* provider.accounts!.issue({ ...order, reference: "another" })
      expect(other).not.toEqual(first)
      const without = { ...order, reference: "third", holder: { ...order.holder, phone: null } }
      expect(yield* provider.accounts!.issue(without)).toMatchObject({
        _tag: "NotIssued",
        reason: expect.stringContaining("phone number")
      })
      expect(taggedAddress(order.holder, "a")).toMatch(/^ada\+[0-9a-f]{12}@example\.com$/)
    })
  )

  it.scopedLive("show transfers by callback and by list under the same id", () =>
    Effect.gen(function* () {
      const { held, mailbox, provider, settled, url } = yield* againstFake(paystack, paystackFake)
      const since = new Date(Date.now() - 60_000)
      const answer = yield* provider.accounts!.issue(order)
      if (answer._tag !== "Issued") throw new Error(answer.reason)
      const { account_number } = answer.details
      yield* sends(url, { account_number, amount: "150000", sender: "Chidi", reference: "demo-1" })
      yield* sends(url, { account_number: "0000000000", amount: "70000", sender: "Obi", reference: "demo-2" })
      yield* settled
      const listed = yield* provider.accounts!.incoming!(since)
      expect(
        listed.map(({ amount, kind, providerReference, sender }) => ({
          ...{ kind, providerReference, sender, amount: amount.toString() }
        }))
      ).toEqual([
        { kind: "collection", providerReference: answer.providerReference, sender: "Chidi", amount: "1500.00 NGN" },
        { kind: "collection", providerReference: "CUS_of_somebody_else", sender: "Obi", amount: "700.00 NGN" }
      ])
      const received = yield* Effect.forEach(mailbox.callbacks, (request) => provider.callback(request))
      expect(received.flatMap(({ events }) => events)).toEqual([])
      const reported = received.flatMap(({ transfers = [] }) => transfers.map(({ proof: _proof, ...one }) => one))
      expect(reported.toSorted((a, b) => (a.sender! < b.sender! ? -1 : 1))).toEqual(listed)
      expect(held().get("NGN")).toBe(220_000n)
      yield* Effect.promise(() =>
        fetch(`${url}/refund`, {
          method: "POST",
          headers: { authorization: "Bearer sk_test_corridor_fake", "content-type": "application/json" },
          body: JSON.stringify({ transaction: "demo-1", amount: "50000" })
        })
      )
      yield* settled
      const after = yield* provider.callback(mailbox.callbacks.at(-1)!)
      expect(after).toEqual({ events: [], listTransfers: true })
      const all = yield* provider.accounts!.incoming!(since)
      expect(all.filter(({ kind }) => kind === "reversal")).toMatchObject([
        { providerReference: answer.providerReference, sender: "Chidi", amount: { minor: 50_000n } }
      ])
      expect(held().get("NGN")).toBe(170_000n)
    })
  )
})
