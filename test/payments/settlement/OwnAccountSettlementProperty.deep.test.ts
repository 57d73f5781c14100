/**
 * Payments through the platform's accounts and through an organisation's own, in any mix and with any end: each ledger
 * account holds what that account at the provider holds. The platform's balance for the organisation moves only by
 * payments through the platform's accounts.
 */
import { expect } from "@effect/vitest"
import { Effect, Runtime } from "effect"
import fc from "fast-check"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { problems } from "../../money/ledger/Entries.ts"
import { backends } from "../../support/OnBothStores.ts"
import { act, type Actable } from "../support/ActionCalls.ts"
import { giveBack, resolve } from "../support/OperatorActions.ts"
import { attemptsOf } from "../support/PaymentCalls.ts"
import { honouring } from "../support/PayinBalances.ts"
import { type Corridor, callsBack, payin, payout, type Reached, servedBy, servedByOwn } from "../support/OwnAccount.ts"
import { ledgerMatchesProviders } from "../support/LedgerMatchesProviders.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { accepts, type Act, declines, isLost } from "../support/ScriptedProvider.ts"

const names = ["stripe", "adyen", "paystack"] as const

/** First answer of a provider, and its later reports. */
const outcomes = {
  declines: { first: declines("our limit"), later: [] },
  "pays at once": { first: accepts({ state: "completed" }), later: [] },
  pays: { first: accepts(), later: ["completed"] },
  fails: { first: accepts(), later: ["failed"] },
  "pays, unheard": { first: isLost(), later: ["completed"] },
  "fails, unheard": { first: isLost(), later: ["failed"] },
  "pays and takes it back": { first: accepts(), later: ["completed", "returned"] },
  "declines and pays": { first: declines("our limit"), later: ["completed"] },
  "declines, pays and takes it back": { first: declines("our limit"), later: ["completed", "returned"] }
} as const satisfies Readonly<Record<string, { readonly first: Act; readonly later: ReadonlyArray<string> }>>

type OutcomeName = keyof typeof outcomes

const refundFates = ["goes", "is declined", "fails", "is declined and goes"] as const

interface Paid {
  readonly way: "payin" | "payout"
  readonly outcomes: readonly [OutcomeName, OutcomeName, OutcomeName]
  readonly amount: number
  /** Refund of a payin, and its outcome. */
  readonly refund: { readonly amount: number; readonly outcome: (typeof refundFates)[number] } | null
  /** Decision of an operator about money in suspense. */
  readonly byHand: "give back" | "completed" | "failed" | null
}

const outcome = fc.constantFrom(...(Object.keys(outcomes) as ReadonlyArray<OutcomeName>))

const paid: fc.Arbitrary<Paid> = fc.record({
  way: fc.constantFrom("payin", "payout"),
  outcomes: fc.tuple(outcome, outcome, outcome),
  amount: fc.integer({ min: 100, max: 2000 }),
  refund: fc.option(fc.record({ amount: fc.integer({ min: 1, max: 100 }), outcome: fc.constantFrom(...refundFates) })),
  byHand: fc.constantFrom("give back", "completed", "failed", null)
})

/** Which of the three are reached through an account of the organisation's own, on each way. */
const arrangement = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean())

const countries = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" ")

for (const backend of backends) {
  const platform = names.map((name) => honouring(name))
  const accounts = new Map<string, Provider>()
  const runs = backend === "memory" ? 16 : 6

  onPaymentServer("Accounts of the platform and of its own", backend, { providers: platform, accounts }, (it) => {
    const arranged = (owned: ReadonlyArray<boolean>, corridor: Corridor) =>
      Effect.forEach(owned, (isOwn, index) =>
        Effect.gen(function* () {
          const at = { ...corridor, priority: index + 1 }
          const provider: Actable = isOwn ? honouring(names[index]!) : platform[index]!
          const account = isOwn ? yield* servedByOwn(accounts, provider, at) : null
          if (!isOwn) yield* servedBy(provider, at)
          const reached: Reached = { provider, account }
          return reached
        })
      )

    const attemptsWith = (paymentId: string, leg: string, name: ProviderName) =>
      Effect.map(attemptsOf(paymentId), (all) =>
        all.filter((one) => one["leg"] === leg && one["provider"] === name).map((one) => String(one["attempt_id"]))
      )

    const goesBack = (
      payment_id: string,
      all: ReadonlyArray<Reached>,
      { amount, outcome }: NonNullable<Paid["refund"]>
    ) =>
      Effect.gen(function* () {
        for (const { provider } of all) {
          provider.will({ refund: outcome.startsWith("is declined") ? declines("not today") : accepts() })
        }
        yield* act(payment_id, { action: "refund", amount })
        if (outcome === "is declined") return
        for (const one of all) {
          for (const reference of yield* attemptsWith(payment_id, "refund", one.provider.name)) {
            yield* callsBack(one, reference, outcome === "fails" ? "failed" : "completed")
          }
        }
      })

    const runOne = (country: string, nth: number, all: ReadonlyArray<Reached>, wanted: Paid) =>
      Effect.gen(function* () {
        const description = `${country} ${nth}`
        for (const [index, { provider }] of all.entries())
          provider.on(description, outcomes[wanted.outcomes[index]!].first)
        const send = wanted.way === "payin" ? payin : payout
        const { payment_id, status, text } = yield* send(country, description, wanted.amount)
        expect([200, 502], text).toContain(status)
        for (const [index, one] of all.entries()) {
          for (const reference of yield* attemptsWith(payment_id, "payment", one.provider.name)) {
            for (const state of outcomes[wanted.outcomes[index]!].later) yield* callsBack(one, reference, state)
          }
        }
        if (wanted.refund !== null && wanted.way === "payin") yield* goesBack(payment_id, all, wanted.refund)
        for (const { provider } of all) provider.will({ refund: accepts({ state: "completed" }) })
        // There may be nothing for an operator to do.
        if (wanted.byHand === "give back") yield* Effect.ignore(giveBack(payment_id))
        else if (wanted.byHand !== null) yield* Effect.ignore(resolve(payment_id, wanted.byHand))
      })

    let used = 0

    const sequence = (takers: ReadonlyArray<boolean>, payers: ReadonlyArray<boolean>, all: ReadonlyArray<Paid>) =>
      Effect.gen(function* () {
        const country = countries[used++]!
        const into = yield* arranged(takers, { country })
        const out = yield* arranged(payers, { country, payment_method: "bank_transfer", direction: "outbound" })
        for (const [nth, wanted] of all.entries()) {
          yield* runOne(country, nth, wanted.way === "payin" ? into : out, wanted)
        }
        yield* ledgerMatchesProviders(platform, accounts)
        expect(yield* problems).toEqual([])
      })

    it.effect("hold what the books say, to the cent", () =>
      Effect.gen(function* () {
        const run = Runtime.runPromise(yield* Effect.runtime<Effect.Effect.Context<ReturnType<typeof sequence>>>())
        const payments = fc.array(paid, { minLength: 1, maxLength: 5 })
        const property = fc.asyncProperty(arrangement, arrangement, payments, (...all) => run(sequence(...all)))
        // A smaller case would find the accounts as the larger one left them.
        yield* Effect.promise(() => fc.assert(property, { numRuns: runs, endOnFailure: true }))
      })
    )
  })
}
