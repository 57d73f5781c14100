/** a withdrawal that failed and was paid after all is the account's to pay. */
import { expect } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import {
  balanceOf,
  deposit,
  eventsOf,
  newBeneficiary,
  openAccount,
  transactionsOf,
  withdraw
} from "../../treasury/accounts/AccountFixtures.ts"
import { people } from "../../support/TestCredentials.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { paysOut, reports } from "../support/ScriptedProvider.ts"

onDatabasePaymentServer(
  "withdrawals",
  // Silences the simulator until the test is over.
  () => ({ variables: { SANDBOX_RAIL_PACE: "10 minutes" } }),
  (it) => {
    it.effect("is charged to the account that was to pay for it", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const ledger = yield* LedgerStore
        const settlement = ledger.balance(LedgerAccount.settlement(acme.org_id, CurrencyCode.make("KES")))
        const { account_id } = yield* openAccount(acme.key, {
          org_id: acme.org_id,
          user_id: acme.userId("staff"),
          account_name: "Rent"
        })
        yield* deposit(acme.key, account_id, 1000)
        const beneficiary_id = yield* newBeneficiary(acme.key)
        const before = yield* settlement
        const made = yield* withdraw(acme.key, account_id, { amount: 70, beneficiary_id })
        const store = yield* PaymentStore
        const all = yield* store.list(Option.some(acme.org_id), {}, { after: Option.none(), take: 5 })
        const payment = all.find((one) => one.funding !== null)!
        const [attempt] = yield* store.attemptsOf(payment.payment_id)
        yield* Effect.gen(function* () {
          const outcomes = yield* RecordOutcome
          yield* outcomes.recordByAttempt(attempt!, reports("failed"), { cause: "test" })
          expect(yield* balanceOf(acme.key, account_id)).toBe(1000)
          yield* outcomes.recordByAttempt(attempt!, paysOut("po_1", "completed"), { cause: "test" })
          const { resolve } = yield* Resolution
          yield* resolve(operatorPermit("platform", "amina"), payment.payment_id, {
            outcome: "completed",
            reason: "it was paid"
          })
        }).pipe(Effect.provide(Resolution.layer.pipe(Layer.provideMerge(RecordOutcome.layer))))
        const after = yield* settlement
        expect({
          made: made.status === undefined,
          account: yield* balanceOf(acme.key, account_id),
          settlement: Number(after.minor - before.minor) / 100
        }).toEqual({ made: false, account: 930, settlement: 0 })
        const statement = yield* transactionsOf(acme.key, account_id)
        expect(statement.map(({ amount, status, type }) => [type, status, amount])).toEqual([
          ["debit", "completed", 70],
          ["debit", "failed", 70],
          ["credit", "completed", 1000]
        ])
        const published = yield* eventsOf(acme.key, "virtual_account.withdrawal")
        expect(published[0]?.data).toMatchObject({
          transaction_id: statement[0]?.transaction_id,
          amount: 70,
          balance: 930
        })
      })
    )
  }
)
