/** Background work of an instance: pollers, payout workers, webhook deliveries, metrics, retention and partitions. */
import { Effect } from "effect"
import { dayClosingPause } from "../domain/policies/PaymentPolicies.ts"
import { LedgerStore } from "../money/ledger/LedgerStore.ts"
import { AnalyticsStore } from "../payments/analytics/Analytics.ts"
import { ReserveReleases } from "../payments/reserves/Reserves.ts"
import { CardWaits } from "../payments/review/Review.ts"
import { RateFeed } from "../money/rates/RateFeed.ts"
import { KybRequests } from "../people/kyb/KybRequests.ts"
import { Workers } from "../platform/fibers/Workers.ts"
import { workThrough } from "../platform/database/WorkQueues.ts"
import { Callbacks } from "../payments/callbacks/Callbacks.ts"
import { StatusPoller } from "../payments/callbacks/StatusPoller.ts"
import { RampPayoutWorker } from "../payments/dispatch/RampPayoutWorker.ts"
import { RateLimits } from "../platform/rateLimits/RateLimits.ts"
import { alertOperator } from "../platform/observability/OperatorAlert.ts"
import { ProviderAccounts } from "../providers/accounts/ProviderAccounts.ts"
import { Providers } from "../providers/port/Provider.ts"
import { DeliveryFailed, simulatorWorker } from "../providers/sandbox/SimulatorWorker.ts"
import { AccountDetails } from "../treasury/accounts/AccountDetails.ts"
import { EscrowPayoutWorker } from "../treasury/escrow/EscrowPayoutWorker.ts"
import { deliveryWorker } from "../webhooks/delivery/DeliveryWorker.ts"
import { dueTimes } from "./DueTimes.ts"
import { showQueueMetrics } from "./QueueMetrics.ts"
import { retentionPause } from "../domain/policies/ServerPolicies.ts"
import { AuditStore } from "../platform/audit/AuditLog.ts"
import { IdempotencyStore } from "../platform/idempotency/IdempotencyStore.ts"
import { Partitions } from "../platform/partitions/Partitions.ts"
import { NotificationStore } from "../platform/notifications/NotificationStore.ts"
import { PaymentStore } from "../payments/store/PaymentStore.ts"
import { ProviderAccountStore } from "../providers/accounts/ProviderAccountStore.ts"
import { RateLockStore } from "../money/rates/RateLockStore.ts"
import { DeliveryStore } from "../webhooks/delivery/DeliveryStore.ts"
import { EventStore } from "../webhooks/EventStore.ts"
import type { Stored } from "../platform/database/DatabaseFailure.ts"

/**
 * Deletes rows past their retention, in batches, so that no statement runs long. Payments, attempts, applied callbacks, the
 * ledger and operator items are kept.
 */
export const deleteExpired = Effect.gen(function* () {
  const stores = yield* Effect.all([
    IdempotencyStore,
    NotificationStore,
    PaymentStore,
    RateLockStore,
    // Events are deleted once they have no delivery left.
    DeliveryStore,
    EventStore,
    ProviderAccountStore,
    AuditStore
  ])
  for (const { forgetOld } of stores) yield* Effect.repeat(forgetOld, { while: (deleted) => deleted > 0 })
})

const retentionWorker = Effect.forever(Effect.zipRight(deleteExpired, Effect.sleep(retentionPause)))

/** Creates the partitions of the next months first: archiving may take a while. */
const partitionWorker = Effect.flatMap(Partitions, ({ archiveDetached, createAhead }) =>
  Effect.forever(Effect.all([createAhead, archiveDetached, Effect.sleep(retentionPause)], { discard: true }))
)

/** Worker of a service. */
const workerOf = <R>(service: Effect.Effect<{ readonly worker: Stored<never> }, never, R>) =>
  Effect.flatMap(service, ({ worker }) => worker)

const earlyCallbacks = Effect.flatMap(Callbacks, ({ applyMatched }) =>
  workThrough("early_callbacks", Effect.as(applyMatched, { foundAny: false }))
)

const closedDays = Effect.flatMap(Effect.all([AnalyticsStore, LedgerStore]), ([counts, books]) =>
  Effect.forever(Effect.all([counts.closeDays, books.closeDays, Effect.sleep(dayClosingPause)], { discard: true }))
)

/** Callbacks of the sandbox's simulators take the usual path, without the network. */
const simulators = Effect.gen(function* () {
  const callbacks = yield* Callbacks
  const providers = yield* Providers
  const home = { method: "POST", query: {}, authority: "" }
  return yield* simulatorWorker(
    Effect.fnUntraced(function* (name, signed) {
      const simulator = yield* providers.find(name, null)
      if (simulator === undefined) return yield* new DeliveryFailed({ message: `${name} is switched off` })
      yield* Effect.mapError(
        callbacks.receive(simulator, { path: `/callbacks/${name}`, ...home, ...signed }),
        ({ message }) => new DeliveryFailed({ message })
      )
    })
  )
})

/** Alerts the operator if the settings name an account that a provider configuration uses already. */
export const alertSharedAccounts = Effect.gen(function* () {
  const shared = yield* Effect.flatMap(ProviderAccounts, (accounts) => accounts.shared)
  yield* Effect.forEach(shared, (config_id) =>
    alertOperator(
      "account_shared",
      "The account of a configuration is the platform's own, by the settings: nothing new is sent through the configuration until credentials of another account are set.",
      { config_id }
    )
  )
})

export const startWorkers = Effect.flatMap(Workers, ({ start }) =>
  Effect.all(
    [
      alertSharedAccounts,
      start("account details", workerOf(AccountDetails)),
      start("card waits", workerOf(CardWaits)),
      start("closed days", closedDays),
      start("enquiries", workerOf(StatusPoller)),
      start("escrow payouts", workerOf(EscrowPayoutWorker)),
      showQueueMetrics,
      start("KYB requests", workerOf(KybRequests)),
      start("months", partitionWorker),
      start("simulators", simulators),
      start("rate limits", workerOf(RateLimits)),
      start("rate sources", workerOf(RateFeed)),
      start("reserves", workerOf(ReserveReleases)),
      start("retention", retentionWorker),
      start("settlements", workerOf(RampPayoutWorker)),
      start("early callbacks", earlyCallbacks),
      // After the others, which look when they start.
      start("due times", dueTimes),
      start("webhooks", deliveryWorker)
    ],
    { discard: true }
  )
)
