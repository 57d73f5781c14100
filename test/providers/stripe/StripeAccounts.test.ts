/** Bank details of Stripe against its fake: issued once, money found once, and moved on from the cash balance. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { createCustomer, transferOf } from "../../../src/providers/stripe/StripeAccounts.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { formIn } from "../../fakes/StripeFakeForms.ts"
import { stripeFake } from "../../fakes/StripeFake.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { publishedContract, unpublished } from "../support/PublishedContract.ts"

const FILE = "stripe.openapi.json"

const order = {
  reference: "0199c2a6-1f02-7a11-8c54-5e0d9b7a6c31",
  currency: CurrencyCode.make("EUR"),
  country: "DE",
  holder: { name: "Acme EUR", email: "acme@example.com", phone: null }
}

const helper = (url: string, customer: string, action: string, form: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/v1/test_helpers/customers/${customer}/${action}`, {
      method: "POST",
      headers: {
        authorization: "Bearer sk_test_fake_of_corridor",
        "content-type": "application/x-www-form-urlencoded"
      },
      body: new URLSearchParams(form).toString()
    })
    return (await answer.json()) as { readonly body: string; readonly headers: Record<string, string> }
  })

describe("bank details of Stripe", () => {
  it.scopedLive("are issued once for a virtual account, in every currency that is declared", () =>
    Effect.gen(function* () {
      const { calls, provider } = yield* againstFake(stripe, stripeFake)
      const first = yield* provider.accounts!.issue(order)
      expect(first).toMatchObject({ _tag: "Issued", details: { account_number: expect.stringMatching(/^IE/) } })
      expect(yield* provider.accounts!.issue(order)).toEqual(first)
      expect(calls.filter(({ method, path }) => method === "POST" && path === "/v1/customers")).toHaveLength(1)
      for (const currency of provider.accounts!.currencies) {
        const one = { ...order, reference: currency, currency: CurrencyCode.make(currency) }
        expect((yield* provider.accounts!.issue(one))._tag, currency).toBe("Issued")
      }
    })
  )

  it.scopedLive("show transfers and returns under one id each, and move the cash balance on", () =>
    Effect.gen(function* () {
      const at = yield* againstFake(stripe, stripeFake)
      const { calls, mailbox, provider, settled, url } = at
      const since = new Date(Date.now() - 60_000)
      const answer = yield* provider.accounts!.issue(order)
      if (answer._tag !== "Issued") throw new Error(answer.reason)
      const customer = answer.providerReference
      yield* helper(url, customer, "fund_cash_balance", { amount: "150000", currency: "eur" })
      yield* settled
      const [transfer, ...others] = yield* provider.accounts!.incoming!(since)
      expect(others).toEqual([])
      expect(transfer).toMatchObject({
        kind: "collection",
        providerReference: customer,
        sender: "Sample Business GmbH"
      })
      expect(transfer!.amount.toString()).toBe("1500.00 EUR")
      const swept = () => calls.filter(({ operation }) => operation === "move cash balance").length
      expect(swept()).toBe(1)
      yield* provider.accounts!.incoming!(since)
      expect(swept()).toBe(1)
      const [received] = yield* Effect.forEach(mailbox.callbacks, (request) => provider.callback(request))
      expect(received).toMatchObject({ events: [], transfers: [transfer], listTransfers: true })
      expect(at.held().get("EUR")).toBe(150_000n)
      const { body, headers } = yield* helper(url, customer, "return_cash_balance")
      const returned = yield* provider.callback({ ...mailbox.callbacks[0]!, headers, body: Buffer.from(body) })
      expect(returned.transfers).toMatchObject([{ kind: "reversal", providerReference: customer }])
      const all = yield* provider.accounts!.incoming!(since)
      expect(all.map(({ kind }) => kind)).toEqual(["collection", "reversal"])
      expect(all[1]!.id).toBe(returned.transfers![0]!.id)
      expect(at.held().get("EUR") ?? 0n).toBe(0n)
    })
  )

  it("keep the sign of an amount that contradicts its type", () => {
    const moved = (type: string, net_amount: string) => {
      const object = "customer_cash_balance_transaction" as const
      return transferOf({ id: "ccsbtxn_1", object, type, currency: "eur", customer: "cus_1", net_amount })?.amount.minor
    }
    expect([moved("funded", "500"), moved("funded", "-500")]).toEqual([500n, -500n])
    expect([moved("return_initiated", "-500"), moved("return_initiated", "500")]).toEqual([500n, -500n])
    expect([moved("return_canceled", "500"), moved("funded", "--500")]).toEqual([500n, undefined])
  })

  it.scopedLive("leave out transfers of customers that single payments have", () =>
    Effect.gen(function* () {
      const { http, provider, settled, url } = yield* againstFake(stripe, stripeFake)
      const made = yield* http.call({
        ...createCustomer(order),
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          authorization: "Bearer sk_test_fake_of_corridor"
        },
        body: "name=Payer"
      })
      const { id } = made.json as { readonly id: string }
      yield* helper(url, id, "fund_cash_balance", { amount: "5000", currency: "eur" })
      yield* settled
      expect(yield* provider.accounts!.incoming!(new Date(0))).toEqual([])
    })
  )

  it.scopedLive("end at a time that is named", () =>
    Effect.gen(function* () {
      const { provider, settled, url } = yield* againstFake(stripe, stripeFake)
      const answer = yield* provider.accounts!.issue(order)
      if (answer._tag !== "Issued") throw new Error(answer.reason)
      yield* helper(url, answer.providerReference, "fund_cash_balance", { amount: "5000", currency: "eur" })
      yield* settled
      const at = (seconds: number) => new Date(Date.now() + seconds * 1000)
      expect(yield* provider.accounts!.incoming!(at(-120), at(-60))).toEqual([])
      expect(yield* provider.accounts!.incoming!(at(-120), at(60))).toHaveLength(1)
    })
  )

  it.scopedLive("are found although their customer was deleted, and said to be uncertain", () =>
    Effect.gen(function* () {
      const { http, mailbox, provider, settled, url } = yield* againstFake(stripe, stripeFake)
      const answer = yield* provider.accounts!.issue(order)
      if (answer._tag !== "Issued") throw new Error(answer.reason)
      const customer = answer.providerReference
      yield* helper(url, customer, "fund_cash_balance", { amount: "5000", currency: "eur" })
      yield* settled
      const headers = { authorization: "Bearer sk_test_fake_of_corridor" }
      const { body: _body, ...call } = createCustomer(order)
      yield* http.call({ ...call, method: "DELETE", path: `/v1/customers/${customer}`, headers })
      const deleted = { providerReference: customer, kind: "collection", isUncertain: true }
      expect(yield* provider.accounts!.incoming!(new Date(0))).toMatchObject([deleted])
      const [received] = yield* Effect.forEach(mailbox.callbacks, (request) => provider.callback(request))
      expect(received?.transfers).toMatchObject([deleted])
      // Details of the same account are issued to another customer.
      const again = yield* provider.accounts!.issue(order)
      expect(again).toMatchObject({ _tag: "Issued", providerReference: expect.not.stringMatching(customer) })
      expect(yield* provider.accounts!.issue(order)).toEqual(again)
    })
  )

  it.skipIf(unpublished(FILE) !== "")(`ask for a customer as the contract has it${unpublished(FILE)}`, () => {
    const contract = publishedContract(FILE, formIn)
    expect(contract.callFlaws(createCustomer(order))).toEqual([])
    expect(contract.callFlaws({ ...createCustomer(order), body: "name[]=a" })).not.toEqual([])
  })
})
