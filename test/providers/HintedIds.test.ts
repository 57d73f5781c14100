/** An id that a hint named is looked up with the account's credentials, and believed only with our reference and amount. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ProviderCall, ProviderReply } from "../../src/providers/client/ProviderHttp.ts"
import { coinbase } from "../../src/providers/coinbase/CoinbaseAdapter.ts"
import { coinbaseFake } from "../fakes/CoinbaseFake.ts"
import { flutterwave } from "../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import { paypal } from "../../src/providers/paypal/PaypalAdapter.ts"
import type { PaymentOrder, Provider } from "../../src/providers/port/Provider.ts"
import type { CredentialFields, ThirdParty } from "../../src/providers/port/ThirdParty.ts"
import { stripe } from "../../src/providers/stripe/StripeAdapter.ts"
import { connected } from "./support/ConnectedAdapter.ts"
import { amount, attemptOf, orderOf, recipientNamed } from "./support/TestOrders.ts"
import { replyOf, scripted } from "./support/ScriptedReplies.ts"

type Answer = (call: ProviderCall) => ProviderReply | undefined

interface Vendor {
  readonly name: string
  readonly order: PaymentOrder
  readonly at: (answer: Answer) => Provider
  readonly id: string
  /** The object of the id; without the vendor finding anything by our reference. */
  readonly shows: (about: { readonly reference: string; readonly amount: string }) => Answer
  readonly state: string
  /** Our amount in the vendor's format, and another; none where the look-up compares no amount. */
  readonly amounts: readonly [string, string | undefined]
}

const at =
  <Fields extends CredentialFields>(party: ThirdParty<Fields>, credentials: Readonly<Record<string, string>>) =>
  (answer: Answer): Provider =>
    connected(party, scripted((call) => answer(call) ?? replyOf(404, { message: "No such thing" })).http, credentials)

const card = orderOf({ money: amount("100.00", "EUR") })
const paidOut = (about: Parameters<typeof orderOf>[0]) =>
  orderOf({ flow: "outbound", payer: null, recipient: recipientNamed("Ada Obi"), ...about })
const usdc = { method: "crypto", country: "KE", money: amount("100", "USDC") } as const
const accountId = String(coinbaseFake.credentials["account_id"])

