/**
 * Payouts to a party that the provider paid and returned: the money is the party's again, and an operator has an item.
 */
import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { callBack, eventually, queueOf, recordOf } from "../../payments/support/PaymentCalls.ts"
import { attemptsFor } from "../../payments/support/PayinBalances.ts"
import { onDatabasePaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { accepts, scripted } from "../../payments/support/ScriptedProvider.ts"
import { people } from "../../support/TestCredentials.ts"
import { expectBooksInOrder, newBeneficiary } from "../accounts/AccountFixtures.ts"
import { auditOf, disburse, escrowOf, fund, newEscrow } from "./EscrowFixtures.ts"

onDatabasePaymentServer(
  "Payouts of an escrow",
  () => ({ providers: [scripted("flutterwave")] as const }),
  (it, { providers: [provider] }) => {
    const paidAndBack = (number: number, seen: boolean) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
        provider.otherwise(accepts())
        yield* serveCountry("KE", [provider.name], "bank_transfer", "outbound")
        const whole = [{ name: "Builder", split_type: "percentage", split_value: 100 }]
        const escrow = yield* newEscrow(100, {
          parties: [{ name: "Builder", beneficiary_id: yield* newBeneficiary(acme.key) }],
          milestones: [{ label: "All", sequence: 1, expected_disbursement: 100, parties: whole }]
        })
        yield* fund(acme.key, escrow, 100)
        yield* disburse(acme.key, escrow, 0)
        const [{ detail } = { detail: {} }] = yield* auditOf(acme.key, "escrow.party_payout")
        const payment_id = (detail as { readonly payment_id: never }).payment_id
        const [reference = ""] = yield* attemptsFor(payment_id, "payment")
        yield* callBack(provider.name, { key: `paid ${number}`, reference, state: "completed" })
        if (seen) {
          yield* sql`update escrow_payouts set due_at = now() where escrow_id = ${escrow.escrow_id}`
          yield* Effect.flatMap(WorkQueues, ({ announce }) => announce("escrow_payouts"))
          const statuses = sql<{ status: string }>`select status from escrow_payouts
            where escrow_id = ${escrow.escrow_id}`
          yield* eventually(statuses, ([row]) => row?.status === "paid")
        }
        yield* callBack(provider.name, { key: `back ${number}`, reference, state: "returned" })
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
        expect((yield* escrowOf(acme.key, escrow)).parties).toMatchObject([{ balance: 100 }])
        const [item] = yield* eventually(
          Effect.map(queueOf(), (all) => all.filter(({ escrow_id }) => escrow_id === escrow.escrow_id)),
          (items) => items.length === 1
        )
        expect(item).toMatchObject({ kind: "escrow_payout", detail: expect.stringContaining("sent it back") })
        yield* expectBooksInOrder
      })

    it.effect("that come back before they were seen to be paid wait in the operations queue", () =>
      paidAndBack(1, false)
    )

    it.effect("that come back after they were seen to be paid wait there too", () => paidAndBack(2, true))
  }
)
