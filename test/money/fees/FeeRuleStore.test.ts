import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { flows, paymentMethods } from "../../../src/domain/Corridor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { type FeeRule, FeeRuleStore, type FeeSubject } from "../../../src/money/fees/Fees.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { nilId } from "../../support/AnyId.ts"

const shillings = (minor: bigint) => new Money({ currency: CurrencyCode.make("KES"), minor })

const putRule = (subject: FeeSubject, about: Partial<FeeRule> = {}) =>
  Effect.gen(function* () {
    const store = yield* FeeRuleStore
    const fee_rule_id = yield* nextId
    return yield* store.put({ fee_rule_id, ...subject, basis_points: 150, fixed: null, ...about })
  })

const newSubject = Effect.map(newOrganization(), ({ org_id }): FeeSubject => ({
  org_id,
  payment_method: "card",
  direction: "inbound"
}))

onBothStores("FeeRuleStore", (it) => {
  it.effect("gives a rule back as it was put, to the last digit", () =>
    Effect.gen(function* () {
      const store = yield* FeeRuleStore
      const subject = yield* newSubject
      const fixed = new Money({ currency: "ETH", minor: 1_000_000_000_000_000_001n })
      const rule = yield* putRule(subject, { basis_points: 10_000, fixed })
      expect(rule).toEqual({
        ...subject,
        fee_rule_id: rule.fee_rule_id,
        basis_points: 10_000,
        fixed,
        created_at: expect.any(Date),
        updated_at: expect.any(Date)
      })
      expect(yield* store.find(subject)).toEqual(Option.some(rule))
      expect(yield* store.findForUpdate(subject)).toEqual(Option.some(rule))
      const plain = yield* putRule({ ...subject, direction: "outbound" })
      expect(plain.fixed).toBeNull()
      expect(yield* store.find({ ...subject, direction: "outbound" })).toEqual(Option.some(plain))
    })
  )

  it.effect("keeps one rule for a subject, under its first id", () =>
    Effect.gen(function* () {
      const store = yield* FeeRuleStore
      const subject = yield* newSubject
      const first = yield* putRule(subject, { fixed: shillings(1_050n) })
      const second = yield* putRule(subject, { basis_points: 0, fixed: shillings(2_000n) })
      expect(second).toMatchObject({ fee_rule_id: first.fee_rule_id, created_at: first.created_at, basis_points: 0 })
      const third = yield* putRule(subject, { basis_points: 25 })
      expect(third).toMatchObject({ fee_rule_id: first.fee_rule_id, basis_points: 25, fixed: null })
      expect(yield* store.list(Option.some(subject.org_id))).toEqual([third])
    })
  )

  it.effect("finds a rule by its whole subject only, and no longer once it is removed", () =>
    Effect.gen(function* () {
      const store = yield* FeeRuleStore
      const subject = yield* newSubject
      const other = yield* newSubject
      const rule = yield* putRule(subject)
      const strangers: ReadonlyArray<FeeSubject> = [
        other,
        { ...subject, org_id: nilId },
        { ...subject, payment_method: "wallet" },
        { ...subject, direction: "external" }
      ]
      for (const one of strangers) {
        expect(yield* store.find(one)).toEqual(Option.none())
        expect(yield* store.findForUpdate(one)).toEqual(Option.none())
      }
      const kept = yield* putRule(other)
      yield* store.remove(rule.fee_rule_id)
      yield* store.remove(nilId)
      expect(yield* store.find(subject)).toEqual(Option.none())
      expect(yield* store.find(other)).toEqual(Option.some(kept))
    })
  )

  it.effect("answers every one of many at once with its own rule", () =>
    Effect.gen(function* () {
      const store = yield* FeeRuleStore
      const orgs = yield* Effect.all([newSubject, newSubject, newSubject])
      const subjects = orgs.flatMap(({ org_id }) =>
        paymentMethods.flatMap((payment_method) => flows.map((direction) => ({ org_id, payment_method, direction })))
      )
      const ruled = subjects.filter((_, index) => index % 3 !== 0)
      yield* Effect.forEach(ruled, (subject, index) => putRule(subject, { basis_points: index + 1 }))
      const asked = [...subjects, ...subjects.toReversed()]
      const found = yield* Effect.forEach(asked, (subject) => store.find(subject), { concurrency: "unbounded" })
      const points = found.map((rule) => Option.getOrNull(Option.map(rule, ({ basis_points }) => basis_points)))
      expect(points).toEqual(asked.map((one) => (ruled.includes(one) ? ruled.indexOf(one) + 1 : null)))
    })
  )

  it.effect("lists the rules of one organisation or of all, in order", () =>
    Effect.gen(function* () {
      const store = yield* FeeRuleStore
      const [mine, theirs] = [yield* newSubject, yield* newSubject]
      yield* putRule({ ...mine, payment_method: "mobile_money" })
      yield* putRule({ ...mine, direction: "outbound" })
      yield* putRule(theirs)
      yield* putRule(mine)
      yield* putRule({ ...mine, payment_method: "bank_transfer", direction: "outbound" })
      const own = yield* store.list(Option.some(mine.org_id))
      expect(own.map(({ direction, payment_method }) => `${payment_method} ${direction}`)).toEqual([
        "bank_transfer outbound",
        "card inbound",
        "card outbound",
        "mobile_money inbound"
      ])
      const all = yield* store.list(Option.none())
      expect(all.filter(({ org_id }) => org_id === mine.org_id)).toEqual(own)
      expect(all.map(({ org_id }) => org_id)).toContain(theirs.org_id)
      const orgs = all.map(({ org_id }) => org_id)
      expect(orgs).toEqual(orgs.toSorted())
    })
  )
})