const vendors: ReadonlyArray<Vendor> = [
  {
    name: "a payment of Stripe's",
    order: card,
    at: at(stripe, { secret_key: "sk_test_ours" }),
    id: "pi_1",
    shows:
      ({ amount: value, reference }) =>
      ({ path }) => {
        if (path !== "/v1/payment_intents/pi_1?expand%5B%5D=latest_charge")
          return replyOf(200, { object: "list", data: [], has_more: false })
        const intent = {
          id: "pi_1",
          status: "succeeded",
          currency: "eur",
          latest_charge: "ch_1",
          metadata: { reference }
        }
        return replyOf(200, { ...intent, amount: Number(value), amount_received: 10_000 })
      },
    state: "completed",
    amounts: ["10000", "100"]
  },
  {
    name: "a transaction of Flutterwave's",
    order: orderOf({ method: "bank_transfer", country: "NG", money: amount("100.00", "NGN") }),
    at: at(flutterwave, { secret_key: "FLWSECK_TEST-ours" }),
    id: "285959875",
    shows:
      ({ amount: value, reference }) =>
      ({ path }) =>
        path === "/v3/transactions/285959875/verify"
          ? replyOf(200, {
              status: "success",
              data: { id: 285_959_875, tx_ref: reference, status: "successful", amount: Number(value), currency: "NGN" }
            })
          : replyOf(400, { status: "error", message: "No transaction was found for this id" }),
    state: "completed",
    amounts: ["100", "1"]
  },
  {
    name: "a transfer of Flutterwave's",
    order: paidOut({ method: "bank_transfer", country: "NG", money: amount("100.00", "NGN") }),
    at: at(flutterwave, { secret_key: "FLWSECK_TEST-ours" }),
    id: "33286",
    shows:
      ({ reference }) =>
      ({ path }) =>
        replyOf(200, {
          status: "success",
          data: path === "/v3/transfers/33286" ? { id: 33_286, reference, status: "SUCCESSFUL" } : []
        }),
    state: "completed",
    amounts: ["100", undefined]
  },
  {
    name: "a transfer of Coinbase's",
    order: paidOut(usdc),
    at: at(coinbase, coinbaseFake.credentials as Record<string, string>),
    id: "transfer_1",
    shows:
      ({ reference }) =>
      ({ path }) =>
        path === "/v2/transfers/transfer_1"
          ? replyOf(200, {
              transferId: "transfer_1",
              status: "completed",
              source: { accountId },
              metadata: { reference }
            })
          : replyOf(200, { transfers: [] }),
    state: "completed",
    amounts: ["100", undefined]
  },
  {
    name: "a deposit destination of Coinbase's",
    order: orderOf(usdc),
    at: at(coinbase, coinbaseFake.credentials as Record<string, string>),
    id: "depositDestination_1",
    shows:
      ({ reference }) =>
      ({ path }) =>
        path === "/v2/deposit-destinations/depositDestination_1"
          ? replyOf(200, { depositDestinationId: "depositDestination_1", accountId, metadata: { reference } })
          : replyOf(200, { transfers: [], depositDestinations: [] }),
    state: "pending",
    amounts: ["100", undefined]
  },
  {
    name: "a payout of PayPal's",
    order: paidOut({ method: "wallet", country: "US", money: amount("9.87", "USD") }),
    at: at(paypal, { client_id: "public", client_secret: "ours" }),
    id: "5UXD2E8A7EBQJ",
    shows:
      ({ amount: value, reference }) =>
      ({ path }) => {
        if (path === "/v1/oauth2/token") return replyOf(200, { access_token: "A21", expires_in: 32_400 })
        if (!path.endsWith("/5UXD2E8A7EBQJ")) return undefined
        const payout_item = { sender_item_id: reference, amount: { currency: "USD", value } }
        const batch_header = { payout_batch_id: "5UXD2E8A7EBQJ", batch_status: "SUCCESS" }
        return replyOf(200, { batch_header, items: [{ transaction_status: "SUCCESS", payout_item }] })
      },
    state: "completed",
    amounts: ["9.87", "98.70"]
  }
]

describe("an id that a hint named", () => {
  for (const { amounts, at: connectedTo, id, name, order, shows, state } of vendors) {
    const [own, other] = amounts
    const asked = (reference: string, value: string, hintedIds: ReadonlyArray<string>) =>
      connectedTo(shows({ reference, amount: value })).enquire(attemptOf(order, { hintedIds }))

    it.effect(`leads to ${name}, which is ours`, () =>
      Effect.gen(function* () {
        const found = { _tag: "Report", state, providerPaymentId: id }
        expect(yield* asked(order.reference, own, [id])).toMatchObject(found)
        expect(yield* asked(order.reference, own, ["forged", id, "forged too"])).toMatchObject(found)
      })
    )

    it.effect(`does not lead to ${name} of another reference or amount, and nothing is found without it`, () =>
      Effect.gen(function* () {
        expect(yield* asked("another", own, [id])).not.toMatchObject({ _tag: "Report" })
        if (other !== undefined)
          expect(yield* asked(order.reference, other, [id])).not.toMatchObject({ _tag: "Report" })
        expect(yield* asked(order.reference, own, [])).not.toMatchObject({ _tag: "Report" })
      })
    )
  }

  it.effect("does not lead to a transfer of another account of the same project", () =>
    Effect.gen(function* () {
      const order = paidOut(usdc)
      const source = { accountId: "account_00000000-0000-4000-8000-000000000009" }
      const transfer = { transferId: "transfer_1", status: "failed", source, metadata: { reference: order.reference } }
      const provider = at(
        coinbase,
        coinbaseFake.credentials as Record<string, string>
      )(({ path }) => replyOf(200, path === "/v2/transfers/transfer_1" ? transfer : { transfers: [] }))
      expect(yield* provider.enquire(attemptOf(order, { hintedIds: ["transfer_1"] }))).toMatchObject({ _tag: "Absent" })
    })
  )
})
