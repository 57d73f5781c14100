/** Two disputes of one payment, one after the other at its provider, whose words arrive in every order that there is. */
import { expect } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { resolve } from "../support/ByHand.ts"
import { attemptsOf, callBack, initiate } from "../support/Calls.ts"
import { at, threeProviders } from "../support/InTheBooks.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts } from "../support/ScriptedProvider.ts"

interface Word {
  readonly says: "takes" | "regains"
  readonly dispute: number
  readonly amount: number
}

const ordersOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0
    ? [[]]
    : all.flatMap((first, place) => ordersOf(Arr.remove(all, place)).map((rest) => [first, ...rest]))

const wordOf = (says: Word["says"], dispute: number, amount: number): Word => ({ says, dispute, amount })

/** What two disputes come to that its provider lost and won one after the other; the last may be under way still. */
const disputes = (first: number, second: number) => {
  const won = [wordOf("takes", 1, first), wordOf("regains", 1, first)]
  return [
    [...won, wordOf("takes", 2, second), wordOf("regains", 2, second)],
    [...won, wordOf("takes", 2, second)]
  ]
}

const named = (words: ReadonlyArray<Word>) =>
  words.map(({ amount, dispute, says }) => `${says} ${amount} of dispute ${dispute}`).join(", ")

const made = threeProviders()
const { stripe } = made

onPaymentServer("Two disputes of one payment", "memory", made, (it) => {
  const paidIn = Effect.gen(function* () {
    stripe.otherwise(accepts())
    const before = yield* at("stripe")
    const { payment_id } = yield* initiate({ ...byCard(), country: "FR" })
    const [attempt] = yield* attemptsOf(payment_id)
    const reference = String(attempt?.["attempt_id"])
    const keyOf = ({ dispute, says }: Word) => `${reference} ${says} ${dispute}`
    const says = (word: Word) => {
      const money = { amount: `${word.amount}.00`, currency: "KES" }
      const said =
        word.says === "takes"
          ? { state: "returned", taken: money, reason: "the payer disputed it" }
          : { state: "completed", regained: money }
      return callBack("stripe", { key: keyOf(word), reference, ...said })
    }
    /** What it does, in its own order, before anybody hears of it. */
    const does = (words: ReadonlyArray<Word>) => {
      for (const word of words) {
        const money = new Money({ currency: CurrencyCode.make("KES"), minor: BigInt(word.amount) * 100n })
        stripe.purse.shrank(reference, keyOf(word), word.says === "takes" ? money : money.negate())
      }
    }
    const paid = callBack("stripe", { key: `${reference} paid`, reference, state: "completed" })
    /** What is in the books by a person's word is left out where they are held against the outside. */
    const byHand = (amount: number) => does([wordOf("takes", 0, amount)])
    return { paid, payment_id, byHand, does, says, has: Effect.map(at("stripe"), (now) => before - now) }
  })

  const leftOf = (words: ReadonlyArray<Word>) =>
    words.reduce((rest, { amount, says }) => (says === "takes" ? rest - amount : rest + amount), 1500)

  // Where it is late, all words of disputes are heard before the one that it was paid; AnyOrderProperty has them between.
  for (const [first, second, isLate] of [
    [1500, 1500, false],
    [400, 400, false],
    [1500, 400, false],
    [400, 1500, true],
    [1000, 700, true]
  ] as const) {
    it.effect(`of ${first} and of ${second} leave in the books what the provider is left with`, () =>
      Effect.gen(function* () {
        yield* serveCountry("FR", ["stripe"])
        for (const words of disputes(first, second)) {
          for (const order of ordersOf(words)) {
            for (const before of isLate ? [0, order.length] : [0]) {
              const { does, has, paid, says } = yield* paidIn
              does(words)
              yield* Effect.forEach(order.slice(0, before), says, { discard: true })
              yield* paid
              yield* Effect.forEach(order.slice(before), says, { discard: true })
              expect(yield* has, `${named(order)}, and ${before} of them before it was paid`).toBe(leftOf(words))
            }
          }
        }
      })
    )
  }

  it.effect("of which a person found the first to be won, before its provider said so", () =>
    Effect.gen(function* () {
      yield* serveCountry("FR", ["stripe"])
      const found = "found" as const
      const [taken, regained] = [wordOf("takes", 1, 1500), wordOf("regains", 1, 1500)]
      const [takenAgain, regainedAgain] = [wordOf("takes", 2, 1500), wordOf("regains", 2, 1500)]
      for (const order of [
        [taken, found, regained, takenAgain, regainedAgain],
        [taken, found, takenAgain, regained, regainedAgain],
        [taken, found, takenAgain, regainedAgain, regained]
      ]) {
        const { byHand, does, has, paid, payment_id, says } = yield* paidIn
        does([taken, regained, takenAgain, regainedAgain])
        yield* paid
        const said: Array<Word> = []
        for (const one of order) {
          yield* one === found ? resolve(payment_id, "failed", "it was won") : says(one)
          if (one !== found) said.push(one)
          if (said.includes(regained)) expect(yield* has, named(said)).toBe(leftOf(said))
        }
        byHand(1500)
      }
    })
  )
})
