/** Endpoints and events for the delivery suites, and both kinds of stores under them. */
import { SqlClient } from "@effect/sql"
import { layer, type Vitest } from "@effect/vitest"
import { Context, Effect, Layer, Logger, LogLevel, Option } from "effect"
import { type OrgId, type WebhookId, Ids } from "../../../src/domain/Ids.ts"
import { organizationStoreMemory } from "../../../src/people/organizations/OrganizationMemory.ts"
import { organizationStoreSql } from "../../../src/people/organizations/OrganizationStore.ts"
import { eventStoreMemory, webhookTables } from "../../../src/webhooks/EventMemory.ts"
import { deliveryStoreMemory } from "../../../src/webhooks/delivery/DeliveryMemory.ts"
import { deliveryQueueMemory } from "../../../src/webhooks/delivery/DeliveryQueueMemory.ts"
import { deliveryQueueSql } from "../../../src/webhooks/delivery/DeliveryQueueSql.ts"
import { deadLetterStoreMemory } from "../../../src/webhooks/delivery/DeadLetterMemory.ts"
import { webhookStoreMemory } from "../../../src/webhooks/WebhookMemory.ts"
import { AuditLog, auditStoreSql } from "../../../src/platform/audit/AuditLog.ts"
import { auditStoreMemory } from "../../../src/platform/audit/AuditMemory.ts"
import { MemoryDatabase, openTables, transactorMemory } from "../../../src/platform/database/MemoryDatabase.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { DeadLetters } from "../../../src/webhooks/delivery/DeadLetters.ts"
import { WebhookClient } from "../../../src/webhooks/delivery/WebhookClient.ts"
import { DeliveryStore, deliveryStoreSql } from "../../../src/webhooks/delivery/DeliveryStore.ts"
import { EventStore, eventStoreSql } from "../../../src/webhooks/EventStore.ts"
import { formatSecret, secretContext } from "../../../src/webhooks/WebhookSecrets.ts"
import { WebhookStore, webhookStoreSql } from "../../../src/webhooks/WebhookStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings, TestVault, type Variables } from "../../support/TestSettings.ts"
import { deadLetterStoreSql } from "../../../src/webhooks/delivery/DeadLetterStore.ts"

/** Changes that the API cannot make: they let time pass for an endpoint. */
export class Endpoints extends Context.Tag("test/Endpoints")<
  Endpoints,
  {
    readonly failingSince: (webhookId: WebhookId) => Effect.Effect<Date | null>
    /** Moves the first failure into the past. */
    readonly age: (webhookId: WebhookId, hours: number) => Effect.Effect<void>
    readonly queued: Effect.Effect<number>
  }
>() {}

const endpointsSql = Layer.effect(
  Endpoints,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    failingSince: (id: string) =>
      sql<{ readonly at: Date | null }>`select failing_since as at from webhooks where webhook_id = ${id}`.pipe(
        Effect.map((rows) => rows[0]!.at),
        Effect.orDie
      ),
    age: (id: string, hours: number) =>
      sql`update webhooks set failing_since = failing_since - ${hours} * interval '1 hour' where webhook_id = ${id}`.pipe(
        Effect.orDie,
        Effect.asVoid
      ),
    queued: sql<{ readonly count: number }>`select count(*)::int from webhook_queue`.pipe(
      Effect.map((rows) => rows[0]!.count),
      Effect.orDie
    )
  }))
)

const endpointsMemory = Layer.effect(
  Endpoints,
  Effect.map(openTables(webhookTables), ({ webhookQueue, webhooks }) => ({
    failingSince: (id: string) => Effect.sync(() => webhooks.get(id)!.failing_since),
    age: (id: string, hours: number) =>
      Effect.sync(() => {
        const row = webhooks.get(id)!
        webhooks.set(id, { ...row, failing_since: new Date(row.failing_since!.getTime() - hours * 3_600_000) })
      }),
    queued: Effect.sync(() => webhookQueue.size)
  }))
)

