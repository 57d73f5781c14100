import { describe, expect, it } from "@effect/vitest"
import { canMove, isFinal, paymentStatuses, type PaymentStatus, transitions } from "../../src/domain/PaymentStatus.ts"

/** The contract's own table, written out a second time: a change of the code's table must be meant. */
const contract: ReadonlyArray<readonly [PaymentStatus, ReadonlyArray<PaymentStatus>]> = [
  ["initiated", ["reviewed", "confirmed", "processing", "pending", "completed", "failed", "rejected", "canceled"]],
  ["reviewed", ["confirmed", "rejected", "canceled"]],
  ["confirmed", ["processing", "pending", "completed", "failed", "canceled"]],
  ["processing", ["pending", "completed", "failed", "canceled"]],
  ["pending", ["processing", "completed", "failed", "canceled"]],
  ["completed", ["refunded"]],
  ["failed", []],
  ["refunded", []],
  ["rejected", []],
  ["canceled", []]
]

describe("PaymentStatus", () => {
  it("has exactly the moves of the contract", () => {
    expect(Object.entries(transitions)).toEqual(contract)
    for (const [from, allowed] of contract) {
      expect(paymentStatuses.filter((to) => canMove(from, to)).toSorted()).toEqual([...allowed].toSorted())
    }
  })

  it("never moves to where it is", () => {
    expect(paymentStatuses.filter((status) => canMove(status, status))).toEqual([])
  })

  it("is settled where no provider can move it, except to give money back", () => {
    expect(paymentStatuses.filter(isFinal)).toEqual(["completed", "failed", "refunded", "rejected", "canceled"])
  })

  it("can reach every status from the first", () => {
    const reached = new Set<PaymentStatus>(["initiated"])
    for (const status of reached) for (const next of transitions[status]) reached.add(next)
    expect([...reached].toSorted()).toEqual([...paymentStatuses].toSorted())
  })
})
