/** PUT …/milestones/{milestone_id}/parties: its three forms and its five refusals. */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { dataOf, messageOf } from "../accounts/AccountFixtures.ts"
import { idFrom } from "../../support/AnyId.ts"
import { people } from "../../support/TestCredentials.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { act, auditOf, disburse, escrowOf, fund, type Milestone, newEscrow, putParties } from "./EscrowFixtures.ts"

const whole = { parties: [{ name: "Builder", split_type: "percentage", split_value: 100 }] }

onDatabaseServer("Party splits", (it) => {
  const fixture = Effect.gen(function* () {
    const { acme } = yield* people
    const made = yield* newEscrow(1000)
    const [builder, surveyor] = made.parties.map(({ party_id }) => party_id) as [string, string]
    const put = (body: unknown, at = 0) => putParties(acme.key, made, at, JSON.stringify(body))
    const valuesOf = ({ parties }: Milestone) => parties.map(({ split_value }) => split_value)
    return { acme, made, builder, surveyor, put, valuesOf }
  })

  it.effect("are changed by a list in a wrapper, by a bare list, and by one update", () =>
    Effect.gen(function* () {
      const { acme, builder, made, put, surveyor, valuesOf } = yield* fixture
      const wrapped = yield* put({
        parties: [
          { party_id: surveyor, split_value: 0.05 },
          { party_id: builder.toUpperCase(), split_value: 99.95 }
        ]
      })
      const milestone = dataOf<Milestone>(wrapped)
      expect(milestone).toEqual({ ...made.milestones[0], parties: milestone.parties })
      expect(milestone.parties).toEqual([
        { party_id: builder, split_type: "percentage", split_value: 99.95 },
        { party_id: surveyor, split_type: "percentage", split_value: 0.05 }
      ])
      const bare = yield* put([
        { party_id: builder, split_value: 12.5 },
        { party_id: surveyor, split_value: 87.5 }
      ])
      expect(valuesOf(dataOf<Milestone>(bare))).toEqual([12.5, 87.5])
      const single = yield* put({ party_id: surveyor, split_value: 87.5, split_type: "fixed", extra: 1 })
      expect(valuesOf(dataOf<Milestone>(single)), "others keep theirs").toEqual([12.5, 87.5])
      const fixed = yield* put(
        [
          { party_id: builder, split_value: 199.99 },
          { party_id: surveyor, split_value: 0.01 }
        ],
        1
      )
      expect(fixed.text).toContain('"split_value":199.99')
      const after = yield* escrowOf(acme.key, made)
      expect(after.milestones.map(valuesOf)).toEqual([
        [12.5, 87.5],
        [199.99, 0.01]
      ])
      yield* fund(acme.key, made, 300.01)
      yield* disburse(acme.key, made, 0)
      expect((yield* escrowOf(acme.key, made)).parties.map(({ balance }) => balance)).toEqual([12.5, 87.51])
      const audited = yield* auditOf(acme.key, "escrow.splits_changed")
      expect(audited.filter(({ subject_id }) => subject_id === made.escrow_id)).toHaveLength(4)
    })
  )

  it.effect("of one party alone are the whole", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* newEscrow(0, {
        parties: [{ name: "Builder" }, { name: "Watcher" }],
        milestones: [{ label: "All", sequence: 0, expected_disbursement: 5, ...whole }]
      })
      const [builder, watcher] = made.parties.map(({ party_id }) => party_id)
      const put = (body: object) => putParties(acme.key, made, 0, JSON.stringify(body))
      expect((yield* put({ party_id: builder, split_value: 100 })).status).toBe(200)
      expect((yield* put({ party_id: builder, split_value: 99 })).status).toBe(400)
      const other = yield* put({ party_id: watcher, split_value: 100 })
      expect([other.status, messageOf(other)], "not one of this milestone's").toEqual([
        404,
        expect.stringMatching(/\bparty of this milestone\b/)
      ])
    })
  )

  it.effect("are refused with 400 when the body or the whole is wrong", () =>
    Effect.gen(function* () {
      const { acme, builder, made, put, surveyor } = yield* fixture
      const pair = (a: unknown, b: unknown) => [
        { party_id: builder, split_value: a },
        { party_id: surveyor, split_value: b }
      ]
      const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
        [{ parties: [] }, /^parties: must have at least one item\.$/],
        [[], /^parties: must have at least one item\.$/],
        [{}, /^parties\[0\]\.party_id: .*; parties\[0\]\.split_value: /],
        [{ parties: {} }, /^parties: /],
        [{ parties: pair(50, "50") }, /^parties\[1\]\.split_value: is not a JSON number/],
        [pair(50, 0), /^parties\[1\]\.split_value: is not above zero/],
        [pair(50, -50), /^parties\[1\]\.split_value: is not above zero/],
        [[{ party_id: builder }], /^parties\[0\]\.split_value: is missing/],
        [{ party_id: 7, split_value: 50 }, /^parties\[0\]\.party_id: /],
        [pair(60, 39.99), /^parties: split_value: the percentages add up to 99\.99, and must add up to exactly 100\.$/],
        [{ party_id: builder, split_value: 50 }, /^parties: split_value: the percentages add up to 83\.4/],
        [[...pair(60, 40), { party_id: builder, split_value: 60 }], /^parties\[2\]\.party_id: is given more than once/]
      ]
      for (const [body, message] of cases) {
        const answer = yield* put(body)
        expect(answer.status, answer.text).toBe(400)
        expect(messageOf(answer)).toMatch(message)
      }
      const fixed = yield* put(pair(150.001, 49.999), 1)
      expect(refusedFields(fixed)).toEqual([400, "parties[0].split_value"])
      const short = yield* put(pair(150, 49), 1)
      expect(messageOf(short)).toMatch(/^parties: split_value: .*\b199\.00 KES\b.*\b200\.00 KES\b/)
      for (const body of ["7", '"all"', "null", "{", "[1]"]) {
        expect((yield* putParties(acme.key, made, 0, body)).status, body).toBe(400)
      }
      expect(yield* escrowOf(acme.key, made), "nothing was changed").toEqual(made)
    })
  )

  it.effect("are refused with 401, 403, 404 and 409 for the other reasons", () =>
    Effect.gen(function* () {
      const { acme, builder, made, put, surveyor } = yield* fixture
      const { globex } = yield* people
      const body = JSON.stringify([
        { party_id: builder, split_value: 50 },
        { party_id: surveyor, split_value: 50 }
      ])
      const by = (credential: typeof acme.key, escrow = made) => putParties(credential, escrow, 0, body)
      expect((yield* by({ authorization: "NONE", "x-api-key": "NONE" })).status).toBe(401)
      expect((yield* by(acme.token("staff"))).status, "role").toBe(403)
      expect((yield* by(globex.token("org-admin"))).status, "feature").toBe(403)
      const [first] = made.milestones
      const unknown = [
        { ...made, escrow_id: idFrom(randomUUID()) },
        { ...made, escrow_id: idFrom("not-an-id") },
        { ...made, milestones: [{ ...first!, milestone_id: randomUUID() }] }
      ]
      for (const escrow of unknown) expect((yield* by(acme.key, escrow)).status).toBe(404)
      const nobody = yield* put([{ party_id: randomUUID(), split_value: 100 }])
      expect([nobody.status, messageOf(nobody)]).toEqual([404, expect.stringMatching(/\bparty of this milestone\b/)])
      yield* fund(acme.key, made, 300.01)
      yield* disburse(acme.key, made, 0)
      const over = yield* by(acme.key)
      expect([over.status, messageOf(over)]).toEqual([409, expect.stringContaining("disbursed")])
      yield* act(acme.key, made, "/cancel")
      expect((yield* put([{ party_id: builder, split_value: 150 }], 1)).status, "canceled").toBe(409)
    })
  )
})