const common = (variables: Variables) =>
  Layer.mergeAll(Ids.layer, TestVault, Logger.minimumLogLevel(LogLevel.None)).pipe(
    Layer.provideMerge(testSettings(variables))
  )

export const onMemory = (variables: Variables = {}) =>
  DeadLetters.layer.pipe(
    Layer.provide(AuditLog.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        auditStoreMemory,
        deadLetterStoreMemory,
        deliveryStoreMemory,
        eventStoreMemory,
        organizationStoreMemory,
        deliveryQueueMemory,
        transactorMemory,
        webhookStoreMemory,
        endpointsMemory
      ).pipe(Layer.provide(MemoryDatabase.layer))
    ),
    Layer.provideMerge(common(variables))
  )

export const onPostgreSQL = (variables: Variables = {}) =>
  DeadLetters.layer.pipe(
    Layer.provide(AuditLog.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        auditStoreSql,
        deadLetterStoreSql,
        deliveryStoreSql,
        eventStoreSql,
        organizationStoreSql,
        deliveryQueueSql,
        Transactor.layer,
        webhookStoreSql,
        endpointsSql
      )
    ),
    Layer.provideMerge(TestDatabase),
    Layer.provideMerge(common(variables))
  )

type Provided = Layer.Layer.Success<ReturnType<typeof onMemory>> | WebhookClient

const options = { excludeTestServices: true, timeout: "60 seconds" } as const

/** Real requests from either kind of stores. */
export const onBothQueues = (
  name: string,
  tests: (it: Vitest.MethodsNonLive<Provided, true>) => void,
  variables: Variables = {}
): void => {
  layer(Layer.provideMerge(WebhookClient.layer, onMemory(variables)), options)(`${name} on memory`, tests)
  layer(Layer.provideMerge(WebhookClient.layer, onPostgreSQL(variables)), options)(`${name} on PostgreSQL`, tests)
}

export interface NewEndpoint {
  readonly webhook_id: WebhookId
  readonly org_id: OrgId
  readonly secret: string
}

export const newEndpointOf = (org_id: OrgId, endpoint_url: string) =>
  Effect.gen(function* () {
    const webhook_id = yield* nextId
    const vault = yield* Vault
    const secret = formatSecret(yield* Effect.flatMap(Ids, (ids) => ids.bytes(32)))
    const secret_sealed = yield* vault.encrypt(secret, secretContext(webhook_id))
    const store = yield* WebhookStore
    yield* store.insert({ webhook_id, org_id, endpoint_url, events: ["*"], secret_sealed })
    const endpoint: NewEndpoint = { webhook_id, org_id, secret }
    return endpoint
  })

/** An endpoint of an organisation of its own. */
export const newEndpoint = (endpoint_url: string) =>
  Effect.flatMap(newOrganization(), ({ org_id }) => newEndpointOf(org_id, endpoint_url))

/** Written as the service writes them, so that they find their receivers. */
export const newEvents = (org_id: OrgId, count: number, about: { readonly test?: boolean } = {}) =>
  Effect.gen(function* () {
    const events = yield* EventStore
    return yield* Effect.replicateEffect(
      Effect.gen(function* () {
        const event_id = yield* nextId
        const created_at = new Date()
        const event_type = "payment.completed"
        const head = { event_id, event_type, org_id, created_at: created_at.toISOString() }
        const payload = `${JSON.stringify(head).slice(0, -1)},"data":{"amount": 1500.00, "note":"Grüße"}}`
        yield* events.insert({
          event_id,
          org_id,
          event_type,
          payment_id: null,
          payload,
          created_at,
          test: about.test ?? false
        })
        return { event_id, payload }
      }),
      count
    )
  })

export const deliveriesTo = (webhook_id: WebhookId) =>
  Effect.flatMap(DeliveryStore, (store) =>
    store.list(Option.none(), { webhook_id }, { after: Option.none(), take: 5000 })
  )
