/** Calls shared by the KYB suites. */
import { createHmac } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { OrganizationStore } from "../../../src/people/organizations/OrganizationStore.ts"
import { EventStore } from "../../../src/webhooks/EventStore.ts"
import { newMember, newOrganization } from "../../support/StoreFixtures.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"

export const SECRET = "the KYB provider's secret"
export const CALLBACK = "/v1/organizations/webhook/kyb"

export const sign = (body: string | Uint8Array, secret = SECRET): string =>
  createHmac("sha256", secret).update(body).digest("hex")

export const deliver = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  send(CALLBACK, {
    method: "POST",
    headers: { "content-type": "application/json", "x-kyb-signature": sign(body), ...headers },
    body
  })

export const callBack = (callback: Readonly<Record<string, unknown>>) => deliver(JSON.stringify(callback))

export const initiate = (orgId: string, body?: object) =>
  Effect.flatMap(people, ({ admin }) =>
    body === undefined
      ? send(`/v1/organizations/${orgId}/kyb`, { method: "POST", headers: { ...admin } })
      : post(`/v1/organizations/${orgId}/kyb`, { ...admin }, body)
  )

export interface Started {
  readonly org_id: OrgId
  readonly kyb_status: string
  readonly kyb_customer_id: string
}

export const startedAgain = (orgId: OrgId, body?: object) =>
  Effect.map(initiate(orgId, body), (answer) => {
    expect(answer.status, answer.text).toBe(201)
    return (bodyOf(answer) as { readonly data: Started }).data
  })

/** An organisation of the test's own, whose KYB is pending. */
export const started = Effect.gen(function* () {
  const { org_id } = yield* newOrganization()
  yield* newMember(org_id, "org-admin")
  return yield* startedAgain(org_id)
})

export const statusOf = (orgId: OrgId) =>
  Effect.flatMap(OrganizationStore, (store) =>
    Effect.map(store.find(Option.none(), orgId), (found) => Option.getOrThrow(found).kyb_status)
  )

/** Oldest first. */
export const kybEvents = (orgId: OrgId) =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const events = yield* store.list(Option.some(orgId), {}, { after: Option.none(), take: 100 })
    return events
      .map(({ payload }) => JSON.parse(payload) as { readonly event_type: string; readonly data: unknown })
      .filter(({ event_type }) => event_type.startsWith("kyb."))
      .toReversed()
  })
