/** Scope of an idempotency key: the organisation that a request touches, and the route with its parameters. */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import {
  ask,
  balanceOf,
  deposit,
  expectBooksInOrder,
  newBeneficiary,
  openAccount
} from "../../treasury/accounts/AccountFixtures.ts"
import { milestonePath, newEscrow } from "../../treasury/escrow/EscrowFixtures.ts"
import { kenyanPhone, payoutByPhone } from "../../payments/support/Requests.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, post } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"

const INITIATE = "/v1/payments-init/initiate"

onDatabaseServer("The owner of an idempotency key", (it) => {
  it.effect("is the account's or escrow's organisation for a platform admin who has none", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const { account_id } = yield* openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff") })
      yield* deposit(acme.key, account_id, 100)
      const other = yield* openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff") })
      const beneficiary_id = yield* newBeneficiary(acme.key)
      const made = yield* newEscrow(1000)
      const party = made.parties[0]!.party_id
      const inEscrow = (path: string) => `/escrow/${made.escrow_id}${path}`
      const steps: ReadonlyArray<readonly [string, object]> = [
        [`/${account_id}/simulate-deposit`, { amount: 10 }],
        ["/transfer", { from_account_id: account_id.toUpperCase(), to_account_id: other.account_id, amount: 20 }],
        [`/${account_id}/withdraw`, { amount: 30, beneficiary_id }],
        [inEscrow("/fund"), { amount: 150 }],
        [inEscrow(milestonePath(made, 0, "disburse")), {}],
        [inEscrow(`/parties/${party}/payout`), { beneficiary_id }],
        [inEscrow("/cancel"), {}]
      ]
      for (const [path, body] of steps) {
        const headers = { "idempotency-key": randomUUID() }
        const first = yield* ask(admin, path, body, headers)
        expect(first.status, `${path}: ${first.text}`).toBe(200)
        for (const who of [admin, acme.key]) {
          const again = yield* ask(who, path, body, headers)
          expect([again.status, again.text], path).toEqual([200, first.text])
          expect(again.headers["idempotent-replayed"]).toBe("true")
        }
      }
      expect(yield* balanceOf(acme.key, account_id)).toBe(60)
      expect(yield* balanceOf(acme.key, made.account_id)).toBe(899.99)
      yield* expectBooksInOrder
    })
  )

  it.effect("has no owner if a platform admin names nothing that exists", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      const headers = { "idempotency-key": randomUUID() }
      const unknown = randomUUID()
      const steps: ReadonlyArray<readonly [string, object]> = [
        [`/${unknown}/simulate-deposit`, { amount: 10 }],
        [`/${unknown}/withdraw`, { amount: 30, beneficiary_id: unknown }],
        ["/transfer", { from_account_id: unknown, to_account_id: unknown, amount: 20 }],
        [`/escrow/${unknown}/fund`, { amount: 150 }],
        [`/escrow/${unknown}/milestones/${unknown}/disburse`, {}],
        [`/escrow/${unknown}/parties/${unknown}/payout`, { beneficiary_id: unknown }],
        [`/escrow/${unknown}/cancel`, {}]
      ]
      for (const [path, body] of steps) {
        const answer = yield* ask(admin, path, body, headers)
        expect([400, 404], `${path}: ${answer.text}`).toContain(answer.status)
      }
      const action = yield* post(`/v1/payments-init/${unknown}/action`, { ...admin, ...headers }, { action: "refund" })
      expect(action.status, action.text).toBe(404)
      const initiation = yield* post(INITIATE, { ...admin, ...headers }, payoutByPhone(unknown))
      expect(initiation.status, initiation.text).toBe(400)
      const malformed = yield* ask(admin, `/escrow/${unknown}/cancel`, {}, { "idempotency-key": "k".repeat(256) })
      expect(malformed.status, malformed.text).toBe(400)
    })
  )

  it.effect("does not reach what the caller may not do themselves", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const beneficiary = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanPhone())
      const { beneficiary_id } = (bodyOf(beneficiary) as { readonly data: { readonly beneficiary_id: string } }).data
      const key = { "idempotency-key": randomUUID() }
      const payout = payoutByPhone(beneficiary_id)
      const sent = yield* post(INITIATE, { ...acme.token("staff"), ...key }, payout)
      expect(sent.status, sent.text).toBe(200)
      const replayed = yield* post(INITIATE, { ...acme.token("staff"), ...key }, payout)
      expect(replayed.headers["idempotent-replayed"]).toBe("true")
      const member = yield* post(INITIATE, { ...acme.token("member"), ...key }, payout)
      expect(member.status).toBe(403)
      expect(bodyOf(member)).toMatchObject({ code: "FORBIDDEN" })
    })
  )

  it.effect("is one for an id in capital letters and in small ones", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff") })
      const headers = { "idempotency-key": randomUUID() }
      for (const id of [account_id, account_id.toUpperCase(), account_id]) {
        expect((yield* ask(acme.key, `/${id}/simulate-deposit`, { amount: 10 }, headers)).status).toBe(200)
      }
      expect(yield* balanceOf(acme.key, account_id)).toBe(10)
    })
  )
})
