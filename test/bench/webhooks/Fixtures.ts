/** Organisations with their endpoints, and events for them. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { OrgId, WebhookId, Ids } from "../../../src/domain/Ids.ts"
import { OrganizationStore } from "../../../src/people/organizations/OrganizationStore.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { formatSecret, SECRET_BYTES, secretContext } from "../../../src/webhooks/WebhookSecrets.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"

export const newOrganization = Effect.gen(function* () {
  const store = yield* OrganizationStore
  const org_id = yield* Effect.flatMap(Ids, ({ make }) => make(OrgId))
  const about = { name: "Bench", country: "KE", currency: "KES", email: "bench@corridor.example" } as const
  yield* store.insert({ org_id, ...about, features: [], sandbox: true })
  return org_id
})

export const newEndpoint = (org_id: OrgId, endpoint_url: string) =>
  Effect.gen(function* () {
    const [ids, store, vault] = [yield* Ids, yield* WebhookStore, yield* Vault]
    const webhook_id = yield* ids.make(WebhookId)
    const secret = formatSecret(yield* ids.bytes(SECRET_BYTES))
    const secret_sealed = yield* vault.encrypt(secret, secretContext(webhook_id))
    yield* store.insert({ webhook_id, org_id, endpoint_url, events: ["*"], secret_sealed })
  })

/** A statement must not take longer than any other may. */
const AT_A_TIME = 100

/** About as large as those of a payment. */
export const writeEvents = (org_id: OrgId, count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(
      Array.from({ length: Math.ceil(count / AT_A_TIME) }).keys(),
      (nth) =>
        sql`insert into events (event_id, org_id, event_type, payload, created_at)
        select gen_random_uuid(), ${org_id}, 'payment.completed',
          json_build_object('event_id', gen_random_uuid(), 'data', repeat('x', 450))::text, now()
        from generate_series(1, ${Math.min(AT_A_TIME, count - nth * AT_A_TIME)}::int)`
    )
  )
