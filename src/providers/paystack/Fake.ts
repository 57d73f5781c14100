/** A Paystack to try the service with: it checks, remembers and calls back as the real one does, and moves no money. */
import { stringify } from "lossless-json"
import type { Dispute, Fake, FakeCallback, FakeDisputes, FakeRoute, FakeWorld } from "../fakes/Fake.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import { codeWith, disputeOf, fine, number, refundOf, transactionOf, transferOf } from "./FakeBodies.ts"
import { credentials, guarded } from "./FakeDesk.ts"
import { payins } from "./FakePayins.ts"
import { payouts } from "./FakePayouts.ts"
import { refunds } from "./FakeRefunds.ts"
import { signatureOf } from "./PaystackCallbacks.ts"

const routes = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const balances = guarded(() => {
    const held = [...new Map([["NGN", 0n], ...world.books.holdings()])]
    return fine(
      "Balances retrieved",
      held.map(([currency, minor]) => ({ currency, balance: number(minor) }))
    )
  })
  const disputesOf = guarded(({ params }) => {
    const dispute = world.books.byId(params["id"] ?? "")?.kept["dispute"] as Dispute | undefined
    return fine("Dispute retrieved", dispute === undefined ? [] : [disputeOf(dispute)])
  })
  return [
    ...payins(world),
    ...payouts(world),
    ...refunds(world),
    { method: "GET", path: "/dispute/transaction/:id", answer: disputesOf },
    { method: "GET", path: "/balance", answer: balances }
  ]
}

const eventOf = (entry: Entry, world: FakeWorld): { readonly event: string; readonly data: unknown } | undefined => {
  switch (entry.kind) {
    case "payin":
      // Of what failed, Paystack says nothing.
      return entry.state === "completed" ? { event: "charge.success", data: transactionOf(entry) } : undefined
    case "payout": {
      const data = transferOf(entry)
      return entry.state === "completed" || entry.state === "failed" || entry.state === "returned"
        ? { event: `transfer.${data.status}`, data }
        : undefined
    }
    case "refund": {
      const paid = world.books.byId(entry.of ?? "") ?? entry
      const { amount, currency, domain, integration, status } = refundOf(entry, paid)
      // Neither its id nor the note is told; the reference is the processor's own.
      return {
        event: `refund.${status}`,
        data: {
          status,
          transaction_reference: paid.reference,
          refund_reference: status === "pending" ? null : codeWith("TRF_", entry.id),
          amount: `${amount}`,
          currency,
          processor: "instant-transfer",
          customer: { first_name: null, last_name: null, email: paid.kept.email },
          integration,
          domain
        }
      }
    }
  }
}

const signed = (event: { readonly event: string; readonly data: unknown }): FakeCallback => {
  const body = stringify(event) ?? ""
  return {
    headers: {
      "content-type": "application/json",
      "x-paystack-signature": signatureOf(credentials.secret_key, body)
    },
    body
  }
}

const callbackOf = (entry: Entry, world: FakeWorld): FakeCallback | undefined => {
  const event = eventOf(entry, world)
  return event === undefined ? undefined : signed(event)
}

/** Nothing is taken until the merchant gives in, and nothing where its evidence is taken. */
const disputes: FakeDisputes = {
  takes: "when lost",
  callbacksOf: (dispute) => {
    dispute.of.kept["dispute"] = dispute
    const event = dispute.stage === "opened" ? "charge.dispute.create" : "charge.dispute.resolve"
    return [signed({ event, data: disputeOf(dispute) })]
  }
}

export const paystackFake: Fake = { name: "paystack", credentials, routes, callbackOf, disputes }
