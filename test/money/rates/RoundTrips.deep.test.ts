/** Round trips between currencies over HTTP, one way by locks from before a change of rate, the other way at the live rate. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { initiate, type Lock, lookUp, untilStatus } from "../../payments/support/PaymentCalls.ts"
import { onDatabasePaymentServer, onPaymentServer } from "../../payments/support/PaymentServer.ts"
import { byPhone, kenyanPhone, payoutByPhone } from "../../payments/support/Requests.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { type Account, ask, balanceOf, dataOf, deposit, openAccount } from "../../treasury/accounts/AccountFixtures.ts"

const setRates = (...all: ReadonlyArray<readonly [from: string, to: string, rate: string]>) =>
  Effect.flatMap(RateStore, (store) =>
    store.set(all.map(([from_currency, to_currency, rate]) => ({ from_currency, to_currency, rate })))
  )

const shillingsPerDollar = (rate: number) =>
  setRates(["USD", "KES", String(rate)], ["KES", "USD", (1 / rate).toFixed(14)])

const START = 1_000_000

const isInOrder = Effect.gen(function* () {
  const { problems } = yield* Effect.flatMap(LedgerStore, ({ check }) => check)
  expect(problems).toEqual([])
})

const openFor = (currency: string) =>
  Effect.flatMap(people, ({ acme }) =>
    openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff"), currency })
  )

/** Moves all that is on one account to the other, which had nothing; what is there then. */
const moveAll = Effect.fnUntraced(function* (amount: number, from: Account, to: Account, lock: Lock) {
  const { acme } = yield* people
  const { org_rate_id } = lock
  dataOf(
    yield* ask(acme.key, "/transfer", {
      from_account_id: from.account_id,
      to_account_id: to.account_id,
      amount,
      org_rate_id
    })
  )
  return yield* balanceOf(acme.key, to.account_id)
})

/** From 128 shillings for a dollar to 4 percent more of them, and to 0.4 percent fewer. */
const moves = [133, 127.5]

const TRANSFER_ROUNDS = 200

onPaymentServer("Transfers in a circle", "memory", {}, (it) => {
  it.effect.each(moves)("leave no more than there was, from 128 shillings for a dollar to %d", (moved) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const [shillings, dollars] = [yield* openFor("KES"), yield* openFor("USD")]
      yield* shillingsPerDollar(128)
      const there = yield* Effect.replicateEffect(lookUp("KES", "USD"), TRANSFER_ROUNDS / 2)
      const back = yield* Effect.replicateEffect(lookUp("USD", "KES"), TRANSFER_ROUNDS / 2)
      yield* shillingsPerDollar(moved)
      yield* deposit(acme.key, shillings.account_id, START)
      let held = START
      for (let round = 0; round < TRANSFER_ROUNDS; round++) {
        // Locks from before the change one way, the live rate the other way, in turn.
        const isThere = round % 2 === 0
        const old = (isThere ? there : back)[round >> 1]!
        const bought = yield* moveAll(held, shillings, dollars, isThere ? old : yield* lookUp("KES", "USD"))
        const now = yield* moveAll(bought, dollars, shillings, isThere ? yield* lookUp("USD", "KES") : old)
        expect(now).toBeLessThanOrEqual(held)
        held = now
      }
      expect(held).toBeGreaterThan(0)
      yield* isInOrder
    })
  )

  it.effect.each([
    ["better", 12.0267692307],
    ["worse", 11.7886153845]
  ] as const)("through a third currency leave no more, where a pair's own rate is 1 percent %s", ([, own]) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const codes = ["KES", "NGN", "USD"] as const
      yield* setRates(
        ["KES", "USD", "0.00774"],
        ["USD", "KES", "129.198966408"],
        ["NGN", "USD", "0.00065"],
        ["USD", "NGN", "1538.46153846"],
        ["KES", "NGN", String(own)],
        ["NGN", "KES", (1 / own).toPrecision(12)]
      )
      const accounts = { KES: yield* openFor("KES"), NGN: yield* openFor("NGN"), USD: yield* openFor("USD") }
      for (const way of [codes, ["KES", "USD", "NGN"], ["KES", "NGN"]] as const) {
        yield* deposit(acme.key, accounts.KES.account_id, START)
        let held = yield* balanceOf(acme.key, accounts.KES.account_id)
        for (let round = 0; round < 40; round++) {
          let carried = held
          for (const [at, from] of way.entries()) {
            const to = way[(at + 1) % way.length]!
            carried = yield* moveAll(carried, accounts[from], accounts[to], yield* lookUp(from, to))
          }
          expect(carried).toBeLessThanOrEqual(held)
          held = carried
        }
        expect(held).toBeGreaterThan(0)
      }
      yield* isInOrder
    })
  )
})

const GAIN_MAX = 1000
const PAYMENT_ROUNDS = 60

// Within 0.5 percent a lock is honoured whatever was gained: that is the tolerance for rates that tick.
for (const moved of [133, 123]) {
  onDatabasePaymentServer(
    `Payins and payouts in a circle, from 128 shillings for a dollar to ${moved},`,
    () => ({ variables: { RATE_GAIN_MAX: String(GAIN_MAX), SANDBOX_RAIL_PACE: "20 millis" } }),
    (it) => {
      it.effect("gain RATE_GAIN_MAX at most", () =>
        Effect.gen(function* () {
          const { acme } = yield* people
          const made = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanPhone())
          const { beneficiary_id } = dataOf<{ readonly beneficiary_id: string }>(made, 201)
          const [from, to] = moved > 128 ? (["KES", "USD"] as const) : (["USD", "KES"] as const)
          yield* shillingsPerDollar(128)
          const locks = yield* Effect.replicateEffect(lookUp(from, to), PAYMENT_ROUNDS)
          yield* shillingsPerDollar(moved)
          let refused = 0

          /**
           * Converts by a lock from before the change where it is taken, else at the live rate; returns what the target
           * received.
           */
          const send = Effect.fnUntraced(function* (amount: number, currency: "KES" | "USD", round: number) {
            const target_currency = currency === "KES" ? "USD" : "KES"
            const pay = ({ org_rate_id }: Lock, target_amount: number) =>
              initiate({
                ...(currency === "KES" ? byPhone() : payoutByPhone(beneficiary_id)),
                ...{ amount, currency, target_amount, target_currency, org_rate_id }
              })
            const old = locks[round]!
            let target = Math.round(amount * old.rate * 100) / 100
            let paid = currency === from ? yield* pay(old, target) : undefined
            if (paid?.status !== 200) {
              if (paid !== undefined) {
                expect([paid.status, paid.body["code"]], paid.text).toEqual([400, "RATE_MISMATCH"])
                refused += 1
              }
              const live = yield* lookUp(currency, target_currency, amount)
              target = live.target_amount
              paid = yield* pay(live, target)
            }
            expect(paid.status, paid.text).toBe(200)
            yield* untilStatus(paid.payment_id, "completed")
            return target
          })

          let outside = START
          for (let round = 0; round < PAYMENT_ROUNDS; round++) {
            outside = yield* send(yield* send(outside, "KES", round), "USD", round)
          }
          // Each initiation may win half a cent, or half a hundredth of a shilling, by its rounding.
          const rounding = PAYMENT_ROUNDS * (0.005 * moved + 0.005)
          expect(outside).toBeLessThanOrEqual(START + GAIN_MAX * moved + rounding)
          expect(refused).toBeGreaterThan(0)
          yield* isInOrder
        })
      )
    }
  )
}
