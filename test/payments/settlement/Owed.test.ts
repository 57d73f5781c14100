/** A chargeback that its organisation cannot bear: it owes it, its next credits pay it, and its balances show it. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { Ledger } from "../../../src/money/ledger/Ledger.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { expectBooksInOrder } from "../../treasury/accounts/AccountFixtures.ts"
import { people } from "../../support/TestCredentials.ts"
import { backends } from "../../support/OnBothStores.ts"
import { act } from "../support/ActionCalls.ts"
import { itemsOf, resolve } from "../support/OperatorActions.ts"
import { get, jsonOf, eventsOfType } from "../support/PaymentCalls.ts"
import { settlement, threeProviders } from "../support/PayinBalances.ts"
import { payout } from "../support/OwnAccount.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import { came, payinAt, taken, won } from "../support/TransferReports.ts"

const KES = CurrencyCode.make("KES")

for (const backend of backends) {
  const made = threeProviders()
  const { stripe } = made

  onPaymentServer("What an organisation owes", backend, made, (it) => {
    const paidIn = Effect.tap(payinAt(stripe), ({ says }) => says(came(1500)))

    /** All that it has is paid out, and it may owe nothing. */
    const broke = Effect.gen(function* () {
      const { acme } = yield* people
      const ledger = yield* Ledger
      const permit = operatorPermit("platform", "tester", Option.none())
      yield* serveCountry("DE", ["stripe"], "bank_transfer", "outbound")
      stripe.otherwise(accepts({ state: "completed" }))
      const has = yield* settlement
      expect(has).toBeGreaterThan(0)
      expect((yield* payout("DE", "all of it", has)).status).toBe(200)
      yield* ledger.setCreditLimit(permit, { org_id: acme.org_id, currency: KES, credit_limit: moneyOf("0", KES) })
    })

    const owed = Effect.gen(function* () {
      const { acme } = yield* people
      const balance = yield* Effect.flatMap(Ledger, (ledger) =>
        ledger.balance(LedgerAccount.receivable(acme.org_id, KES))
      )
      return { settlement: yield* settlement, receivable: Number(balance.minor) / 100 }
    })

    /** Balances as the organisation itself reads them. */
    const shown = Effect.gen(function* () {
      const { acme } = yield* people
      const { data } = jsonOf(yield* get(`/organizations/${acme.org_id}/balances`)) as {
        readonly data: ReadonlyArray<Readonly<Record<string, unknown>>>
      }
      return data.filter((one) => one["account"] === LedgerAccount.receivable(acme.org_id, KES))
    })

    const bears = (payment_id: Parameters<typeof resolve>[0]) =>
      Effect.gen(function* () {
        yield* resolve(payment_id, "completed", "the bank decided for the payer")
        expect(yield* itemsOf(payment_id)).toEqual([])
        const published = yield* eventsOfType(payment_id, "transaction.updated")
        const adjustment = { amount: -1500, currency: "KES", reason: "the bank decided for the payer" }
        expect(published.at(-1)).toMatchObject({ adjustment })
      })

    it.effect("is on its balances, and is paid by what it gets next", () =>
      Effect.gen(function* () {
        const [first, second] = [yield* paidIn, yield* paidIn]
        yield* broke
        yield* first.says(taken(1500))
        yield* second.says(taken(1500))
        expect(yield* owed, "nothing is owed before an operator says so").toEqual({ settlement: 0, receivable: 0 })
        yield* bears(first.payment_id)
        yield* bears(second.payment_id)
        expect(yield* owed).toEqual({ settlement: 0, receivable: -3000 })
        expect(yield* shown).toMatchObject([{ kind: "receivable", balance: -3000, currency: "KES" }])
        yield* expectBooksInOrder

        const next = yield* paidIn
        expect(yield* owed, "its next credit pays a part").toEqual({ settlement: 0, receivable: -1500 })
        stripe.will({ refund: accepts({ state: "completed" }) })
        const refused = yield* act(next.payment_id, { action: "refund", amount: 100 })
        expect(refused.status, "what paid its debt is not there any more").toBe(409)

        yield* first.says(won(1500))
        expect(yield* owed, "a dispute that is won pays the rest").toEqual({ settlement: 0, receivable: 0 })
        expect(yield* first.stands).toMatchObject({ waits: [], items: [] })
        yield* second.says(won(1500))
        expect(yield* owed, "what is won beyond that is its own").toEqual({ settlement: 1500, receivable: 0 })
        expect(yield* shown).toEqual([])
        yield* expectBooksInOrder
      })
    )

    it.effect("is owed as far as it has too little, and what it has pays at once", () =>
      Effect.gen(function* () {
        const disputed = yield* paidIn
        yield* broke
        const { refund } = yield* paidIn
        yield* refund(600)
        expect(yield* owed).toEqual({ settlement: 900, receivable: 0 })
        yield* disputed.says(taken(1500))
        yield* bears(disputed.payment_id)
        expect(yield* owed).toEqual({ settlement: 0, receivable: -600 })
        yield* disputed.says(won(1500))
        expect(yield* owed).toEqual({ settlement: 900, receivable: 0 })
        yield* expectBooksInOrder
      })
    )
  })
}
