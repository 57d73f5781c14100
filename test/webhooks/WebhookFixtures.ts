/** A server with the tables in sight and a resolver of the test's own, and the calls that the suites share. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Dns } from "../../src/webhooks/ssrf/Dns.ts"
import { openStoresOn } from "../payments/support/PaymentServices.ts"
import type { Credential } from "../support/TestCredentials.ts"
import { type Answer, bodyOf, post, send } from "../support/Send.ts"
import { onServer } from "../support/TestServer.ts"
import type { Variables } from "../support/TestSettings.ts"
import { makeNames, type Names } from "./ssrf/FakeResolver.ts"

export const HOOKS = "/v1/public/webhooks"
export const PUBLIC = "https://shop.example/hook"

type Body = Readonly<Record<string, unknown>>

export interface Hook {
  readonly webhook_id: string
  readonly org_id: string
  readonly endpoint_url: string
  readonly events: ReadonlyArray<string>
  readonly status: string
  readonly disabled_reason: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface FreshHook extends Hook {
  readonly secret_key: string
}

type It = Parameters<Parameters<typeof onServer>[3]>[0]

export const onHookServer = (name: string, tests: (it: It, names: Names) => void, variables: Variables = {}): void => {
  const names = makeNames()
  names.answer("shop.example", ["93.184.216.34"])
  const stores = Layer.orDie(Layer.merge(openStoresOn("PostgreSQL"), Layer.succeed(Dns, names)))
  onServer(name, "PostgreSQL", { stores, variables }, (it) => tests(it, names))
}

export const dataOf = <A>(answer: Answer): A => (bodyOf(answer) as { readonly data: A }).data

export const register = (credential: Credential, body: Body = {}) =>
  post(HOOKS, { ...credential }, { endpoint_url: PUBLIC, ...body })

export const registered = (credential: Credential, body: Body = {}) =>
  Effect.map(register(credential, body), (answer) => {
    expect(answer.status, answer.text).toBe(201)
    return dataOf<FreshHook>(answer)
  })

export const get = (credential: Credential, path: string) => send(path, { headers: { ...credential } })

export const patch = (credential: Credential, id: string, body: Body) =>
  send(`${HOOKS}/${id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json", ...credential },
    body: JSON.stringify(body)
  })

export const remove = (credential: Credential, id: string) =>
  send(`${HOOKS}/${id}`, { method: "DELETE", headers: { ...credential } })

export const rotate = (credential: Credential, id: string, body: Body = {}) =>
  post(`${HOOKS}/${id}/rotate-secret`, { ...credential }, body)

export const notify = (credential: Credential, org_id: string, change: Body = {}) =>
  post(
    `${HOOKS}/notify`,
    { ...credential },
    {
      org_id,
      transaction_data: {
        transaction_id: "tx-1",
        status: "completed",
        amount: 1500,
        currency: "KES",
        updated_at: "2026-03-02T09:15:00Z",
        ...change
      }
    }
  )

export interface DeliveryItem {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: string
  readonly webhook_id: string
  readonly status: string
  readonly attempts: number
  readonly last_status_code: number | null
  readonly last_error: string | null
  readonly next_attempt_at: string | null
  readonly created_at: string
}

export const deliveries = (credential: Credential, query = "") =>
  Effect.map(get(credential, `${HOOKS}/deliveries?limit=100${query}`), (answer) =>
    dataOf<ReadonlyArray<DeliveryItem>>(answer)
  )

export const replay = (credential: Credential, id: string) =>
  send(`${HOOKS}/deliveries/${id}/replay`, { method: "POST", headers: { ...credential } })
