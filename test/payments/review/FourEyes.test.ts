/** Two people, whatever credentials they use: a key counts as the person who was shown it. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { createKey, rotateKey } from "../../contract/api/Keys.ts"
import { byKey, type Credential, people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { initiate } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { byPhone } from "../support/Requests.ts"
import { act, setThreshold } from "../support/ActionCalls.ts"

onDatabasePaymentServer(
  "Four eyes",
  () => ({}),
  (it) => {
    /** The org-admin rotates a key of a colleague; what that colleague has is no longer theirs alone. */
    const cast = Effect.gen(function* () {
      const { acme } = yield* people
      const users = yield* UserStore
      yield* setThreshold(acme.org_id, "1000")
      yield* users.grant(acme.org_id, acme.userId("staff"), "api_keys", "the test")
      const staff = acme.token("staff")
      const own = yield* createKey(staff, { role: "staff" })
      const boss = acme.token("org-admin")
      const taken = yield* rotateKey(boss, own.api_key_id, 600)
      return { acme, boss, staff, staffsKey: byKey(own.api_key), taken, takenKey: byKey(taken.api_key) }
    })

    const held = (credential: Credential) =>
      Effect.map(initiate({ ...byPhone(), amount: 1000, target_amount: 1000 }, credential), (made) => {
        expect(made.response).toMatchObject({ status: "initiated" })
        return made.payment_id
      })

    it.effect("are not the same two eyes with a rotated key, on either side of the payment", () =>
      Effect.gen(function* () {
        const { acme, boss, staff, staffsKey, taken, takenKey } = yield* cast
        expect(taken).toMatchObject({
          user_id: acme.userId("org-admin"),
          obtained_by: acme.userId("org-admin"),
          role: "staff"
        })
        const statuses = (reviewer: Credential) => (initiator: Credential) =>
          Effect.gen(function* () {
            const id = yield* held(initiator)
            return [
              (yield* act(id, { action: "review" }, reviewer)).status,
              (yield* act(id, { action: "reject" }, reviewer)).status
            ]
          })
        expect(yield* statuses(takenKey)(boss), "sent as themselves, reviewed by the key").toEqual([409, 409])
        expect(yield* statuses(boss)(takenKey), "sent by the key, reviewed as themselves").toEqual([409, 409])
        expect(yield* statuses(takenKey)(takenKey)).toEqual([409, 409])
        expect(yield* statuses(staffsKey)(staff)).toEqual([409, 409])
        expect((yield* statuses(staff)(takenKey))[0], "two people").toBe(200)
        expect((yield* statuses(takenKey)(staffsKey))[0], "two people with a key each").toBe(200)
      }).pipe(Effect.ensuring(Effect.flatMap(people, ({ acme }) => setThreshold(acme.org_id, null))))
    )

    it.effect("are two people's over every pair of credentials, whatever becomes of their roles in between", () =>
      Effect.gen(function* () {
        const { acme, staffsKey } = yield* cast
        const { admin } = yield* people
        const [staff, boss] = [acme.userId("staff"), acme.userId("org-admin")]
        const credentials: ReadonlyArray<readonly [name: string, person: string, Credential]> = [
          ["staff", staff, acme.token("staff")],
          ["staff's key", staff, staffsKey],
          ["staff beside the org-admin's key", staff, { ...acme.token("staff"), "x-api-key": acme.api_key }],
          ["org-admin", boss, acme.token("org-admin")],
          ["org-admin's key", boss, acme.key]
        ]
        const become = (role: string) =>
          send(`/v1/organizations/${acme.org_id}/members/${staff}`, {
            method: "PATCH",
            headers: { ...admin, "content-type": "application/json" },
            body: JSON.stringify({ role })
          })
        for (const [initiator, by, credential] of credentials) {
          const id = yield* held(credential)
          const own = credentials.filter(([, person]) => person === by)
          for (const role of by === staff ? ["org-admin", "staff"] : ["staff"]) {
            expect((yield* become(role)).status).toBe(200)
            for (const [reviewer, , reviewing] of own) {
              const answer = yield* act(id, { action: "review" }, reviewing)
              expect(answer.status, `${reviewer} reviews what ${initiator} initiated, as ${role}`).toBe(409)
            }
          }
        }
        const others = credentials.flatMap(([initiator, by, credential]) =>
          credentials.flatMap(([reviewer, person, reviewing]) =>
            person === by ? [] : [{ name: `${reviewer} reviews what ${initiator} initiated`, credential, reviewing }]
          )
        )
        expect(others).toHaveLength(12)
        for (const { credential, name, reviewing } of others) {
          const answer = yield* act(yield* held(credential), { action: "review" }, reviewing)
          expect(answer.status, name).toBe(200)
        }
      }).pipe(Effect.ensuring(Effect.flatMap(people, ({ acme }) => setThreshold(acme.org_id, null))))
    )
  }
)
