import { expect } from "@effect/vitest"
import { Clock, Effect, Exit, Option } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { codes, InsufficientFunds } from "../../../src/domain/Failure.ts"
import { LedgerAccount, move, posting } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { balance, code, entryOf, fiatProvider, money, moved, newBooks, post, problems } from "./Entries.ts"

/** Both stores keep times to the millisecond. */
const nextMillisecond = Effect.flatMap(Clock.currentTimeMillis, (began) =>
  Effect.repeat(Effect.zipRight(Effect.yieldNow(), Clock.currentTimeMillis), { until: (now) => now > began + 1 })
)

const shortOf = (account: LedgerAccount) => new InsufficientFunds({ account })

const setLimit = (org_id: OrgId, currency: string, limit: string | null) =>
  Effect.gen(function* () {
    const store = yield* LedgerStore
    const { atomically } = yield* Transactor
    const credit_limit = limit === null ? null : money(`${limit} ${currency}`)
    const before = yield* atomically(store.setLimit({ org_id, currency: code(currency), credit_limit }))
    return Option.getOrNull(Option.map(before, (amount) => amount.toString()))
  })

onBothStores("LedgerStore", (it) => {
  it.effect("moves balances with every entry, exactly, and answers zero for accounts that nothing was posted to", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const { first, held, org_id, second, settlement } = yield* newBooks()
      const fees = LedgerAccount.fees(code("KES"))
      const [balanceBefore, charged] = [yield* balance(fiatProvider()), yield* store.balance(fees)]
      expect(yield* balance(settlement)).toBe("0.00 KES")
      const payin = yield* entryOf(org_id, [
        ...move(fiatProvider(), settlement, money("1500.10 KES")),
        ...move(settlement, fees, money("0.11 KES"))
      ])
      yield* post(payin)
      yield* moved(org_id, settlement, held, "500 KES")
      yield* moved(org_id, settlement, first, "0.01 KES")
      expect(yield* store.balances([first, held, second, settlement])).toEqual(
        new Map([
          [first, money("0.01 KES")],
          [held, money("500.00 KES")],
          [second, money("0.00 KES")],
          [settlement, money("999.98 KES")]
        ])
      )
      const [balanceNow, chargedNow] = [yield* store.balance(fiatProvider()), yield* store.balance(fees)]
      expect(balanceNow.minor - money(balanceBefore).minor).toBe(-150_010n)
      expect(chargedNow.minor - charged.minor).toBe(11n)
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("lets what an organisation has in an account of its own fall without end, in live mode too", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const { org_id, settlement } = yield* newBooks({ sandbox: false })
      const account = yield* nextId
      const own = LedgerAccount.ownAccount(org_id, account, code("KES"))
      const there = LedgerAccount.provider("stripe", code("KES"), account)
      yield* moved(org_id, own, there, "900 KES")
      expect(yield* balance(own)).toBe("-900.00 KES")
      expect(yield* balance(there)).toBe("900.00 KES")
      expect(yield* Effect.flip(moved(org_id, settlement, there, "1 KES"))).toEqual(shortOf(settlement))
      expect(yield* setLimit(org_id, "KES", "10")).toBeNull()
      expect(yield* store.balancesOf(Option.some(org_id))).toContainEqual({
        ...{ account: own, org_id, balance: money("-900 KES"), floor: null }
      })
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("separates the money of a payment by provider account", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const { org_id, settlement } = yield* newBooks()
      const account = yield* nextId
      const payment_id = yield* nextId
      const [stripe, there] = [
        LedgerAccount.provider("stripe", code("KES")),
        LedgerAccount.provider("stripe", code("KES"), account)
      ]
      yield* post(
        yield* entryOf(org_id, move(stripe, settlement, money("5 KES")), { payment_id }),
        yield* entryOf(org_id, move(there, LedgerAccount.ownAccount(org_id, account, code("KES")), money("7 KES")), {
          payment_id
        })
      )
      const found = yield* store.atProviders(payment_id)
      expect(found.toSorted((a, b) => (a.money.minor < b.money.minor ? -1 : 1))).toEqual([
        { provider: "stripe", account: null, money: money("5 KES") },
        { provider: "stripe", account, money: money("7 KES") }
      ])
    })
  )

  it.effect("keeps eighteen fraction digits", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newOrganization()
      const ramp = LedgerAccount.ramp(yield* nextId, "ETH")
      yield* moved(org_id, LedgerAccount.fx("ETH"), ramp, "123456789.000000000000000001 ETH")
      yield* moved(org_id, ramp, LedgerAccount.fx("ETH"), "123456788.000000000000000002 ETH")
      expect(yield* balance(ramp)).toBe("0.999999999999999999 ETH")
    })
  )

  it.effect("lets no balance pass its floor, and then posts nothing at all", () =>
    Effect.gen(function* () {
      const { first, held, org_id, second, settlement } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "10 KES")
      const before = yield* balance(fiatProvider())
      const fits = yield* entryOf(org_id, move(fiatProvider(), settlement, money("7 KES")))
      const overdraws = yield* entryOf(org_id, move(first, second, money("10.01 KES")))
      expect(yield* Effect.flip(post(fits, overdraws))).toEqual(shortOf(first))
      expect([yield* balance(first), yield* balance(second)]).toEqual(["10.00 KES", "0.00 KES"])
      expect([yield* balance(settlement), yield* balance(fiatProvider())]).toEqual(["0.00 KES", before])

      const ids = [yield* nextId, yield* nextId, yield* nextId] as const
      const kept = [
        settlement,
        held,
        LedgerAccount.escrow(ids[0], code("KES")),
        LedgerAccount.party(ids[1], code("KES")),
        LedgerAccount.ramp(ids[2], code("KES"))
      ]
      for (const account of kept) {
        expect(yield* Effect.flip(moved(org_id, account, fiatProvider(), "0.01 KES")), account).toEqual(
          shortOf(account)
        )
      }
      yield* moved(org_id, first, fiatProvider(), "10 KES")
      expect(yield* balance(first)).toBe("0.00 KES")
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("names the first account that is short with 409, over all entries of a call", () =>
    Effect.gen(function* () {
      const { first, held, org_id, settlement } = yield* newBooks()
      const both = yield* entryOf(org_id, [
        ...move(settlement, fiatProvider(), money("1 KES")),
        ...move(held, fiatProvider(), money("1 KES"))
      ])
      const refused = yield* Effect.flip(post(both))
      expect(refused).toEqual(shortOf(held))
      expect([refused.code, codes[refused.code]]).toEqual(["INSUFFICIENT_FUNDS", 409])
      expect(refused.message).toContain("KES")
      const out = yield* entryOf(org_id, move(first, fiatProvider(), money("5 KES")))
      const into = yield* entryOf(org_id, move(fiatProvider(), first, money("5 KES")))
      yield* post(out, into)
      expect(yield* balance(first)).toBe("0.00 KES")
    })
  )

  it.effect("writes an entry once, and refuses it afterwards", () =>
    Effect.gen(function* () {
      const { first, org_id } = yield* newBooks()
      const entry = yield* entryOf(org_id, move(fiatProvider(), first, money("3 KES")))
      yield* post(entry)
      expect(Exit.isFailure(yield* Effect.exit(post(entry)))).toBe(true)
      expect(yield* balance(first)).toBe("3.00 KES")
    })
  )

  it.effect("dies of an entry that does not balance, or of one on another organisation's account", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* newBooks(), yield* newBooks()]
      yield* moved(theirs.org_id, fiatProvider(), theirs.first, "100 KES")
      const lopsided = yield* entryOf(mine.org_id, [posting(mine.first, money("1 KES"))])
      const stolen = yield* entryOf(mine.org_id, move(theirs.first, mine.first, money("1 KES")))
      const named = yield* entryOf(mine.org_id, move(fiatProvider(), theirs.settlement, money("1 KES")))
      for (const entry of [lopsided, stolen, named]) {
        const exit = yield* Effect.exit(post(entry))
        expect(Exit.isFailure(exit) && exit.cause._tag).toBe("Die")
      }
      expect([yield* balance(mine.first), yield* balance(theirs.first)]).toEqual(["0.00 KES", "100.00 KES"])
    })
  )

  it.effect("leaves nothing of a transaction that fails later", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      const { first, org_id } = yield* newBooks()
      const failing = Effect.zipRight(moved(org_id, fiatProvider(), first, "9 KES"), Effect.fail("changed my mind"))
      expect(yield* Effect.flip(atomically(failing))).toBe("changed my mind")
      expect(yield* balance(first)).toBe("0.00 KES")
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("posts nothing when there is nothing to post", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const { first, org_id, second } = yield* newBooks()
      yield* store.post([])
      yield* moved(org_id, first, second, "0 KES")
      expect(yield* store.postings(Option.none(), first, everything)).toEqual([])
    })
  )

  it.effect("lets a sandbox organisation owe without end, and a live one as far as its limit", () =>
    Effect.gen(function* () {
      const [sandbox, live] = [yield* newBooks({ sandbox: true }), yield* newBooks()]
      yield* moved(sandbox.org_id, sandbox.settlement, fiatProvider(), "1000000 KES")
      expect(yield* balance(sandbox.settlement)).toBe("-1000000.00 KES")
      expect(yield* Effect.flip(moved(sandbox.org_id, sandbox.held, fiatProvider(), "1 KES"))).toEqual(
        shortOf(sandbox.held)
      )

      expect(yield* setLimit(live.org_id, "KES", "50")).toBeNull()
      const usd = LedgerAccount.settlement(live.org_id, code("USD"))
      expect(yield* Effect.flip(moved(live.org_id, usd, fiatProvider("USD"), "1 USD"))).toEqual(shortOf(usd))
      yield* moved(live.org_id, live.settlement, fiatProvider(), "49.99 KES")
      expect(yield* Effect.flip(moved(live.org_id, live.settlement, fiatProvider(), "0.02 KES"))).toEqual(
        shortOf(live.settlement)
      )
      yield* moved(live.org_id, live.settlement, fiatProvider(), "0.01 KES")
      expect(yield* balance(live.settlement)).toBe("-50.00 KES")
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("moves the floor with the limit, never above what is owed already, and back to what holds by default", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const { org_id, settlement } = yield* newBooks()
      yield* setLimit(org_id, "KES", "100")
      yield* moved(org_id, settlement, fiatProvider(), "80 KES")
      expect(yield* setLimit(org_id, "KES", "80")).toBe("100.00 KES")
      for (const tooLow of ["79.99", "0", null]) {
        expect(yield* Effect.flip(setLimit(org_id, "KES", tooLow))).toEqual(shortOf(settlement))
      }
      const floors = Effect.map(store.balancesOf(Option.some(org_id)), (rows) =>
        rows.map(({ account, balance, floor }) => [account, balance.toString(), floor?.toString() ?? null])
      )
      expect(yield* floors).toEqual([[settlement, "-80.00 KES", "-80.00 KES"]])
      yield* moved(org_id, fiatProvider(), settlement, "80 KES")
      expect(yield* setLimit(org_id, "KES", null)).toBe("80.00 KES")
      expect(yield* floors).toEqual([[settlement, "0.00 KES", "0.00 KES"]])
      expect(yield* setLimit(org_id, "KES", "1")).toBeNull()
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("holds a sandbox organisation to a limit that was set for it, until it is taken away", () =>
    Effect.gen(function* () {
      const { org_id, settlement } = yield* newBooks({ sandbox: true })
      yield* setLimit(org_id, "KES", "5")
      expect(yield* Effect.flip(moved(org_id, settlement, fiatProvider(), "6 KES"))).toEqual(shortOf(settlement))
      yield* setLimit(org_id, "KES", null)
      yield* moved(org_id, settlement, fiatProvider(), "6 KES")
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("lists the balances of one organisation, leaving out what came and went", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const [mine, theirs] = [yield* newBooks(), yield* newBooks()]
      yield* moved(theirs.org_id, fiatProvider(), theirs.first, "1 KES")
      yield* moved(mine.org_id, fiatProvider(), mine.settlement, "30 KES")
      yield* moved(mine.org_id, mine.settlement, mine.held, "30 KES")
      yield* moved(mine.org_id, mine.held, mine.first, "30 KES")
      yield* moved(mine.org_id, mine.first, mine.second, "30 KES")
      const rows = yield* store.balancesOf(Option.some(mine.org_id))
      expect(rows.map(({ account, balance, org_id }) => [org_id, account, balance.toString()])).toEqual([
        [mine.org_id, mine.held, "0.00 KES"],
        [mine.org_id, mine.settlement, "0.00 KES"],
        [mine.org_id, mine.second, "30.00 KES"]
      ])
      for (const take of [1, 2, 3]) {
        const seen: Array<string> = []
        let page = yield* store.balancesOf(Option.some(mine.org_id), { after: Option.none(), take })
        while (page.length > 0) {
          expect(page.length).toBeLessThanOrEqual(take)
          seen.push(...page.map(({ account }) => account))
          page = yield* store.balancesOf(Option.some(mine.org_id), { after: Option.fromNullable(seen.at(-1)), take })
        }
        expect(seen, `${take} at a time`).toEqual(rows.map(({ account }) => account))
      }
      const everyone = (yield* store.balancesOf(Option.none())).map(({ account }) => account)
      expect(everyone).toEqual(expect.arrayContaining([theirs.first, mine.second]))
    })
  )

  it.effect("has the floor of an account that nothing was posted to yet", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const [live, sandbox] = [yield* newBooks(), yield* newBooks({ sandbox: true })]
      yield* setLimit(live.org_id, "UGX", "900")
      yield* moved(live.org_id, fiatProvider(), live.settlement, "30 KES")
      const ugandan = LedgerAccount.settlement(live.org_id, code("UGX"))
      const receivable = LedgerAccount.receivable(live.org_id, code("KES"))
      const shown = (org_id: OrgId, accounts: ReadonlyArray<LedgerAccount>) =>
        Effect.map(store.balancesWithFloors(org_id, accounts), (rows) =>
          rows.map(({ account, balance: now, floor }) => [account, now.toString(), floor?.toString() ?? null])
        )
      expect(yield* shown(live.org_id, [receivable, live.settlement, ugandan, live.first])).toEqual([
        [receivable, "0.00 KES", null],
        [live.settlement, "30.00 KES", "0.00 KES"],
        [ugandan, "0 UGX", "-900 UGX"],
        [live.first, "0.00 KES", "0.00 KES"]
      ])
      expect(yield* shown(sandbox.org_id, [sandbox.settlement])).toEqual([[sandbox.settlement, "0.00 KES", null]])
      expect(yield* store.balancesWithFloors(live.org_id, [])).toEqual([])
    })
  )

  it.effect("lists money at providers, in clearing and owed, by account and currency", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const [mine, theirs] = [yield* newBooks(), yield* newBooks()]
      const currency = code("RWF")
      const config = yield* nextId
      const [stripe, own, fees] = [
        LedgerAccount.provider("stripe", currency),
        LedgerAccount.provider("stripe", currency, config),
        LedgerAccount.fees(currency)
      ]
      const clearing = Effect.map(Effect.all([nextId, nextId]), ([payment, attempt]) =>
        LedgerAccount.clearing(payment, attempt, currency)
      )
      const settlement = LedgerAccount.settlement(mine.org_id, currency)
      yield* moved(mine.org_id, stripe, settlement, "500 RWF")
      yield* moved(mine.org_id, settlement, fees, "20 RWF")
      yield* moved(mine.org_id, stripe, yield* clearing, "70 RWF")
      yield* moved(theirs.org_id, yield* clearing, stripe, "100 RWF")
      yield* moved(theirs.org_id, own, LedgerAccount.ownAccount(theirs.org_id, config, currency), "9 RWF")
      yield* moved(theirs.org_id, LedgerAccount.receivable(theirs.org_id, currency), fees, "40 RWF")
      const all = yield* store.platformBalances
      const here = all.filter(({ balance: { currency: of } }) => of === currency)
      const at = { provider: null, config_id: null, accounts: 1 }
      const stands = (account: string, amount: string, about: object) => ({
        ...at,
        kind: account.split("/")[0],
        account,
        balance: money(`${amount} RWF`),
        ...about
      })
      const platforms = stands(stripe, "470", { provider: "stripe" })
      const theirsThere = stands(own, "9", { provider: "stripe", config_id: config })
      expect(here).toEqual([
        ...[platforms, theirsThere].toSorted((a, b) => (a.account < b.account ? -1 : 1)),
        stands("clearing/RWF", "-30", { accounts: 2 }),
        stands("receivable/RWF", "-40", {}),
        stands("fees/RWF", "60", {})
      ])
      expect(yield* problems).toEqual([])
    })
  )

  it.effect("lists the postings of an account newest first, page by page, for its own organisation only", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const { first, org_id } = yield* newBooks()
      const payment_id = yield* nextId
      const deposits = yield* Effect.replicateEffect(
        entryOf(org_id, move(fiatProvider(), first, money("1.50 KES")), {
          kind: "deposit",
          payment_id,
          reference: "r"
        }),
        6
      )
      yield* atOneMoment(Effect.forEach(deposits.slice(0, 3), (entry) => post(entry)))
      yield* nextMillisecond
      yield* atOneMoment(Effect.forEach(deposits.slice(3), (entry) => post(entry)))
      const list = (scope: Option.Option<OrgId>) => store.postings(scope, first, everything)
      const rows = yield* list(Option.some(org_id))
      const newest = rows[0]!
      expect(newest).toEqual({
        ...{ entry_id: newest.entry_id, org_id, account: first, amount: money("1.50 KES") },
        ...{ kind: "deposit", payment_id, reference: "r", created_at: expect.any(Date) }
      })
      yield* expectWindows(
        rows,
        (window) => store.postings(Option.some(org_id), first, window),
        (row) => row.entry_id
      )
      expect(new Set(rows.map(({ entry_id }) => entry_id))).toEqual(new Set(deposits.map(({ entry_id }) => entry_id)))
      expect(yield* list(Option.some(yield* nextId))).toEqual([])
      expect(yield* list(Option.none())).toHaveLength(6)
    })
  )

  it.effect("counts what it checks", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const { first, org_id } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "1 KES")
      const before = yield* store.check
      const { first: another, org_id: owner } = yield* newBooks()
      yield* moved(owner, fiatProvider(), another, "1 KES")
      expect(yield* store.check).toEqual({
        entries: before.entries + 1,
        postings: before.postings + 2,
        accounts: before.accounts + 1,
        balances: before.balances + 1,
        rounding: before.rounding,
        fx: before.fx,
        problems: before.problems
      })
      expect(yield* problems).toEqual([])
    })
  )
})
