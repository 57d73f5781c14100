/** Bugs in amounts: refunds, fees and conversions of money in suspense. */
import { Effect, Option } from "effect"
import { Money } from "../../../src/domain/Money.ts"
import { Fees, type FeeRule, FeeRuleStore, subjectKey } from "../../../src/money/fees/Fees.ts"
import { PaymentCommand } from "../../../src/payments/settlement/PaymentCommand.ts"
import type { Allocation, Payment } from "../../../src/payments/store/Payment.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { type Bug, type Planted, overriding, planted } from "./Planting.ts"

type Commands = (typeof PaymentCommand)["Service"]

/** Hides open refunds while the refundable amount is computed. */
const withoutOpenParts = (commands: Commands): Commands => ({
  ...commands,
  find: (...given) =>
    Effect.map(commands.find(...given), (payment) => ({
      ...payment,
      refunds: payment.refunds.filter(({ state }) => state !== "open")
    })),
  writeAudited: (permit, payment, acts, noted) =>
    Effect.flatMap(Effect.orDie(commands.find(permit, payment.payment_id)), (whole) => {
      const open = whole.refunds.filter(({ state }) => state === "open")
      const completed = acts.map((act) =>
        act.patch?.refunds === undefined
          ? act
          : { ...act, patch: { ...act.patch, refunds: [...open, ...act.patch.refunds] } }
      )
      return commands.writeAudited(permit, { ...payment, refunds: whole.refunds }, completed, noted)
    })
})

/** Computes fees without rounding. */
const roundedDown = (): Planted => {
  const rules = new Map<string, FeeRule>()
  return new Map([
    ...overriding(FeeRuleStore, (store) => ({
      find: (subject) =>
        Effect.tap(store.find(subject), (found) =>
          Effect.sync(() => Option.isSome(found) && rules.set(subjectKey(subject), found.value))
        )
    })),
    ...overriding(Fees, (fees) => ({
      charge: (payment) =>
        Effect.map(fees.charge(payment), (charged) =>
          charged.map((fee) => {
            const { basis_points = 0, fixed = null } = rules.get(subjectKey(payment)) ?? {}
            const { currency, minor } = payment.direction === "inbound" ? payment.target : payment.amount
            const share = (minor * BigInt(basis_points)) / 10_000n
            const besides = fixed?.currency === currency ? fixed.minor : 0n
            return { ...fee, amount: new Money({ currency, minor: share + besides || 1n }) }
          })
        )
    }))
  ])
}

/** Adds one minor unit for the organisation where a conversion rounds. */
const roundedOtherwise = ({ amount, direction, target }: Payment, allocation: Allocation): Allocation => {
  const { amount: moved, accountAmount: given } = allocation
  const [own, theirs] = direction === "outbound" ? [amount, target] : [target, amount]
  if (moved.currency === given.currency || (own.minor * moved.minor) % theirs.minor === 0n) return allocation
  return { ...allocation, accountAmount: new Money({ currency: given.currency, minor: given.minor + 1n }) }
}

export const amountBugs: ReadonlyArray<Bug> = [
  {
    name: "concurrent refunds exceed the payment",
    foundBy: 45,
    planted: planted(PaymentCommand, withoutOpenParts)
  },
  {
    name: "a fee is rounded down",
    foundBy: 24,
    planted: roundedDown()
  },
  {
    name: "suspense conversions round for the organisation",
    foundBy: 47,
    planted: overriding(PaymentStore, (store) => ({
      apply: (change) =>
        store.apply(
          change.allocations === undefined
            ? change
            : { ...change, allocations: change.allocations.map((one) => roundedOtherwise(change.payment, one)) }
        )
    }))
  }
]
