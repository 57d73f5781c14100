/** What the fake of Stripe does with orders: takes them, declines them, calls them off, gives them back. */
import { Either } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import type { FakeReply, FakeRequest, FakeWorld } from "../fakes/Fake.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import type { Fate } from "../fakes/Magic.ts"
import { Confirmation, type FakeError, NewCustomer, type NewIntent, NewRefund, refused, taken } from "./FakeForms.ts"
import {
  authenticates,
  chargeOf,
  declineOf,
  genericDecline,
  idOf,
  intentOf,
  isKnownMethod,
  type Kept,
  keptOf,
  refundOf,
  secretOf,
  statusOf
} from "./FakeIntents.ts"
import { missing, moneyOf, ok, wrong } from "./FakeRoutes.ts"

const confirmation = taken(Confirmation)
const newRefund = taken(NewRefund)
const newCustomer = taken(NewCustomer)

export const makePayments = (world: FakeWorld) => {
  const { books, url } = world
  const customers = new Set<string>()

  const shown = (entry: Entry) => intentOf(entry, url)

  const refundedOf = (paid: Entry): bigint =>
    books
      .all()
      .filter(({ kind, of, state }) => kind === "refund" && of === paid.id && state !== "failed")
      .reduce((sum, { asked }) => sum + asked.minor, 0n)

  /** With the whole charge where the request asks for it. */
  const expanded = (query: URLSearchParams) => (entry: Entry) => {
    const intent = shown(entry)
    const isWanted = query.getAll("expand[]").some((name) => name.endsWith("latest_charge"))
    const isPaid = intent["latest_charge"] !== null
    return isWanted && isPaid ? { ...intent, latest_charge: chargeOf(entry, refundedOf(entry)) } : intent
  }

  const cardRefused = (error: FakeError, entry?: Entry): FakeReply =>
    refused(402, { ...error, ...(entry === undefined ? {} : { payment_intent: shown(entry) }) })

  const create = (request: FakeRequest, intent: NewIntent, fate: Fate): FakeReply => {
    const money = moneyOf(intent.amount, intent.currency)
    if (money === undefined) return wrong(400, `Invalid currency: ${intent.currency}`)
    if (!isKnownMethod(intent)) return missing(intent.payment_method ?? "")
    if (fate === "declined_provider") return wrong(400, "The amount is too large.", "amount_too_large")
    const isConfirmed = intent.confirm === "true"
    const isTransfer = intent.payment_method_data?.type === "customer_balance"
    if (isTransfer && !customers.has(intent.customer ?? "")) return missing(intent.customer ?? "")
    if (isConfirmed && intent.payment_method === undefined && intent.payment_method_data === undefined) {
      return wrong(400, "There is no payment method to confirm it with.", "payment_intent_unexpected_state")
    }
    const decline = declineOf(intent) ?? (fate === "declined_instrument" ? genericDecline : undefined)
    if (isConfirmed && decline !== undefined) return cardRefused(decline)
    const reference = intent.metadata?.["reference"] ?? request.headers["idempotency-key"] ?? sha256Hex(request.body)
    const kept: Kept = {
      intent,
      confirmed: isConfirmed,
      returnUrl: intent.return_url ?? null,
      lastError: null,
      canceled: false
    }
    const waits = !isConfirmed || authenticates(intent)
    return ok(shown(world.take({ id: idOf("pi", reference), reference, kind: "payin", money, waits, kept })))
  }

  /** As a page with Stripe's fields does it, with the secret of the intent. */
  const confirm = (entry: Entry, body: string): FakeReply =>
    Either.merge(
      Either.map(confirmation(body), (paying) => {
        if (paying.client_secret !== undefined && paying.client_secret !== secretOf(entry.id)) return missing(entry.id)
        if (statusOf(entry) !== "requires_payment_method" || entry.state !== "waiting") {
          return wrong(400, "It cannot be confirmed.", "payment_intent_unexpected_state")
        }
        if (!isKnownMethod(paying)) return missing(paying.payment_method ?? "")
        const kept = keptOf(entry)
        const decline = declineOf(paying) ?? (entry.fate === "declined_instrument" ? genericDecline : undefined)
        kept.lastError = decline ?? null
        if (decline !== undefined) return cardRefused(decline, entry)
        kept.confirmed = true
        kept.returnUrl = paying.return_url ?? kept.returnUrl
        if (!authenticates(paying)) world.approve(entry)
        return ok(shown(entry))
      })
    )

  const cancel = (entry: Entry): FakeReply => {
    const isOpen = statusOf(entry).startsWith("requires_") && entry.state !== "failed"
    if (isOpen || keptOf(entry).canceled) {
      keptOf(entry).canceled = true
      entry.state = "failed"
      return ok(shown(entry))
    }
    return refused(400, {
      type: "invalid_request_error",
      code: "payment_intent_unexpected_state",
      message: `It cannot be canceled: it is ${statusOf(entry)}.`,
      payment_intent: shown(entry)
    })
  }

  const refundable = ({ charge, payment_intent }: Readonly<Record<string, unknown>>): Entry | undefined =>
    typeof payment_intent === "string"
      ? books.byId(payment_intent)
      : books.all().find(({ id, kind }) => kind === "payin" && idOf("ch", id) === charge)

  const refund = (request: FakeRequest, fate: Fate): FakeReply =>
    Either.merge(
      Either.map(newRefund(request.body), ({ amount, charge, metadata, payment_intent }) => {
        const paid = refundable({ charge, payment_intent })
        if (paid?.kind !== "payin") return missing(payment_intent ?? charge ?? "")
        if (paid.state !== "completed") return wrong(400, "There is nothing to give back.")
        const left = paid.moved.minor - refundedOf(paid)
        if (left === 0n) return wrong(400, "All of it was given back before.", "charge_already_refunded")
        const money = amount === undefined ? paid.moved : moneyOf(amount, paid.moved.currency)
        if (money === undefined || money.minor > left) return wrong(400, "There is not so much left to give back.")
        if (fate === "declined_provider" || fate === "declined_instrument") {
          return wrong(400, "The balance does not hold so much.", "balance_insufficient")
        }
        const reference = metadata?.["reference"] ?? request.headers["idempotency-key"] ?? sha256Hex(request.body)
        const kept = { metadata: metadata ?? {} }
        return ok(
          refundOf(world.take({ id: idOf("re", reference), reference, kind: "refund", money, of: paid.id, kept }))
        )
      })
    )

  const customer = (request: FakeRequest): FakeReply =>
    Either.merge(
      Either.map(newCustomer(request.body), (about) => {
        const id = idOf("cus", request.headers["idempotency-key"] ?? request.body)
        const created = Math.floor(world.now().getTime() / 1000)
        customers.add(id)
        return ok({ id, object: "customer", created, livemode: false, metadata: {}, ...about })
      })
    )

  return { expanded, create, confirm, cancel, refund, refundable, customer }
}
