/** Money that leaves an escrow for a beneficiary: paid, refused, lost, and paid again. */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { Fees } from "../../../src/money/fees/Fees.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { money } from "../../money/ledger/Entries.ts"
import { dataOf, expectBooksInOrder, messageOf, newBeneficiary } from "../accounts/AccountFixtures.ts"
import { act as actOn, setThreshold } from "../../payments/support/ActionCalls.ts"
import { eventually, type Json, queueOf, recordOf, untilStatus } from "../../payments/support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../../payments/support/PaymentServer.ts"
import { people } from "../../support/TestCredentials.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { send } from "../../support/Send.ts"
import { act, auditOf, disburse, type Escrow, escrowOf, fund, newEscrow } from "./EscrowFixtures.ts"

interface Payout {
  readonly payment_id: PaymentId
  readonly amount: number
  readonly status: string
}

const heldBy = (orgId: string) =>
  Effect.flatMap(LedgerStore, (ledger) =>
    Effect.map(ledger.balance(LedgerAccount.held(orgId, CurrencyCode.make("KES"))), ({ minor }) => Number(minor) / 100)
  )

onDatabasePaymentServer(
  "Payouts of an escrow",
  () => ({ variables: { PROVIDER_TIMEOUT: "3 seconds" } }),
  (it) => {
    /** All of it is for one party, whose beneficiary the sandbox treats as the ending says. */
    const fixture = (ending: string | null) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const own = ending === null ? {} : { beneficiary_id: yield* newBeneficiary(acme.key, ending) }
        const whole = [{ name: "Builder", split_type: "percentage", split_value: 100 }]
        const escrow = yield* newEscrow(100, {
          parties: [{ name: "Builder", ...own }],
          milestones: [{ label: "All", sequence: 1, expected_disbursement: 100, parties: whole }]
        })
        yield* fund(acme.key, escrow, 100)
        const { party_id } = escrow.parties[0]!
        const payOut = (body: object, headers: Readonly<Record<string, string>> = {}) =>
          act(acme.key, escrow, `/parties/${party_id}/payout`, { ...body }, headers)
        const balance = Effect.map(escrowOf(acme.key, escrow), ({ parties }) => parties[0]!.balance)
        return { acme, escrow, party_id, payOut, balance }
      })

    const detailsOf = (action: string, { escrow_id }: Escrow) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const rows = yield* auditOf(acme.key, action)
        return rows.filter(({ subject_id }) => subject_id === escrow_id).map(({ detail }) => detail)
      })

    it.effect("go out with the disbursement", () =>
      Effect.gen(function* () {
        const { acme, balance, escrow, party_id, payOut } = yield* fixture("3344")
        expect(yield* disburse(acme.key, escrow, 0)).toMatchObject({ status: "disbursed", disbursed_total: 100 })
        expect(yield* balance, "held").toBe(0)
        const [paid] = yield* detailsOf("escrow.party_payout", escrow)
        expect(paid).toMatchObject({ party_id, amount: "100.00", currency: "KES" })
        const record = yield* untilStatus(String(paid?.["payment_id"]), "completed")
        expect(record).toMatchObject({ direction: "outbound", amount: 100, description: "Clinic: All" })
        const nothing = yield* payOut({})
        expect([nothing.status, messageOf(nothing)]).toEqual([409, expect.stringContaining("no balance")])
        yield* expectBooksInOrder
      })
    )

    it.effect("that are declined leave the money with the party, to be paid out later", () =>
      Effect.gen(function* () {
        const { acme, balance, escrow, payOut } = yield* fixture("0001")
        expect(yield* disburse(acme.key, escrow, 0)).toMatchObject({ status: "disbursed" })
        expect(yield* balance).toBe(100)
        expect(yield* detailsOf("escrow.party_payout_failed", escrow)).toHaveLength(1)
        const declined = yield* payOut({})
        expect(declined.status, "to the party's own, which still declines").toBe(502)
        const { payment_id, transaction_id } = JSON.parse(declined.text) as Readonly<Record<string, string>>
        expect(yield* recordOf(String(payment_id))).toMatchObject({ status: "failed", transaction_id })
        expect(yield* balance).toBe(100)
        const unknown = yield* payOut({ beneficiary_id: randomUUID() })
        expect([unknown.status, messageOf(unknown)]).toEqual([400, expect.stringMatching(/^beneficiary_id: /)])
        const beneficiary_id = yield* newBeneficiary(acme.key)
        const keyed = () => payOut({ beneficiary_id }, { "idempotency-key": "pay-1" })
        const answer = yield* keyed()
        const paid = dataOf<Payout>(answer)
        expect(paid).toMatchObject({ beneficiary_id, amount: 100, currency: "KES", escrow_id: escrow.escrow_id })
        expect((yield* keyed()).text).toBe(answer.text)
        yield* untilStatus(paid.payment_id, "completed")
        expect(yield* balance).toBe(0)
        expect((yield* payOut({ beneficiary_id })).status).toBe(409)
        yield* expectBooksInOrder
      })
    )

    it.effect("that cannot be sent wait in the operations queue, to be tried again or resolved", () =>
      Effect.gen(function* () {
        const { acme, balance, escrow, party_id, payOut } = yield* fixture("0001")
        const items = Effect.map(queueOf(acme.token("staff")), (all) =>
          all.filter(({ escrow_id }) => escrow_id === escrow.escrow_id)
        )
        const decide = (payoutId: string, step: string, body: object = {}) =>
          act(acme.key, escrow, `/payouts/${payoutId}/${step}`, { ...body })
        yield* disburse(acme.key, escrow, 0)
        const [item] = yield* items
        expect(item).toMatchObject({ kind: "escrow_payout", party_id, payment_id: null, webhook_id: null })
        expect(item?.["detail"]).toMatch(/^The payout of 100\.00 KES to Builder of the escrow Clinic was not made: ./)
        const payoutId = String(item?.["item_id"])

        const retried = dataOf<Json>(yield* decide(payoutId, "retry"))
        expect(retried).toMatchObject({ payout_id: payoutId, party_id, status: "waiting", payment_id: null })
        const again = yield* eventually(
          items,
          ([one]) => one !== undefined && one["created_at"] !== item?.["created_at"]
        )
        expect(again, "declined again").toMatchObject([{ item_id: payoutId }])
        const payments = (yield* detailsOf("escrow.party_payout", escrow)).map((detail) => detail["payment_id"])
        expect(new Set(payments).size, "each try is a payment of its own").toBe(2)
        for (const id of payments) expect(yield* recordOf(String(id))).toMatchObject({ status: "failed" })

        const resolved = dataOf<Json>(yield* decide(payoutId, "resolve", { reason: "Paid in cash" }))
        expect(resolved).toMatchObject({ status: "closed", reason: "Paid in cash" })
        expect(yield* items).toEqual([])
        expect(yield* balance, "the money stays with the party").toBe(100)
        expect((yield* decide(payoutId, "retry")).status).toBe(409)
        expect((yield* decide(payoutId, "resolve", { reason: "Twice" })).status).toBe(409)
        expect((yield* decide(payoutId, "resolve")).status, "a reason is needed").toBe(400)
        expect((yield* decide(randomUUID(), "retry")).status).toBe(404)
        expect((yield* payOut({ beneficiary_id: yield* newBeneficiary(acme.key) })).status).toBe(200)
        yield* expectBooksInOrder
      })
    )

    it.effect("leave the queue when the party is paid out", () =>
      Effect.gen(function* () {
        const { acme, escrow, payOut } = yield* fixture("3344")
        const beneficiary = String(escrow.parties[0]!["beneficiary_id"])
        const gone = yield* send(`/v1/beneficiaries/${beneficiary}`, { method: "DELETE", headers: { ...acme.key } })
        expect(gone.status).toBe(204)
        yield* disburse(acme.key, escrow, 0)
        const items = Effect.map(queueOf(acme.token("staff")), (all) =>
          all.filter(({ escrow_id }) => escrow_id === escrow.escrow_id)
        )
        expect((yield* items).map(({ detail }) => detail)).toEqual([
          expect.stringContaining("The beneficiary was deleted.")
        ])
        const paid = dataOf<Payout>(yield* payOut({ beneficiary_id: yield* newBeneficiary(acme.key) }))
        expect(yield* items).toEqual([])
        yield* untilStatus(paid.payment_id, "completed")
        yield* expectBooksInOrder
      })
    )

    it.effect("that fail later give the money back to the party", () =>
      Effect.gen(function* () {
        const { acme, balance, escrow } = yield* fixture("0004")
        yield* disburse(acme.key, escrow, 0)
        const [paid] = yield* detailsOf("escrow.party_payout", escrow)
        yield* untilStatus(String(paid?.["payment_id"]), "failed")
        expect(yield* eventually(balance, (seen) => seen === 100)).toBe(100)
        yield* expectBooksInOrder
      })
    )

    it.effect("whose outcome is unknown stay held", () =>
      Effect.gen(function* () {
        const { acme, balance, escrow, payOut } = yield* fixture("0003")
        yield* disburse(acme.key, escrow, 0)
        const [paid] = yield* detailsOf("escrow.party_payout", escrow)
        expect(yield* recordOf(String(paid?.["payment_id"]))).toMatchObject({ status: "pending" })
        expect(yield* balance).toBe(0)
        expect((yield* payOut({})).status).toBe(409)
        yield* expectBooksInOrder
      })
    )

    it.effect("that reach the review threshold hold the party's money for a second person", () =>
      Effect.gen(function* () {
        const { acme, balance, escrow, payOut } = yield* fixture("3344")
        const held = yield* heldBy(acme.org_id)
        yield* setThreshold(acme.org_id, "100")
        yield* disburse(acme.key, escrow, 0)
        yield* setThreshold(acme.org_id, null)
        const [first] = yield* detailsOf("escrow.party_payout", escrow)
        const disbursed = String(first?.["payment_id"])
        expect(yield* recordOf(disbursed)).toMatchObject({ status: "initiated", provider: null })
        expect(yield* balance).toBe(0)
        expect(yield* heldBy(acme.org_id)).toBe(held + 100)
        expect((yield* payOut({})).status, "nothing is left to pay out").toBe(409)
        expect((yield* actOn(disbursed, { action: "review" })).status, "by the member who asked for it").toBe(409)
        expect((yield* actOn(disbursed, { action: "reject" }, acme.token("staff"))).status).toBe(200)
        expect(yield* balance, "back with the party").toBe(100)
        expect(yield* heldBy(acme.org_id)).toBe(held)

        yield* setThreshold(acme.org_id, "100")
        const waiting = dataOf<Payout>(yield* payOut({}))
        const again = yield* payOut({})
        yield* setThreshold(acme.org_id, null)
        expect(waiting).toMatchObject({ status: "initiated", amount: 100 })
        expect(again.status).toBe(409)
        expect((yield* actOn(waiting.payment_id, { action: "review" }, acme.token("staff"))).status).toBe(200)
        yield* untilStatus(waiting.payment_id, "completed")
        expect([yield* balance, yield* heldBy(acme.org_id)]).toEqual([0, held])
        expect((yield* actOn(waiting.payment_id, { action: "reject" }, acme.token("staff"))).status).toBe(409)
        yield* expectBooksInOrder
      })
    )

    it.effect("need a beneficiary of the organisation, in the escrow's currency", () =>
      Effect.gen(function* () {
        const { acme, escrow, payOut } = yield* fixture(null)
        const { globex } = yield* people
        yield* disburse(acme.key, escrow, 0)
        const none = yield* payOut({})
        expect(refusedFields(none)).toEqual([400, "beneficiary_id"])
        const theirs = yield* newBeneficiary(globex.key)
        expect((yield* payOut({ beneficiary_id: theirs })).status).toBe(400)
        const nobody = yield* act(acme.key, escrow, `/parties/${randomUUID()}/payout`, { beneficiary_id: theirs })
        expect([nobody.status, messageOf(nobody)]).toEqual([404, expect.stringContaining("party")])
        const beneficiary_id = yield* newBeneficiary(acme.key)
        const twice = yield* Effect.all([payOut({ beneficiary_id }), payOut({ beneficiary_id })], {
          concurrency: "unbounded"
        })
        expect(twice.map(({ status }) => status).toSorted(), "paid once").toEqual([200, 409])
        yield* expectBooksInOrder
      })
    )

    it.effect("carry the organisation's fee out of the party's share", () =>
      Effect.gen(function* () {
        const fees = yield* Fees
        const { acme, balance, escrow } = yield* fixture("3344")
        const subject = { org_id: acme.org_id, payment_method: "bank_transfer", direction: "outbound" } as const
        const setFee = (basis_points: number, fixed: string | null) =>
          fees.set(operatorPermit("platform", "olga"), subject, {
            basis_points,
            fixed: fixed === null ? null : money(fixed)
          })
        yield* setFee(250, "1.50 KES")
        yield* disburse(acme.key, escrow, 0).pipe(Effect.ensuring(Effect.orDie(setFee(0, null))))
        const [paid] = yield* detailsOf("escrow.party_payout", escrow)
        const record = yield* untilStatus(String(paid?.["payment_id"]), "completed")
        expect(record).toMatchObject({ amount: 96.1, total_fees: 3.9 })
        expect(yield* balance).toBe(0)
        yield* expectBooksInOrder
      })
    )
  }
)
