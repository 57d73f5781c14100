/** How the fake of Paystack gives money back. */
import type { FakeRoute, FakeWorld } from "../fakes/Fake.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import { bodyAs, fine, moneyIn, numericId, RefundBody, refundOf, refusal } from "./FakeBodies.ts"
import { found, guarded, movedBy, reading } from "./FakeDesk.ts"

const readRefund = bodyAs(RefundBody)

export const refunds = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books } = world

  const leftOf = (entry: Entry): bigint =>
    books
      .all()
      .filter((one) => one.of === entry.id && one.state !== "failed")
      .reduce((left, one) => left - one.asked.minor, entry.moved.minor)

  const refund = reading(readRefund, (body, fate) => {
    const paid = books.byReference("payin", body.transaction) ?? books.byId(body.transaction)
    if (paid?.state !== "completed") return refusal("Transaction has not been paid", "transaction_not_found")
    if (fate === "declined_provider" || fate === "declined_instrument") {
      return refusal("Your balance is not enough to fulfil this request", "insufficient_balance")
    }
    const money = body.amount === undefined ? paid.moved : moneyIn(body.amount, paid.asked.currency)
    if (money.minor > leftOf(paid)) {
      return refusal("The refund is more than is left of the transaction", "invalid_params")
    }
    // A note is no key here: whoever sends the same refund twice gets two, as at Paystack.
    const name = `${body.merchant_note ?? "refund"}`
    const reference = books.byReference("refund", name) === undefined ? name : `${name} ${books.all().length}`
    const entry = world.take({
      id: numericId(`refund ${reference}`),
      reference,
      kind: "refund",
      money,
      of: paid.id,
      kept: { merchantNote: body.merchant_note ?? "", customerNote: body.customer_note ?? "" }
    })
    return fine("Refund has been queued for processing", refundOf(entry, paid))
  })

  const shapeOfRefund = (entry: Entry) => refundOf(entry, books.byId(entry.of ?? "") ?? entry)

  const listRefunds = guarded(({ query }) => {
    const [from, to] = [query.get("from"), query.get("to")].map((at) => (at === null ? undefined : new Date(at)))
    const within = ({ createdAt }: Entry) =>
      (from === undefined || createdAt >= from) && (to === undefined || createdAt <= to)
    const transaction = query.get("transaction")
    const isOf = ({ of }: Entry) => transaction === null || of === transaction
    const some = books.all().filter((entry) => entry.kind === "refund" && within(entry) && isOf(entry))
    return fine("Refunds retrieved", some.slice(0, Number(query.get("perPage") ?? "50")).map(shapeOfRefund))
  })

  return [
    { method: "POST", path: "/refund", moves: movedBy(readRefund), answer: refund },
    { method: "GET", path: "/refund", answer: listRefunds },
    {
      method: "GET",
      path: "/refund/:id",
      answer: guarded(({ params }) => {
        const entry = books.byId(params.id ?? "")
        const refunded = entry?.kind === "refund" ? entry : undefined
        return found(refunded, "Refund retrieved", shapeOfRefund, "Refund not found")
      })
    }
  ]
}
