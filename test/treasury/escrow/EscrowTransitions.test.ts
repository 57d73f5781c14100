/** Transitions of an escrow, without a store. */
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Either } from "effect"
import fc from "fast-check"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { coverageOf, type Escrow, type Milestone, type PartySplit } from "../../../src/treasury/escrow/EscrowStore.ts"
import { cancel, disburse, fund, submitContract } from "../../../src/treasury/escrow/EscrowTransitions.ts"
import { idFrom } from "../../support/AnyId.ts"

const KES = CurrencyCode.make("KES")
const money = (minor: bigint) => new Money({ currency: KES, minor })
const at = new Date(0)

const even: ReadonlyArray<PartySplit> = ["a", "b", "c"].map((party_id) => ({
  party_id,
  split_type: "percentage",
  split_value: BigDecimal.unsafeFromString(party_id === "c" ? "33.4" : "33.3")
}))

const milestone = (minor: bigint, sequence: number): Milestone => ({
  milestone_id: `m${sequence}`,
  label: "One",
  sequence,
  expected: money(minor),
  status: "pending",
  description: null,
  due_date: null,
  contract_reference: null,
  contract_submitted_at: null,
  disbursed_at: null,
  splits: even
})

const escrowOf = (amounts: ReadonlyArray<bigint>): Escrow => ({
  escrow_id: idFrom("e"),
  org_id: idFrom("o"),
  name: "Clinic",
  currency: KES,
  account_id: idFrom("x"),
  status: "active",
  total: money(amounts.reduce((sum, amount) => sum + amount, 0n)),
  funded: money(0n),
  disbursed: money(0n),
  parties: even.map(({ party_id }) => ({
    party_id,
    name: party_id,
    beneficiary_id: null,
    account_id: null,
    email: null
  })),
  milestones: amounts.map(milestone),
  created_at: at,
  updated_at: at
})

const coveredOf = (escrow: Escrow) => Array.from(coverageOf(escrow).values(), ({ covered }) => covered.minor)
const tagOf = <A, E extends { readonly _tag: string }>(result: Either.Either<A, E>) =>
  Either.isLeft(result) ? result.left._tag : "done"

type Step =
  | { readonly kind: "fund"; readonly amount: bigint }
  | { readonly kind: "disburse" | "contract"; readonly at: number }
  | { readonly kind: "cancel" }

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("fund" as const), amount: fc.bigInt({ min: 1n, max: 400n }) })
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom("disburse" as const, "contract" as const), at: fc.nat({ max: 4 }) })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel" as const) }) }
)

/** State of the escrow afterwards, and the money that left it. */
const take = (escrow: Escrow, step: Step): { readonly escrow: Escrow; readonly out: bigint } => {
  switch (step.kind) {
    case "fund":
      return { escrow: Either.getOrElse(fund(escrow, money(step.amount)), () => escrow), out: 0n }
    case "contract":
      return { escrow: Either.getOrElse(submitContract(escrow, `m${step.at}`, null, at), () => escrow), out: 0n }
    case "disburse":
      return Either.match(disburse(escrow, `m${step.at}`, at), {
        onLeft: () => ({ escrow, out: 0n }),
        onRight: (done) => ({
          escrow: done.escrow,
          out: done.shares.reduce((sum, { amount }) => sum + amount.minor, 0n)
        })
      })
    case "cancel":
      return Either.match(cancel(escrow), {
        onLeft: () => ({ escrow, out: 0n }),
        onRight: (done) => ({ escrow: done.escrow, out: done.left.minor })
      })
  }
}

describe("the steps of an escrow", () => {
  it("keep account of every cent, whatever is asked in whatever order", () => {
    const amounts = fc.array(fc.bigInt({ min: 1n, max: 300n }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(amounts, fc.array(steps, { maxLength: 30 }), (expected, asked) => {
        let escrow = escrowOf(expected)
        let inside = 0n
        for (const step of asked) {
          const before = escrow
          const { escrow: after, out } = take(escrow, step)
          inside += step.kind === "fund" ? after.funded.minor - before.funded.minor : -out
          escrow = after
          const { disbursed, funded, milestones, status, total } = escrow
          expect(inside).toBe(funded.minor - disbursed.minor)
          expect(coveredOf(escrow).reduce((sum, covered) => sum + covered, 0n)).toBe(funded.minor)
          expect(funded.minor <= total.minor && disbursed.minor <= funded.minor).toBe(true)
          const done = milestones.filter((one) => one.status === "disbursed")
          expect(done.reduce((sum, one) => sum + one.expected.minor, 0n)).toBe(disbursed.minor)
          for (const one of done) expect(coverageOf(escrow).get(one.milestone_id)?.funding_status).toBe("funded")
          const open = milestones.filter((one) => one.status === "pending" || one.status === "contract_submitted")
          expect(status === "active").toBe(open.length > 0)
          if (status !== "active") expect(inside).toBe(0n)
        }
      })
    )
  })

  it("cover milestones in sequence, and a later one can be disbursed first", () => {
    const funded = Either.getOrThrow(fund(escrowOf([100n, 50n, 10n]), money(155n)))
    expect(coveredOf(funded)).toEqual([100n, 50n, 5n])
    expect(tagOf(disburse(funded, "m2", at))).toBe("Conflict")
    const { escrow, shares } = Either.getOrThrow(disburse(funded, "m1", at))
    expect(shares.map(({ amount }) => amount.minor)).toEqual([17n, 16n, 17n])
    expect(coveredOf(escrow)).toEqual([100n, 50n, 5n])
    const { escrow: canceled, left } = Either.getOrThrow(cancel(escrow))
    expect(left.minor).toBe(105n)
    expect(coveredOf(canceled)).toEqual([0n, 50n, 0n])
    expect(canceled.milestones.map(({ status }) => status)).toEqual(["canceled", "disbursed", "canceled"])
  })

  it("are refused when the escrow or the milestone is over, or does not exist", () => {
    const { escrow: canceled } = Either.getOrThrow(cancel(escrowOf([100n])))
    expect(tagOf(fund(canceled, money(1n)))).toBe("Conflict")
    expect(tagOf(cancel(canceled))).toBe("Conflict")
    expect(tagOf(disburse(canceled, "m0", at))).toBe("Conflict")
    expect(tagOf(submitContract(canceled, "m0", null, at))).toBe("Conflict")
    expect(tagOf(disburse(escrowOf([100n]), "m9", at))).toBe("NotFound")
    expect(tagOf(fund(escrowOf([100n]), money(101n)))).toBe("Invalid")
  })
})
