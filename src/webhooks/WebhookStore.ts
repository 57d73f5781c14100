/** Webhook endpoints at rest. Their secrets are sealed, and are no part of what reads give. */
import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Layer, type Option } from "effect"
import { firstRow, inScope, newest, type Scope } from "../platform/database/Query.ts"
import { webhookSecretOverlap } from "../domain/Policies.ts"
import type { Window } from "../platform/database/Window.ts"
import type { StoredWebhook, Webhook } from "./Webhook.ts"
import { webhookStoreMemory } from "./WebhookMemory.ts"

export type NewWebhook = Pick<StoredWebhook, "webhook_id" | "org_id" | "endpoint_url" | "events" | "secret_sealed">

export type WebhookPatch = Partial<
  Pick<StoredWebhook, "endpoint_url" | "events" | "status" | "disabled_reason" | "failing_since">
>

export type SealedRow = Pick<StoredWebhook, "webhook_id" | "secret_sealed" | "previous_secret_sealed">

export interface Store {
  /** Of an organisation. Until the end of the transaction that it stands in, nobody else counts them to add one. */
  readonly countToAdd: (orgId: string) => Effect.Effect<number>
  readonly insert: (webhook: NewWebhook) => Effect.Effect<Webhook>
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Webhook>>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Option.Option<Webhook>>
  /** Inside a transaction the row stays locked until its end; events still find it. */
  readonly findForUpdate: (scope: Scope, id: string) => Effect.Effect<Option.Option<Webhook>>
  readonly update: (scope: Scope, id: string, patch: WebhookPatch) => Effect.Effect<Option.Option<Webhook>>
  /** The secret in force becomes the previous one for a while, or with `immediate` goes at once. */
  readonly replaceSecret: (
    scope: Scope,
    id: string,
    sealed: string,
    immediate: boolean
  ) => Effect.Effect<Option.Option<Webhook>>
  /** With its deliveries. */
  readonly remove: (scope: Scope, id: string) => Effect.Effect<void>
  /** Whatever is sealed in the table. */
  /** Until the end of the transaction nobody adds or changes a secret. */
  readonly holdSecrets: Effect.Effect<void>
  readonly allSealed: Effect.Effect<ReadonlyArray<SealedRow>>
  readonly replaceSealed: (row: SealedRow) => Effect.Effect<void>
}

export class WebhookStore extends Context.Tag("corridor/WebhookStore")<WebhookStore, Store>() {
  static readonly layer = Layer.effect(
    WebhookStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns = sql.literal(
        "webhook_id, org_id, endpoint_url, events, status, disabled_reason, created_at, updated_at"
      )
      const one = (scope: Scope, id: string) => sql`webhook_id = ${id} and ${inScope(sql, scope)}`
      return {
        // Two statements: one alone would count what it saw before it had the lock.
        countToAdd: (orgId) =>
          sql`select 1 from organizations where org_id = ${orgId} for no key update`.pipe(
            Effect.zipRight(
              sql<{ readonly count: number }>`select count(*)::int from webhooks where org_id = ${orgId}`
            ),
            Effect.map((rows) => rows[0]!.count),
            Effect.orDie
          ),
        insert: (webhook) =>
          sql<Webhook>`insert into webhooks ${sql.insert({ ...webhook, events: [...webhook.events] })}
            returning ${columns}`.pipe(
            Effect.map((rows) => rows[0]!),
            Effect.orDie
          ),
        list: (scope, window) =>
          sql<Webhook>`select ${columns} from webhooks where ${inScope(sql, scope)}
            ${newest(sql, "webhook_id", window)}`.pipe(Effect.orDie),
        find: (scope, id) =>
          sql<Webhook>`select ${columns} from webhooks where ${one(scope, id)}`.pipe(
            Effect.map(firstRow),
            Effect.orDie
          ),
        findForUpdate: (scope, id) =>
          sql<Webhook>`select ${columns} from webhooks where ${one(scope, id)} for no key update`.pipe(
            Effect.map(firstRow),
            Effect.orDie
          ),
        update: (scope, id, patch) => {
          const set = Object.keys(patch).length === 0 ? sql.literal("") : sql`${sql.update({ ...patch })},`
          return sql<Webhook>`update webhooks set ${set} updated_at = now() where ${one(scope, id)}
            returning ${columns}`.pipe(Effect.map(firstRow), Effect.orDie)
        },
        replaceSecret: (scope, id, sealed, immediate) => {
          const seconds = Duration.toSeconds(webhookSecretOverlap)
          const previous = immediate
            ? sql.literal("previous_secret_sealed = null, previous_secret_until = null")
            : sql`previous_secret_sealed = secret_sealed, previous_secret_until = now() + make_interval(secs => ${seconds})`
          return sql<Webhook>`update webhooks set ${previous}, secret_sealed = ${sealed}, updated_at = now()
            where ${one(scope, id)} returning ${columns}`.pipe(Effect.map(firstRow), Effect.orDie)
        },
        remove: (scope, id) => sql`delete from webhooks where ${one(scope, id)}`.pipe(Effect.orDie, Effect.asVoid),
        holdSecrets: sql`lock table webhooks in share row exclusive mode`.pipe(Effect.asVoid, Effect.orDie),
        allSealed:
          sql<SealedRow>`select webhook_id, secret_sealed, previous_secret_sealed from webhooks order by webhook_id`.pipe(
            Effect.orDie
          ),
        replaceSealed: ({ webhook_id, ...sealed }) =>
          sql`update webhooks set ${sql.update(sealed)} where webhook_id = ${webhook_id}`.pipe(
            Effect.orDie,
            Effect.asVoid
          )
      }
    })
  )

  static readonly layerMemory = Layer.effect(WebhookStore, webhookStoreMemory)
}
