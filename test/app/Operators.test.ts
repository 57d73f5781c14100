/**
 * Operators of the platform act as themselves: by API, with a token of their own, and with their name in the audit log.
 */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { byPhone } from "../payments/support/Requests.ts"
import { type Credential, people } from "../support/TestCredentials.ts"
import { bodyOf, post, send } from "../support/Send.ts"
import { onDatabaseServer } from "../support/TestServer.ts"

interface Entry {
  readonly actor_type: string
  readonly actor_id: string
  readonly actor_name: string | null
  readonly action: string
  readonly subject_id: string
  readonly detail: Readonly<Record<string, unknown>>
}

const entriesOf = (reader: Credential, action: string) =>
  Effect.map(
    send(`/v1/audit-log?action=${action}`, { headers: { ...reader } }),
    (answer) => (bodyOf(answer) as { readonly data: ReadonlyArray<Entry> }).data
  )

const initiated = (credential: Credential, phone: string) =>
  Effect.map(
    post("/v1/payments-init/initiate", { ...credential }, byPhone(phone)),
    (answer) => (bodyOf(answer) as { readonly response: { readonly payment_id: string } }).response.payment_id
  )

const statusOf = (credential: Credential, id: string) =>
  Effect.map(
    send(`/v1/payments/${id}`, { headers: { ...credential } }),
    (answer) => (bodyOf(answer) as { readonly status: string }).status
  )

const variables = { PROVIDER_TIMEOUT: "200 millis", STATUS_ENQUIRY_DELAYS: "1 hour" }

onDatabaseServer(
  "Operators",
  (it) => {
    it.scoped("resolve, refund and freeze by API, in their own name and no other", () =>
      Effect.gen(function* () {
        yield* startWorkers
        const { acme, admin, adminId } = yield* people
        const reader = acme.token("org-admin")

        const unknown = yield* initiated(acme.key, "+254712340003")
        const verdict = { outcome: "completed", reason: "Seen on the provider's statement" }
        const path = `/v1/operations/payments/${unknown}/resolve`
        expect((yield* post(path, { ...acme.token("org-admin") }, verdict)).status).toBe(403)
        expect((yield* post(path, { ...acme.key }, verdict)).status).toBe(403)
        const resolved = yield* post(path, { ...admin }, verdict)
        expect([resolved.status, resolved.text]).toEqual([200, expect.stringContaining('"completed"')])
        const [settled] = yield* entriesOf(reader, "payment.resolved")
        expect(settled).toMatchObject({
          actor_type: "user",
          actor_id: adminId,
          actor_name: "admin@corridor.example",
          subject_id: unknown,
          detail: { outcome: "completed", reason: verdict.reason }
        })

        const paid = yield* initiated(acme.key, "+254712345678")
        yield* Effect.repeat(Effect.delay(statusOf(acme.key, paid), "50 millis"), {
          until: (status) => status === "completed"
        })
        const refund = { action: "refund", reason: "The customer changed their mind" }
        const staff = acme.token("staff")
        const given = yield* post(`/v1/payments-init/${paid}/action`, { ...staff }, refund)
        expect([given.status, given.text]).toEqual([200, expect.any(String)])
        const [asked] = yield* entriesOf(reader, "payment.refund_requested")
        expect(asked).toMatchObject({ actor_type: "user", actor_id: acme.userId("staff"), subject_id: paid })
        expect(asked?.actor_name).toBe("staff@acme.example")

        const opened = yield* post(
          "/v1/virtual-accounts/internal/bank",
          { ...staff },
          { org_id: acme.org_id, user_id: acme.userId("staff"), currency: "KES" }
        )
        const { account_id } = (bodyOf(opened) as { readonly data: { readonly account_id: string } }).data
        const frozen = yield* post(
          `/v1/virtual-accounts/${account_id}/freeze`,
          { ...admin },
          { reason: "A court's order" }
        )
        expect(frozen.status).toBe(200)
        const [freeze] = yield* entriesOf(reader, "virtual_account.frozen")
        expect(freeze).toMatchObject({ actor_type: "user", actor_id: adminId, subject_id: account_id })
      })
    )
  },
  variables
)
