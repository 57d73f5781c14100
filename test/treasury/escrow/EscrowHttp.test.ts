import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import {
  ask,
  balanceOf,
  dataOf,
  eventsOf,
  expectBooksInOrder,
  get,
  messageOf,
  newBeneficiary,
  openAccount,
  transactionsOf
} from "../accounts/AccountFixtures.ts"
import { clientFor } from "../../support/Client.ts"
import { people } from "../../support/TestCredentials.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import {
  act,
  auditOf,
  create,
  disburse,
  draft,
  type Escrow,
  escrowOf,
  foundation,
  fund,
  milestonePath,
  newAccount,
  newEscrow,
  roof
} from "./EscrowFixtures.ts"

const held = ({ escrow_id }: Escrow) =>
  Effect.flatMap(LedgerStore, (ledger) =>
    Effect.map(ledger.balance(LedgerAccount.escrow(escrow_id, CurrencyCode.make("KES"))), (money) => money.toString())
  )

onDatabaseServer("Escrow", (it) => {
  it.effect("answers with every field, and no other", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const account_id = yield* newAccount()
      const answer = yield* ask(acme.key, "/escrow", draft(account_id))
      expect(answer.text).toContain('"total_amount":300.01,"funded_amount":0.00,"disbursed_amount":0.00')
      expect(answer.text).toContain('"expected_disbursement":200.00')
      expect(answer.text).toContain('"split_value":66.6')
      expect(answer.text).toContain('"split_value":150.00')
      const made = dataOf<Escrow>(answer, 201)
      const { created_at, escrow_id, milestones, parties, updated_at, ...rest } = made
      expect(rest).toEqual({
        name: "Clinic",
        currency: "KES",
        account_id,
        status: "active",
        total_amount: 300.01,
        funded_amount: 0,
        disbursed_amount: 0
      })
      expect(updated_at).toBe(created_at)
      const ids = parties.map(({ party_id }) => party_id)
      expect(parties).toEqual(
        ["Builder", "Surveyor"].map((name, at) => ({
          party_id: ids[at],
          name,
          beneficiary_id: null,
          account_id: null,
          email: null,
          balance: 0
        }))
      )
      expect(milestones[0]).toEqual({
        milestone_id: milestones[0]?.milestone_id,
        label: "Foundation",
        sequence: 1,
        expected_disbursement: 100.01,
        status: "pending",
        disbursed_total: 0,
        description: null,
        due_date: null,
        contract_submitted_at: null,
        disbursed_at: null,
        parties: [
          { party_id: ids[0], split_type: "percentage", split_value: 66.6 },
          { party_id: ids[1], split_type: "percentage", split_value: 33.4 }
        ],
        funding_status: "unfunded",
        covered_amount: 0
      })
      expect(milestones.map(({ label }) => label)).toEqual(["Foundation", "Roof"])
      expect(yield* escrowOf(acme.key, { escrow_id })).toEqual(made)
      const listed = dataOf<ReadonlyArray<Escrow>>(yield* get(acme.key, "/escrow?limit=1"))
      expect(listed).toEqual([made])
      expect(yield* auditOf(acme.key, "escrow.created")).toContainEqual(
        expect.objectContaining({ subject_id: escrow_id }) as unknown
      )
    })
  )

  it.effect("is listed newest first, page by page, by account and status", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const account_id = yield* newAccount(1000)
      const first = yield* create(acme.key, draft(account_id))
      const second = yield* create(acme.key, draft(account_id, { milestones: [roof, foundation] }))
      expect(second.milestones.map(({ label }) => label)).toEqual(["Foundation", "Roof"])
      yield* act(acme.key, first, "/cancel")
      const { escrow } = yield* clientFor(acme.key)
      const listOf = (about: object) => escrow.list({ urlParams: { limit: 1, account_id, ...about } })
      const page = yield* listOf({})
      expect(page.data.map(({ escrow_id }) => escrow_id)).toEqual([second.escrow_id])
      const next = yield* listOf({ last_evaluated_key: page.last_evaluated_key })
      expect(next.data.map(({ escrow_id }) => escrow_id)).toEqual([first.escrow_id])
      expect(next.last_evaluated_key).toBeNull()
      const [canceled] = (yield* listOf({ status: "canceled" })).data
      expect(canceled?.escrow_id).toBe(first.escrow_id)
      expect((yield* get(acme.key, "/escrow?status=lost")).status).toBe(400)
    })
  )

  it.effect("is refused with the field that is wrong", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const account_id = yield* newAccount()
      const dollars = yield* newAccount(0, "USD")
      const theirs = yield* openAccount(globex.key, { org_id: globex.org_id, user_id: globex.userId("staff") })
      const stranger = yield* newBeneficiary(globex.key)
      const one = (about: object) => ({ milestones: [{ ...foundation, ...about }] })
      const split = (...parties: ReadonlyArray<object>) => one({ parties })
      const half = { split_type: "percentage", split_value: 50 }
      const cases: ReadonlyArray<readonly [object, number, RegExp]> = [
        [{ name: "" }, 400, /^name: /],
        [{ currency: "kes" }, 400, /^currency: /],
        [{ account_id: randomUUID() }, 404, /^account_id: no virtual account with this id\.$/],
        [{ account_id: theirs.account_id }, 404, /^account_id: no virtual account with this id\.$/],
        [{ account_id: dollars }, 400, /^account_id: is in USD/],
        [{ parties: [] }, 400, /^parties: must have at least one item/],
        [{ parties: [{ name: "Builder" }, { name: "Builder" }] }, 400, /^parties\[1\]\.name: /],
        [{ parties: [{ name: "Builder", email: "nobody" }] }, 400, /^parties\[0\]\.email: /],
        [
          { parties: [{ name: "Builder" }, { name: "Surveyor", account_id: theirs.account_id }] },
          404,
          /^parties\[1\]\.account_id: no virtual/
        ],
        [
          { parties: [{ name: "Builder", beneficiary_id: stranger }, { name: "Surveyor" }] },
          400,
          /^parties\[0\]\.beneficiary_id: is not a beneficiary/
        ],
        [{ milestones: [] }, 400, /^milestones: must have at least one item/],
        [{ milestones: [foundation, { ...roof, sequence: 1 }] }, 400, /^milestones\[1\]\.sequence: /],
        [one({ sequence: 1.5 }), 400, /^milestones\[0\]\.sequence: must be a whole number/],
        [one({ expected_disbursement: 100.001 }), 400, /^milestones\[0\]\.expected_disbursement: has more than 2/],
        [one({ expected_disbursement: 0 }), 400, /^milestones\[0\]\.expected_disbursement: is not above zero/],
        [one({ due_date: "2026-02-30" }), 400, /^milestones\[0\]\.due_date: must be a day/],
        [split({ ...half, name: "Builder" }), 400, /^milestones\[0\]\.parties: the percentages add up to 50/],
        [split({ ...half, name: "Plumber" }), 400, /^milestones\[0\]\.parties\[0\]\.name: is not one of/],
        [split(half), 400, /^milestones\[0\]\.parties\[0\]: needs the party_id or the name/],
        [
          split({ ...half, name: "Builder" }, { ...half, name: "Builder" }),
          400,
          /^milestones\[0\]\.parties\[1\]\.name: this party has a split/
        ],
        [
          split({ ...half, name: "Builder" }, { name: "Surveyor", split_type: "fixed", split_value: 50 }),
          400,
          /^milestones\[0\]\.parties: .*mixed/
        ],
        [
          split({ name: "Builder", split_type: "fixed", split_value: 100 }),
          400,
          /^milestones\[0\]\.parties: the fixed splits add up to 100\.00 KES, and must add up to 100\.01 KES/
        ],
        [split({ ...half, name: "Builder", split_type: "half" }), 400, /^milestones\[0\]\.parties\[0\]\.split_type: /]
      ]
      for (const [about, status, message] of cases) {
        const answer = yield* ask(acme.key, "/escrow", draft(account_id, { ...about }))
        expect(answer.status, answer.text).toBe(status)
        expect(messageOf(answer)).toMatch(message)
      }
      expect((yield* ask(admin, "/escrow", draft(account_id))).status, "an admin says for whom").toBe(400)
      const forAcme = draft(account_id, { org_id: acme.org_id })
      expect((yield* ask(admin, "/escrow", forAcme)).status).toBe(201)
      expect((yield* ask(acme.key, "/escrow", { ...forAcme, org_id: globex.org_id })).status).toBe(403)
    })
  )

  it.effect("takes parties by a reference of the caller's, and due dates of both kinds", () =>
    Effect.gen(function* () {
      const whole = { split_type: "percentage", split_value: 100 }
      const made = yield* newEscrow(0, {
        parties: [{ party_id: "b", name: "Builder", email: "b@builder.example" }],
        milestones: [
          { ...foundation, description: "Laid", due_date: "2026-04-30", parties: [{ party_id: "b", ...whole }] },
          { ...roof, due_date: "2026-05-31T12:00:00+03:00", parties: [{ party_id: "b", ...whole }] }
        ]
      })
      expect(made.parties).toMatchObject([{ name: "Builder", email: "b@builder.example" }])
      expect(made.milestones).toMatchObject([
        { description: "Laid", due_date: "2026-04-30", parties: [{ party_id: made.parties[0]?.party_id }] },
        { due_date: "2026-05-31T12:00:00+03:00" }
      ])
    })
  )

  it.effect("is funded from its account, and covers its milestones in sequence", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* newEscrow(1000)
      const after = yield* fund(acme.key, made, 60.5)
      expect(after).toMatchObject({ funded_amount: 60.5, status: "active" })
      const seen = ({ milestones }: Escrow) =>
        milestones.map(({ covered_amount, funding_status }) => [covered_amount, funding_status])
      expect(seen(after)).toEqual([
        [60.5, "partially_funded"],
        [0, "unfunded"]
      ])
      expect(seen(yield* fund(acme.key, made, 139.5))).toEqual([
        [100.01, "funded"],
        [99.99, "partially_funded"]
      ])
      expect(seen(yield* fund(acme.key, made, 100.01))).toEqual([
        [100.01, "funded"],
        [200, "funded"]
      ])
      expect(yield* balanceOf(acme.key, made.account_id)).toBe(699.99)
      expect(yield* held(made)).toBe("300.01 KES")
      const [newest] = yield* transactionsOf(acme.key, made.account_id)
      expect(newest).toMatchObject({ type: "debit", status: "completed", amount: 100.01, payment_rail: "escrow" })
      const [event] = yield* eventsOf(acme.key, "virtual_account.withdrawal")
      expect(event?.data).toEqual({ ...newest, balance: 699.99 })
      expect(yield* auditOf(acme.key, "escrow.funded")).toContainEqual(
        expect.objectContaining({ subject_id: made.escrow_id }) as unknown
      )
      yield* expectBooksInOrder
    })
  )

  it.effect("takes no more than its total, nor what is not there", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const made = yield* newEscrow(250)
      const refused = (amount: number) => act(acme.key, made, "/fund", { amount })
      const tooMuch = yield* refused(300.02)
      expect([tooMuch.status, messageOf(tooMuch)]).toEqual([400, expect.stringMatching(/^amount: .*\b300\.01 KES\b/)])
      expect((yield* refused(10.001)).status, "finer than a cent").toBe(400)
      expect((yield* refused(-1)).status).toBe(400)
      const short = yield* refused(250.01)
      expect([short.status, messageOf(short)]).toEqual([409, expect.stringMatching(/^Not enough money/)])
      yield* ask(admin, `/${made.account_id}/freeze`, { reason: "look at it" })
      const frozen = yield* refused(1)
      expect([frozen.status, messageOf(frozen)]).toEqual([409, expect.stringContaining("frozen")])
      yield* ask(admin, `/${made.account_id}/unfreeze`)
      yield* fund(acme.key, made, 250)
      expect(yield* balanceOf(acme.key, made.account_id)).toBe(0)
      expect(yield* escrowOf(acme.key, made)).toMatchObject({ funded_amount: 250 })
      yield* expectBooksInOrder
    })
  )

  it.effect("notes a contract, again and again until the milestone is over", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* newEscrow(1000)
      const path = milestonePath(made, 0, "contract")
      const submitted = dataOf<object>(yield* act(acme.key, made, path, { reference: "C-1" }))
      expect(submitted).toMatchObject({ status: "contract_submitted", contract_submitted_at: expect.any(String) })
      expect(Object.keys(submitted).toSorted()).toEqual(Object.keys(made.milestones[0]!).toSorted())
      expect((yield* act(acme.key, made, path)).status).toBe(200)
      const audited = yield* auditOf(acme.key, "escrow.contract_submitted")
      const references = audited.filter(({ subject_id }) => subject_id === made.escrow_id)
      expect(references.map(({ detail }) => detail["reference"])).toEqual([null, "C-1"])
      yield* fund(acme.key, made, 300.01)
      yield* disburse(acme.key, made, 0)
      expect((yield* act(acme.key, made, path)).status).toBe(409)
      const elsewhere = yield* newEscrow(0)
      const notHere = yield* act(acme.key, elsewhere, path)
      expect([notHere.status, messageOf(notHere)]).toEqual([404, expect.stringContaining("milestone")])
    })
  )

  it.effect("shares a milestone out to accounts and to names, exact to the last cent", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const account = yield* newAccount()
      const parties = [{ name: "Builder", account_id: account }, { name: "Surveyor" }]
      const made = yield* newEscrow(1000, { parties })
      yield* fund(acme.key, made, 300)
      const early = yield* act(acme.key, made, milestonePath(made, 1, "disburse"))
      expect([early.status, messageOf(early)]).toEqual([409, expect.stringMatching(/\bmilestone\b.*\b0\.01 KES\b/)])
      const first = yield* disburse(acme.key, made, 0, { description: "Well done" })
      expect(first).toMatchObject({
        status: "disbursed",
        disbursed_total: 100.01,
        disbursed_at: expect.any(String) as unknown,
        covered_amount: 100.01,
        funding_status: "funded"
      })
      expect(yield* balanceOf(acme.key, account)).toBe(66.61)
      const [credit] = yield* transactionsOf(acme.key, account)
      expect(credit).toMatchObject({
        type: "credit",
        status: "completed",
        amount: 66.61,
        payment_rail: "escrow",
        description: "Well done",
        reference: first.milestone_id
      })
      const [event] = yield* eventsOf(acme.key, "virtual_account.deposit")
      expect(event?.data).toEqual({ ...credit, balance: 66.61 })
      const between = yield* escrowOf(acme.key, made)
      expect(between).toMatchObject({ status: "active", funded_amount: 300, disbursed_amount: 100.01 })
      expect(between.parties.map(({ balance }) => balance)).toEqual([0, 33.4])
      expect(yield* held(made)).toBe("199.99 KES")
      expect((yield* act(acme.key, made, milestonePath(made, 0, "disburse"))).status, "once only").toBe(409)
      yield* fund(acme.key, made, 0.01)
      yield* disburse(acme.key, made, 1)
      const done = yield* escrowOf(acme.key, made)
      expect(done).toMatchObject({ status: "completed", disbursed_amount: 300.01 })
      expect(done.parties.map(({ balance }) => balance)).toEqual([0, 83.4])
      expect(yield* balanceOf(acme.key, account)).toBe(216.61)
      expect(yield* held(made)).toBe("0.00 KES")
      for (const step of ["/fund", "/cancel"]) {
        expect((yield* act(acme.key, made, step, { amount: 1 })).status, step).toBe(409)
      }
      const audited = yield* auditOf(acme.key, "escrow.disbursed")
      expect(audited.filter(({ subject_id }) => subject_id === made.escrow_id)).toHaveLength(2)
      yield* expectBooksInOrder
    })
  )

  it.effect("gives back what is left when it is canceled", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const made = yield* newEscrow(1000)
      yield* fund(acme.key, made, 250)
      yield* disburse(acme.key, made, 0)
      yield* ask(admin, `/${made.account_id}/freeze`)
      const canceled = dataOf<Escrow>(yield* act(acme.key, made, "/cancel", { reason: "called off" }))
      expect(canceled).toMatchObject({ status: "canceled", funded_amount: 100.01, disbursed_amount: 100.01 })
      expect(canceled.milestones).toMatchObject([
        { status: "disbursed", covered_amount: 100.01, funding_status: "funded" },
        { status: "canceled", covered_amount: 0, funding_status: "unfunded", disbursed_total: 0 }
      ])
      expect(canceled.parties.map(({ balance }) => balance)).toEqual([66.61, 33.4])
      expect(yield* balanceOf(acme.key, made.account_id), "a frozen account takes money").toBe(899.99)
      const [credit] = yield* transactionsOf(acme.key, made.account_id)
      expect(credit).toMatchObject({ type: "credit", amount: 149.99, payment_rail: "escrow" })
      const [event] = yield* eventsOf(acme.key, "virtual_account.deposit")
      expect(event?.data).toEqual({ ...credit, balance: 899.99 })
      expect(yield* held(made)).toBe("0.00 KES")
      const steps = ["/cancel", "/fund", milestonePath(made, 1, "disburse"), milestonePath(made, 1, "contract")]
      for (const step of steps) expect((yield* act(acme.key, made, step, { amount: 1 })).status, step).toBe(409)
      yield* expectBooksInOrder
    })
  )

  it.effect("can be canceled before anything came in", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* newEscrow(0)
      const canceled = dataOf<Escrow>(yield* act(acme.key, made, "/cancel"))
      expect(canceled).toMatchObject({ status: "canceled", funded_amount: 0 })
      expect(yield* transactionsOf(acme.key, made.account_id)).toEqual([])
      yield* expectBooksInOrder
    })
  )

  it.effect("moves money once for each key", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* newEscrow(1000)
      const once = (path: string, body: object, key: string) =>
        act(acme.key, made, path, { ...body }, { "idempotency-key": key })
      const steps = [
        ["/fund", { amount: 150 }, { amount: 151 }],
        [milestonePath(made, 0, "disburse"), { description: "a" }, { description: "b" }],
        ["/cancel", { reason: "a" }, { reason: "b" }]
      ] as const
      for (const [path, body, other] of steps) {
        const first = yield* once(path, body, "k-1")
        expect(first.status, first.text).toBe(200)
        const again = yield* once(path, body, "k-1")
        expect([again.status, again.text]).toEqual([200, first.text])
        expect(again.headers["idempotent-replayed"]).toBe("true")
        expect((yield* once(path, other, "k-1")).status).toBe(409)
      }
      expect(yield* balanceOf(acme.key, made.account_id)).toBe(899.99)
      yield* expectBooksInOrder
    })
  )

  it.effect("is for org-admins of organisations that have the feature", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const made = yield* newEscrow(1000)
      const theirs = yield* openAccount(globex.key, { org_id: globex.org_id, user_id: globex.userId("staff") })
      for (const role of ["staff", "member"] as const) {
        expect((yield* get(acme.token(role), "/escrow")).status).toBe(403)
        expect((yield* act(acme.token(role), made, "/fund", { amount: 1 })).status).toBe(403)
      }
      const refused = yield* get(globex.token("org-admin"), "/escrow")
      expect([refused.status, messageOf(refused)]).toEqual([403, expect.stringContaining('feature "escrow"')])
      expect((yield* ask(globex.key, "/escrow", draft(theirs.account_id))).status).toBe(403)
      expect((yield* get({ authorization: "NONE", "x-api-key": "NONE" }, "/escrow")).status).toBe(401)
      expect(yield* fund(acme.token("org-admin"), made, 1)).toMatchObject({ funded_amount: 1 })
      expect(yield* fund(admin, made, 1), "an admin, by the id alone").toMatchObject({ funded_amount: 2 })
    })
  )
})
