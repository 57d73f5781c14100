/** Withdrawals that were paid, and that the provider returns after the event: the account has the money again. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Ids } from "../../../src/domain/Ids.ts"
import type { MovementKind } from "../../../src/domain/Movement.ts"
import { FeeRuleStore } from "../../../src/money/fees/Fees.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { resolve } from "../../payments/support/OperatorActions.ts"
import { callBack } from "../../payments/support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { accepts, paysOut, scripted } from "../../payments/support/ScriptedProvider.ts"
import { idFrom } from "../../support/AnyId.ts"
import { people } from "../../support/TestCredentials.ts"
import {
  balanceOf,
  deposit,
  eventsOf,
  expectBooksInOrder,
  newBeneficiary,
  openAccount,
  transactionOf,
  transactionsOf,
  withdraw
} from "./AccountFixtures.ts"

onDatabasePaymentServer(
  "A withdrawal that is sent back",
  // Uses a scripted provider: simulators return nothing, and the check compares them with the books.
  () => ({ providers: [scripted("flutterwave")] as const }),
  (it, { providers: [provider] }) => {
    it.effect("is published as money that has come, with its fee, once", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { account_id } = yield* openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff") })
        yield* deposit(acme.key, account_id, 100)
        const rules = yield* FeeRuleStore
        const fee_rule_id = yield* Effect.flatMap(Ids, (ids) => ids.next)
        yield* rules.put({
          ...{ fee_rule_id, org_id: acme.org_id, payment_method: "bank_transfer", direction: "outbound" },
          ...{ basis_points: 100, fixed: null }
        } as const)
        provider.otherwise(accepts())
        yield* serveCountry("KE", [provider.name], "bank_transfer", "outbound")
        const beneficiary_id = yield* newBeneficiary(acme.key)
        const made = yield* withdraw(acme.key, account_id, { amount: 70, beneficiary_id })
        yield* rules.remove(fee_rule_id)
        const store = yield* PaymentStore
        const payment = Option.getOrThrow(yield* store.find(Option.some(acme.org_id), idFrom(made.reference)))
        const [attempt] = yield* store.attemptsOf(payment.payment_id)
        expect(attempt).toMatchObject({ provider: provider.name, outcome: "accepted" })
        const report = (state: "completed" | "returned") =>
          Effect.flatMap(RecordOutcome, ({ recordByAttempt }) =>
            recordByAttempt(attempt!, paysOut("po_2", state), { cause: "test" })
          ).pipe(Effect.provide(RecordOutcome.layer))
        yield* report("completed")
        expect(yield* balanceOf(acme.key, account_id)).toBe(29.3)
        yield* report("returned")
        const reversed = yield* transactionOf(acme.key, made.transaction_id)
        expect(reversed).toMatchObject({ status: "reversed", amount: 70, fee: 0.7 })
        yield* report("returned")
        expect(yield* balanceOf(acme.key, account_id)).toBe(100)
        const came = (yield* eventsOf(acme.key, "virtual_account.deposit")).map(({ data }) => data)
        expect(came.filter((data) => data["transaction_id"] === made.transaction_id)).toEqual([
          { ...reversed, balance: 100 }
        ])
        yield* expectBooksInOrder
      })
    )

    /** 70 of 100 withdrawn, and what its provider names about it from then on. */
    const withdrawn = Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff") })
      yield* deposit(acme.key, account_id, 100)
      provider.otherwise(accepts())
      yield* serveCountry("KE", [provider.name], "bank_transfer", "outbound")
      const beneficiary_id = yield* newBeneficiary(acme.key)
      const { reference } = yield* withdraw(acme.key, account_id, { amount: 70, beneficiary_id })
      const payment_id = idFrom(reference)
      const [attempt] = yield* Effect.flatMap(PaymentStore, (store) => store.attemptsOf(payment_id))
      let reports = 0
      const callsBack = (state: "completed" | "failed" | "returned", kind?: MovementKind, amount = "70.00") =>
        callBack(provider.name, {
          ...{ key: `${reference} ${(reports += 1)}`, reference: attempt!.attempt_id, state },
          movements:
            kind === undefined
              ? []
              : [{ kind, id: `${reference} ${kind} ${amount}`, amount: { amount, currency: "KES" }, state: "settled" }]
        })
      /** The balance, and what the lines of the statement add up to. */
      const stands = Effect.gen(function* () {
        const lines = yield* transactionsOf(acme.key, account_id)
        const counted = lines.filter(({ status }) => status === "completed" || status === "pending")
        return {
          balance: yield* balanceOf(acme.key, account_id),
          lines: counted.reduce((sum, { amount, type }) => sum + (type === "credit" ? amount : -amount), 0)
        }
      })
      const last = (type: string) => Effect.map(eventsOf(acme.key, type), ([event]) => event?.data)
      return { account_id, callsBack, last, payment_id, stands }
    })

    it.effect("after it was paid late and borne is a line of the statement, and published", () =>
      Effect.gen(function* () {
        const { account_id, callsBack, last, payment_id, stands } = yield* withdrawn
        yield* callsBack("failed")
        yield* callsBack("completed", "disbursement")
        yield* resolve(payment_id, "completed")
        expect(yield* stands).toEqual({ balance: 30, lines: 30 })
        yield* callsBack("returned", "reinstatement")
        expect(yield* stands).toEqual({ balance: 100, lines: 100 })
        expect(yield* last("virtual_account.deposit")).toMatchObject({ account_id, amount: 70, balance: 100 })
        yield* expectBooksInOrder
      })
    )

    it.effect("in parts is the account's again once, though an operator gave it the first part", () =>
      Effect.gen(function* () {
        const { account_id, callsBack, last, payment_id, stands } = yield* withdrawn
        yield* callsBack("completed", "disbursement")
        yield* callsBack("returned", "reinstatement", "20.00")
        yield* resolve(payment_id, "completed")
        expect(yield* stands).toEqual({ balance: 50, lines: 50 })
        yield* callsBack("returned", "reinstatement", "50.00")
        expect(yield* stands).toEqual({ balance: 100, lines: 100 })
        expect(yield* last("virtual_account.withdrawal")).toMatchObject({ account_id, amount: 20, balance: 100 })
        expect(yield* last("virtual_account.deposit")).toMatchObject({ status: "reversed", amount: 70, balance: 100 })
        yield* expectBooksInOrder
      })
    )
  }
)
