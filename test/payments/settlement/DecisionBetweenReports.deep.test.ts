/**
 * Operators decide on items before all transfers of a payment were reported. Money that comes later leaves nothing
 * lacking that the decision did not cause: an organisation is not credited twice.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { type Movement, signOf } from "../../../src/domain/Movement.ts"
import { unallocatedSums } from "../../../src/payments/store/UnallocatedMoney.ts"
import { movement, onRamp, openBooks, payout, report, shillings, tether } from "../support/SettlementRules.ts"

const ASKED = 1500
const USDT = 11_600_000
const TURNS = 20
const RUNS = 100

type Opened = ReturnType<typeof openBooks>

interface ReportStep {
  readonly of: "payment" | "settlement" | "refund"
  readonly movement: Movement
  readonly state: "completed" | "returned" | "processing"
}

type Step = ReportStep | { readonly decides: number } | { readonly refund: number }

/** Sums by currency. */
const lackingIn = (books: Opened): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const { money } of unallocatedSums(books.payment(), books.books())) {
    if (money.isNegative) sums.set(money.currency, (sums.get(money.currency) ?? 0n) - money.minor)
  }
  return sums
}

/** Currencies in which more is lacking once the report is recorded. */
const worseBy = (books: Opened, { movement: one, of, state }: ReportStep): ReadonlyArray<string> => {
  const before = lackingIn(books)
  books.record(report(state, one), of)
  return [...lackingIn(books)].flatMap(([currency, minor]) => (minor > (before.get(currency) ?? 0n) ? [currency] : []))
}

const amounts = fc.constantFrom(100, 400, 500, 1000, 1100, ASKED, 1600)

const reportSteps = (
  of: ReportStep["of"],
  kinds: ReadonlyArray<Movement["kind"]>,
  money: (amount: number) => Movement["amount"] = shillings
) =>
  fc
    .record({
      kind: fc.constantFrom(...kinds),
      id: fc.constantFrom("a", "b", "c"),
      amount: amounts,
      waits: fc.boolean()
    })
    .map(({ amount, id, kind, waits }): ReportStep => {
      const isBack = kind === "reversal" || kind === "reinstatement" || (kind === "refund" && of === "payment")
      const state = isBack ? "returned" : waits ? "processing" : "completed"
      return { of, movement: movement(kind, `${of} ${id} ${amount}`, money(amount)!), state }
    })

const decision = fc.nat(3).map((decides) => ({ decides }))
const refund = fc.constantFrom(400, 500, ASKED).map((amount) => ({ refund: amount }))

const plays = (open: () => Opened) => (steps: ReadonlyArray<Step>) => {
  const [decided, undecided] = [open(), open()]
  const log: Array<string> = []
  for (const step of steps) {
    if ("decides" in step) decided.decide("completed", step.decides)
    if ("refund" in step) {
      const isRefundable = [decided, undecided].every(
        (books) => books.payment().status === "completed" && books.payment().refunds.length === 0
      )
      if (isRefundable) for (const books of [decided, undecided]) books.refund("refund", step.refund)
    }
    const words =
      "movement" in step ? [step.of, step.movement.kind, String(step.movement.amount)] : Object.entries(step)
    const [worse, otherwise] =
      "movement" in step ? [worseBy(decided, step), worseBy(undecided, step)] : ([[], []] as const)
    log.push(`${words.join(" ")}: ${decided.payment().status}, ${decided.waiting().join(", ")}`)
    const isIn = "movement" in step && signOf(step.movement.kind) === 1n
    if (isIn && worse.some((currency) => !otherwise.includes(currency))) expect.fail(log.join("\n"))
  }
}

const holds = (name: string, open: () => Opened, ...steps: ReadonlyArray<fc.Arbitrary<Step>>) =>
  it(name, async () => {
    for (let turn = 0; turn < TURNS; turn++) {
      fc.assert(fc.property(fc.array(fc.oneof(decision, ...steps), { maxLength: 8 }), plays(open)), { numRuns: RUNS })
      await nextTurn()
    }
  })

const inTether = (amount: number) => tether(Math.round((amount * USDT) / ASKED))
const ofPayin = reportSteps("payment", ["collection", "refund", "reversal", "reinstatement"])

describe("decisions between transfers give nothing twice", () => {
  holds("of a payin", () => openBooks(ASKED), ofPayin)
  holds(
    "of a payin in another currency than its organisation's",
    () => openBooks(ASKED, { target: tether(USDT) }),
    ofPayin
  )
  holds(
    "of a payin and its refund",
    () => openBooks(ASKED),
    reportSteps("payment", ["collection", "reversal"]),
    reportSteps("refund", ["refund", "reinstatement"]),
    refund
  )
  holds("of a payout", () => openBooks(ASKED, payout), reportSteps("payment", ["disbursement", "reinstatement"]))
  holds(
    "of a ramp",
    () => openBooks(ASKED, onRamp),
    reportSteps("payment", ["collection", "reversal", "reinstatement"]),
    reportSteps("settlement", ["disbursement", "reinstatement"], inTether)
  )
})
