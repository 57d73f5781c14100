/** Whether an adapter and its fake agree in the end on what moved, whatever became of the first answers. */
import { Effect } from "effect"
import { expect } from "vitest"
import type { Enquiry } from "../../../src/domain/Outcome.ts"
import type { RunningFake } from "../../fakes/FakeServer.ts"
import type { PaymentOrder, Provider } from "../../../src/providers/port/Provider.ts"
import { attemptOf } from "./TestOrders.ts"

/** Sum that an enquiry reports as moved; zero where it did not complete. */
const reported = (order: Pick<PaymentOrder, "flow">, found: Enquiry): bigint => {
  if (found._tag !== "Report" || found.state !== "completed") return 0n
  const moved = (found.movements ?? []).reduce((sum, { amount }) => sum + amount!.minor, 0n)
  return order.flow === "inbound" ? moved : -moved
}

/** The orders are of one currency; their outcomes, and what is said of each in the end. */
export const agreeOnMovements = (
  { books, provider, settled }: Pick<RunningFake, "books" | "settled"> & { readonly provider: Provider },
  orders: ReadonlyArray<PaymentOrder>
) =>
  Effect.gen(function* () {
    const outcomes = yield* Effect.forEach(orders, provider.initiate, { concurrency: 4 })
    yield* settled
    const found = yield* Effect.forEach(orders, (order) => provider.enquire(attemptOf(order)))
    const moved = orders.reduce((sum, order, at) => sum + reported(order, found[at]!), 0n)
    expect(moved).toBe(books.holdings().get(orders[0]!.money.currency))
    expect(moved).toBeGreaterThan(0n)
    for (const [at, order] of orders.entries()) {
      const isHeld = books.all().some(({ reference }) => reference === order.reference)
      // Agreement about every order: the adapter denies nothing that the fake has, and reports nothing that it lacks.
      if (outcomes[at]!._tag === "Declined") expect(isHeld).toBe(false)
      if (outcomes[at]!._tag === "Accepted") expect(isHeld).toBe(true)
      expect(found[at]!._tag).toBe(isHeld ? "Report" : "Absent")
    }
    return { outcomes, states: found.map((one) => (one._tag === "Report" ? one.state : one._tag)) }
  })
