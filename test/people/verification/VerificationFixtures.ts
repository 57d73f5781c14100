/** The calls that the suites on verification share. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { type Notification, NotificationStore } from "../../../src/platform/notifications/NotificationStore.ts"
import { mpesa } from "../../payments/beneficiaries/Examples.ts"
import { newPayment } from "../../payments/support/NewPayment.ts"
import type { Cast, Credential } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"

export const REQUEST = "/v1/users/notifications/verification-request"
export const REQUESTS = "/v1/users/verification-requests"

export type Fields = Readonly<Record<string, unknown>>

export const newBeneficiary = (org: Cast, about: Fields = {}) =>
  Effect.map(post("/v1/beneficiaries", { ...org.key }, { ...mpesa, email: "ada@example.com", ...about }), (answer) => {
    expect(answer.status, answer.text).toBe(201)
    return (bodyOf(answer) as { readonly data: { readonly beneficiary_id: string } }).data.beneficiary_id
  })

/** A body that asks both the sender and the beneficiary of a payment of the organisation. */
export const bodyFor = (org: Cast) =>
  Effect.gen(function* () {
    const user_id = org.userId("org-admin")
    const { payment } = yield* newPayment({ org_id: org.org_id, user_id })
    return {
      user_id,
      target_type: "both",
      transaction_id: payment.transaction_id,
      verification_type: "bvn",
      triggered_by: "compliance review",
      beneficiary_id: yield* newBeneficiary(org),
      sender_id: org.userId("staff")
    }
  })

export const ask = (credential: Credential, body: Fields) => post(REQUEST, { ...credential }, body)

export const close = (credential: Credential, id: string, status: unknown) =>
  send(`${REQUESTS}/${id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json", ...credential },
    body: JSON.stringify({ status })
  })

export const outbox = (orgId: OrgId) =>
  Effect.flatMap(NotificationStore, (store) => store.list(Option.some(orgId), { after: Option.none(), take: 100 }))

export const about = (messages: ReadonlyArray<Notification>, text: string) =>
  messages.filter((message) => message.text.includes(text))
