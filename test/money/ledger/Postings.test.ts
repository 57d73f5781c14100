import type { OrgId } from "../../../src/domain/Ids.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  combine,
  currencyOf,
  type Entry,
  isBalanced,
  keepsBalance,
  LedgerAccount,
  leftOver,
  move,
  posting,
  providerIn,
  balancedPostings
} from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { postingRows } from "../../../src/money/ledger/LedgerSql.ts"
import { code, fiatProvider, money } from "./Entries.ts"
import { idFrom } from "../../support/AnyId.ts"

const ORG = idFrom("00000000-0000-7000-8000-000000000001")
const OTHER = idFrom("00000000-0000-7000-8000-000000000002")
const shillings = code("KES")
const settlement = LedgerAccount.settlement(ORG, shillings)
const held = LedgerAccount.held(ORG, shillings)

const entry = (postings: Entry["postings"], org_id: OrgId | null = ORG): Entry => ({
  entry_id: "00000000-0000-7000-8000-00000000000e",
  org_id,
  kind: "adjustment",
  payment_id: null,
  reference: null,
  postings
})

describe("accounts", () => {
  it("are their names, which end in their currency", () => {
    const all = [
      settlement,
      held,
      LedgerAccount.ownAccount(ORG, OTHER, shillings),
      LedgerAccount.virtual(OTHER, "USDT"),
      LedgerAccount.escrow(OTHER, shillings),
      LedgerAccount.party(OTHER, shillings),
      LedgerAccount.ramp(OTHER, "BTC"),
      LedgerAccount.provider("mtn_momo", shillings),
      LedgerAccount.provider("mtn_momo", shillings, OTHER),
      LedgerAccount.fees(shillings),
      LedgerAccount.fx("ETH"),
      LedgerAccount.receivable(ORG, shillings)
    ]
    expect(all).toEqual([
      `settlement/${ORG}/KES`,
      `held/${ORG}/KES`,
      `own/${ORG}/${OTHER}/KES`,
      `virtual/${OTHER}/USDT`,
      `escrow/${OTHER}/KES`,
      `party/${OTHER}/KES`,
      `ramp/${OTHER}/BTC`,
      "provider/mtn_momo/KES",
      `provider/mtn_momo/${OTHER}/KES`,
      "fees/KES",
      "fx/ETH",
      `receivable/${ORG}/KES`
    ])
    expect(all.map(currencyOf)).toEqual([
      ...["KES", "KES", "KES", "USDT", "KES", "KES", "BTC"],
      ...["KES", "KES", "KES", "ETH", "KES"]
    ])
    expect(all.map(keepsBalance)).toEqual([
      ...[true, true, true, true, true, true, true],
      ...[false, false, false, false, true]
    ])
    expect(all.slice(7, 9).map(providerIn)).toEqual([
      { provider: "mtn_momo", account: null },
      { provider: "mtn_momo", account: OTHER }
    ])
  })

  it("take no other currency", () => {
    expect(() => posting(settlement, money("1 USD"))).toThrow("cannot be posted")
    expect(() => move(settlement, LedgerAccount.fees(code("USD")), money("1 KES"))).toThrow("cannot be posted")
    expect(() => combine([{ account: settlement, amount: money("1 UGX") }])).toThrow("cannot be posted")
    expect(() => currencyOf(LedgerAccount.stored("fees/XXX1"))).toThrow("is in no currency")
  })
})

describe("entries", () => {
  it("move what leaves one account to another, and never backwards", () => {
    expect(move(settlement, held, money("12.50 KES"))).toEqual([
      { account: settlement, amount: money("-12.50 KES") },
      { account: held, amount: money("12.50 KES") }
    ])
    expect(() => move(settlement, held, money("-1 KES"))).toThrow("turn the accounts round")
  })

  it("have one posting for each account, and none of nothing", () => {
    const through = [
      ...move(settlement, held, money("10 KES")),
      ...move(held, fiatProvider(), money("10 KES")),
      ...move(settlement, LedgerAccount.fees(shillings), money("0.30 KES")),
      ...move(settlement, LedgerAccount.fx(shillings), money("0 KES"))
    ]
    expect(combine(through)).toEqual([
      { account: settlement, amount: money("-10.30 KES") },
      { account: fiatProvider(), amount: money("10 KES") },
      { account: LedgerAccount.fees(shillings), amount: money("0.30 KES") }
    ])
    expect(postingRows([entry(through)])).toMatchObject([
      { account: settlement, amount: "-10.30", currency: "KES", org_id: ORG, kind: "adjustment", payment_id: null },
      { account: fiatProvider(), amount: "10.00" },
      { account: LedgerAccount.fees(shillings), amount: "0.30" }
    ])
    expect(postingRows([entry(move(settlement, held, money("0 KES")))])).toEqual([])
  })

  it("must balance in every currency of their own", () => {
    const lopsided = entry([
      posting(settlement, money("-10 KES")),
      posting(LedgerAccount.fx(shillings), money("10 KES")),
      posting(LedgerAccount.fx(code("USD")), money("-0.08 USD"))
    ])
    expect(isBalanced(lopsided)).toBe(false)
    expect(leftOver(lopsided.postings)).toEqual([money("-0.08 USD")])
    expect(() => balancedPostings(lopsided)).toThrow("does not balance: -0.08 USD are left over")
    const whole = [...lopsided.postings, posting(fiatProvider("USD"), money("0.08 USD"))]
    expect(isBalanced({ postings: whole })).toBe(true)
    expect(balancedPostings(entry(whole))).toHaveLength(4)
  })

  it("touch no account of another organisation, and none with a floor without one", () => {
    const foreign = move(LedgerAccount.settlement(OTHER, shillings), fiatProvider(), money("1 KES"))
    expect(() => balancedPostings(entry(foreign))).toThrow("touches")
    expect(() => balancedPostings(entry(foreign, null))).toThrow("touches")
    const theirOwn = move(fiatProvider(), LedgerAccount.ownAccount(OTHER, OTHER, shillings), money("1 KES"))
    expect(() => balancedPostings(entry(theirOwn))).toThrow("touches")
    const unowned = move(fiatProvider(), LedgerAccount.virtual(OTHER, shillings), money("1 KES"))
    expect(() => balancedPostings(entry(unowned, null))).toThrow("touches")
    expect(balancedPostings(entry(unowned))).toHaveLength(2)
    expect(
      balancedPostings(entry(move(fiatProvider(), LedgerAccount.fees(shillings), money("1 KES")), null))
    ).toHaveLength(2)
  })

  it("made of moves always balance, whatever their order, and combining changes no sum", () => {
    const accounts = fc.constantFrom(settlement, held, fiatProvider(), LedgerAccount.fees(shillings))
    const moves = fc.array(fc.tuple(accounts, accounts, fc.bigInt(0n, 10n ** 24n)), { maxLength: 12 })
    fc.assert(
      fc.property(moves, (all) => {
        const postings = all.flatMap(([from, to, minor]) => move(from, to, new Money({ currency: shillings, minor })))
        const combined = combine(postings)
        expect(isBalanced({ postings })).toBe(true)
        expect(isBalanced({ postings: combined })).toBe(true)
        expect(new Set(combined.map(({ account }) => account)).size).toBe(combined.length)
        expect(combined.filter(({ amount }) => amount.isZero)).toEqual([])
        for (const { account, amount } of combined) {
          const sum = postings.reduce((total, one) => total + (one.account === account ? one.amount.minor : 0n), 0n)
          expect(amount.minor).toBe(sum)
        }
        expect(new Set(combine(postings.toReversed()))).toEqual(new Set(combined))
      })
    )
  })
})
