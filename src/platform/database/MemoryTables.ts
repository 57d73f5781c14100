/** The database of the memory layers: maps of immutable rows, with the same all-or-nothing as the real one. */
import { Context, Effect, Layer, Option } from "effect"
import { InTransaction } from "./InTransaction.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import type { Escrow } from "../../treasury/escrow/Escrow.ts"
import type { StoredKey } from "../idempotency/IdempotencyStore.ts"
import type { AuditEntry } from "../audit/AuditStore.ts"
import type { VirtualAccount } from "../../treasury/accounts/VirtualAccount.ts"
import type { VirtualTransaction } from "../../treasury/accounts/VirtualTransaction.ts"
import type { StoredApiKey } from "../../people/apiKeys/ApiKeyStore.ts"
import type { StoredBeneficiary } from "../../payments/beneficiaries/BeneficiaryStore.ts"
import type { KybApplication, StoredKybCallback } from "../../people/kyb/KybStore.ts"
import type { Notification } from "../notifications/Notification.ts"
import type { LinkPayment, StoredLink } from "../../hosted/links/LinkStore.ts"
import type { StoredBalance, StoredLimit, StoredPosting } from "../../money/ledger/Books.ts"
import type { StoredInvitation } from "../../people/members/Member.ts"
import type { Window } from "../pagination/Page.ts"
import type { Organization } from "../../people/organizations/Organization.ts"
import type {
  AttemptRow,
  HistoryRow,
  Payment,
  StoredCallback,
  StoredFee,
  StoredOperatorItem,
  StrayCallback
} from "../../payments/store/Payment.ts"
import type { FeeRule } from "../../money/fees/FeeRuleStore.ts"
import type { ProviderConfig } from "../../providers/configs/ProviderConfigStore.ts"
import type { RailPayment, StoredRailTimer } from "../../providers/sandbox/RailPayment.ts"
import type { RateLock } from "../../money/rates/RateLockStore.ts"
import type { StoredRate } from "../../money/rates/RateStore.ts"
import type { Membership, User } from "../../people/users/User.ts"
import type { VerificationRequest } from "../../people/verification/VerificationStore.ts"
import type { StoredAttempt } from "../../webhooks/delivery/Delivery.ts"
import type { QueuedDelivery, StoredDelivery, StoredWebhook, WebhookEvent } from "../../webhooks/Webhook.ts"

const emptyTables = () => ({
  organizations: new Map<string, Organization>(),
  users: new Map<string, User>(),
  memberships: new Map<string, Membership>(),
  invitations: new Map<string, StoredInvitation>(),
  apiKeys: new Map<string, StoredApiKey>(),
  audit: new Map<string, AuditEntry>(),
  beneficiaries: new Map<string, StoredBeneficiary>(),
  providerConfigs: new Map<string, ProviderConfig>(),
  rates: new Map<string, StoredRate>(),
  rateLocks: new Map<string, RateLock>(),
  railPayments: new Map<string, RailPayment>(),
  railTimers: new Map<string, StoredRailTimer>(),
  spreads: new Map<string, number>(),
  secrets: new Map<string, string>(),
  payments: new Map<string, Payment>(),
  history: new Map<string, HistoryRow>(),
  attempts: new Map<string, AttemptRow>(),
  callbacks: new Map<string, StoredCallback | StrayCallback>(),
  events: new Map<string, WebhookEvent>(),
  feeRules: new Map<string, FeeRule>(),
  paymentFees: new Map<string, StoredFee>(),
  operatorItems: new Map<string, StoredOperatorItem>(),
  idempotencyKeys: new Map<string, StoredKey>(),
  webhooks: new Map<string, StoredWebhook>(),
  webhookDeliveries: new Map<string, StoredDelivery>(),
  webhookQueue: new Map<string, QueuedDelivery>(),
  webhookAttempts: new Map<string, StoredAttempt>(),
  ledgerPostings: new Map<string, StoredPosting>(),
  ledgerBalances: new Map<LedgerAccount, StoredBalance>(),
  ledgerLimits: new Map<string, StoredLimit>(),
  notifications: new Map<string, Notification>(),
  messageCounts: new Map<string, { readonly start: number; readonly messages: number }>(),
  kybApplications: new Map<string, KybApplication>(),
  kybCallbacks: new Map<string, StoredKybCallback>(),
  verificationRequests: new Map<string, VerificationRequest>(),
  escrows: new Map<string, Escrow>(),
  paymentLinks: new Map<string, StoredLink>(),
  linkPayments: new Map<string, LinkPayment>(),
  virtualAccounts: new Map<string, VirtualAccount>(),
  virtualTransactions: new Map<string, VirtualTransaction>()
})

export type Tables = ReturnType<typeof emptyTables>

const copyOf = (tables: Tables): Tables =>
  Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [name, new Map(rows as Map<string, unknown>)])
  ) as Tables

const restore = (tables: Tables, saved: Tables): void => {
  for (const name of Object.keys(tables) as ReadonlyArray<keyof Tables>) {
    const rows = tables[name] as Map<string, unknown>
    rows.clear()
    for (const [key, row] of saved[name]) rows.set(key, row)
  }
}

export class MemoryTables extends Context.Tag("corridor/MemoryTables")<
  MemoryTables,
  Tables & { readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> }
>() {
  static readonly layer = Layer.effect(
    MemoryTables,
    Effect.map(Effect.makeSemaphore(1), (lock) => {
      const tables = emptyTables()
      const undoable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          const saved = copyOf(tables)
          return Effect.onError(effect, () => Effect.sync(() => restore(tables, saved)))
        })
      return {
        ...tables,
        atomically: (effect) =>
          Effect.flatMap(InTransaction, (nested) =>
            nested
              ? undoable(effect)
              : lock.withPermits(1)(Effect.provideService(undoable(effect), InTransaction, true))
          )
      }
    })
  )
}

/** Newest first, the rows after a position: what `order by … limit` does in SQL. */
export const newestFirst = <Row extends { readonly created_at: Date }>(
  rows: Iterable<Row>,
  idOf: (row: Row) => string,
  window: Window
): ReadonlyArray<Row> => {
  const key = (row: Row) => `${row.created_at.toISOString()} ${idOf(row)}`
  const limit = Option.map(window.after, ([at, id]) => `${at} ${id}`)
  return Array.from(rows)
    .filter((row) => Option.isNone(limit) || key(row) < limit.value)
    .sort((a, b) => (key(a) < key(b) ? 1 : -1))
    .slice(0, window.take)
}
