/** Sends due deliveries from the queue and writes their results. Workers of several instances share the queue. */
import { Cause, Duration, Effect, Exit, FiberSet, Random, Runtime } from "effect"
import { type OrgId, type WebhookId, nilUuid } from "../../domain/Ids.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { workerPoll } from "../../domain/policies/ServerPolicies.ts"
import {
  webhookClaimBatch,
  webhookDrain,
  webhookLeaseMargin,
  webhookQuiet,
  webhookRest,
  webhookDueFresh,
  webhookResultBatch
} from "../../domain/policies/WebhookPolicies.ts"
import { attemptDelivery, SigningKeys } from "./DeliveryAttempt.ts"
import {
  type ClaimedDelivery,
  type OrganizationQuota,
  type AttemptResult,
  DeliveryQueueStore,
  type DuePage,
  type Claiming,
  type DisabledEndpoint,
  disabledReason
} from "./DeliveryQueueStore.ts"
import { WebhookClient } from "./WebhookClient.ts"
import { ReceiverSpeed, type OrganizationLoad, fairShares, type DueOrganization, InFlight } from "./FairShare.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { monotonicMillis, monotonicNow } from "../../platform/fibers/Deadlines.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import { counter, histogram } from "../../platform/observability/Metrics.ts"

const deliveries = counter(
  "corridor_webhook_deliveries_total",
  "Webhook delivery attempts, by outcome: delivered, failed (to be retried) or dead.",
  ["outcome"]
)

const seconds = histogram(
  "corridor_webhook_delivery_seconds",
  "Response time of webhook receivers.",
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  []
)

const outcomes = { delivered: "delivered", retry: "failed", dead: "dead" } as const

for (const outcome of Object.values(outcomes)) deliveries([outcome], 0)

const countDelivery = ({ latency_ms, outcome }: AttemptResult): void => {
  deliveries([outcomes[outcome]])
  seconds([], latency_ms / 1000)
}

interface Finished {
  readonly delivery: ClaimedDelivery
  readonly result: AttemptResult
}

const alertDisabled = ({ org_id, waiting, webhook_id }: DisabledEndpoint) =>
  alertOperator(
    "endpoint_disabled",
    `A webhook endpoint was disabled: ${disabledReason} Deliveries moved to the dead letter queue: ${waiting}`,
    { webhook_id, org_id }
  )

const alertDead = ({ delivery: { attempt, delivery_id, event_id, org_id, webhook_id }, result: { error } }: Finished) =>
  alertOperator("dead_letter", `A delivery went to the dead letter queue after attempt ${attempt}: ${error}`, {
    delivery_id,
    event_id,
    webhook_id,
    org_id
  })

/** Writes results of attempts to the database in batches. */
class ResultWriter {
  private readonly waiting: Array<Finished> = []
  private readonly arrived = Effect.unsafeMakeLatch(false)
  private readonly store: DeliveryQueueStore["Type"]
  private readonly announce: WorkQueues["Type"]["announce"]
  private readonly done: (deliveries: ReadonlyArray<ClaimedDelivery>) => Effect.Effect<void>

  constructor(
    store: DeliveryQueueStore["Type"],
    announce: WorkQueues["Type"]["announce"],
    done: (deliveries: ReadonlyArray<ClaimedDelivery>) => Effect.Effect<void>
  ) {
    this.store = store
    this.announce = announce
    this.done = done
  }

  add(delivery: ClaimedDelivery, result: AttemptResult): void {
    this.waiting.push({ delivery, result })
    this.arrived.unsafeOpen()
  }

  /** Writes batches until it is interrupted; `flush` writes the rest. */
  get worker(): Effect.Effect<never> {
    return this.arrived.await.pipe(
      Effect.zipRight(Effect.sleep(webhookRest)),
      Effect.zipRight(this.flush),
      Effect.forever
    )
  }

  /** Writes all results that were added. */
  get flush(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.waiting.length === 0 ? this.arrived.close : Effect.zipRight(this.flushBatch, this.flush)
    )
  }

  /** Falls back to single writes, so that one bad result does not lose the batch. */
  private get flushBatch(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const batch = this.waiting.splice(0, webhookResultBatch)
      return this.write(batch).pipe(
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            Effect.logWarning("A batch of delivery results could not be written; writing each alone", cause),
            Effect.forEach(batch, (one) => this.writeAlone(one), { discard: true })
          )
        ),
        Effect.zipRight(this.done(batch.map(({ delivery }) => delivery)))
      )
    }).pipe(Effect.uninterruptible)
  }

  /** Without a stored result, the lease expires and the delivery is repeated. */
  private writeAlone(one: Finished): Effect.Effect<void> {
    return Effect.catchAllCause(this.write([one]), (cause) =>
      Effect.logError(`No result of attempt ${one.delivery.attempt} at delivery ${one.delivery.delivery_id}`, cause)
    )
  }

  private write(batch: ReadonlyArray<Finished>): Stored<void> {
    return Effect.flatMap(this.store.finish(batch.map(({ result }) => result)), ({ dead, disabled }) => {
      for (const { result } of batch) countDelivery(result)
      const delays = batch.flatMap(({ result }) => (result.outcome === "retry" ? [result.delay_ms] : []))
      const letters = batch.filter(({ delivery }) => dead.includes(delivery.delivery_id))
      return Effect.all(
        [
          Effect.forEach(delays, (delay) => this.announce("webhooks", delay), { discard: true }),
          Effect.forEach(letters, alertDead, { discard: true }),
          Effect.forEach(disabled, alertDisabled, { discard: true })
        ],
        { discard: true }
      )
    })
  }
}

const freshMillis = Duration.toMillis(webhookDueFresh)

interface CachedPage extends DuePage {
  readonly after: string
  readonly at: number
}

/** Caches the list of organisations with due deliveries, since claims follow each other closely under load. */
class DueOrganizations {
  private readonly store: Claiming
  private page: CachedPage | undefined

  constructor(store: Claiming) {
    this.store = store
  }

  listAfter(after: string): Stored<CachedPage> {
    return Effect.flatMap(monotonicMillis, (now) => {
      const { page } = this
      const isFresh = page?.after === after && now - page.at < freshMillis && page.organizations.length > 0
      return page !== undefined && isFresh
        ? Effect.succeed(page)
        : Effect.map(this.store.due(after), (due) => (this.page = { ...due, after, at: now }))
    })
  }

  remove(orgId: OrgId): void {
    if (this.page === undefined) return
    this.page = { ...this.page, organizations: this.page.organizations.filter((org_id) => org_id !== orgId) }
  }
}

/** Runs until it is interrupted; unfinished deliveries then return to the queue. */
export const deliveryWorker = Effect.gen(function* () {
  const store = yield* DeliveryQueueStore
  const { webhookRetryDelays: retryDelays, webhookTimeout } = yield* Settings
  const context = { client: yield* WebhookClient, keys: new SigningKeys(yield* Vault), retryDelays }
  const runFork = Runtime.runFork(yield* Effect.runtime<never>())
  const inFlight = new InFlight()
  const receivers = new ReceiverSpeed()
  const dueOrganizations = new DueOrganizations(store)
  /** Position of the scan over the endpoints of organisations with very many. */
  const endpointAfter = new Map<OrgId, WebhookId>()
  const freed = yield* Effect.makeLatch(false)
  const { announce, rest } = yield* WorkQueues
  const clock = yield* Effect.clock
  const leaseMillis = Duration.toMillis(Duration.sum(webhookTimeout, webhookLeaseMargin))

  /** Closes the latch before the check, so that no change between the two is missed. */
  const waitUntil = (isTrue: () => boolean): Effect.Effect<void> =>
    Effect.zipRight(
      freed.close,
      Effect.suspend(() =>
        isTrue()
          ? Effect.void
          : freed.await.pipe(Effect.zipRight(Effect.sleep(webhookRest)), Effect.zipRight(waitUntil(isTrue)))
      )
    )

  const finish = (deliveries: ReadonlyArray<ClaimedDelivery>): void => {
    for (const delivery of deliveries) inFlight.remove(delivery)
    freed.unsafeOpen()
  }

  // Shutdown, in this order: wait for deliveries in flight, interrupt the rest, write results, release leases.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() =>
      inFlight.isEmpty ? Effect.void : Effect.zipRight(store.release(inFlight.held), announce("webhooks"))
    ).pipe(Effect.ignoreLogged)
  )
  const results = new ResultWriter(store, announce, (deliveries) => Effect.sync(() => finish(deliveries)))
  yield* Effect.addFinalizer(() => results.flush)
  yield* Effect.forkScoped(results.worker)
  const sending = yield* FiberSet.make<AttemptResult>()
  yield* Effect.addFinalizer(() =>
    Effect.timeoutOption(Effect.interruptible(waitUntil(() => inFlight.isEmpty)), webhookDrain)
  )

  const onResult = (delivery: ClaimedDelivery, result: AttemptResult, now: number): void => {
    inFlight.answered(delivery)
    receivers.recordAnswer(delivery.org_id, result.latency_ms, now)
    results.add(delivery, result)
    freed.unsafeOpen()
  }

  const onDefect = (delivery: ClaimedDelivery, cause: Cause.Cause<never>): void => {
    runFork(Effect.logError(`No result of attempt ${delivery.attempt} at delivery ${delivery.delivery_id}`, cause))
    finish([delivery])
  }

  /** Takes the result from the fiber's exit. An interrupted attempt has none. */
  const begin = (delivery: ClaimedDelivery) =>
    Effect.map(FiberSet.run(sending, Effect.interruptible(attemptDelivery(context, delivery))), (fiber) =>
      fiber.addObserver((exit) => {
        if (Exit.isSuccess(exit)) onResult(delivery, exit.value, monotonicNow(clock))
        else if (!Cause.isInterruptedOnly(exit.cause)) onDefect(delivery, exit.cause)
      })
    )

  const quotasFor = Effect.fnUntraced(function* (organizations: ReadonlyArray<OrgId>) {
    const now = yield* monotonicMillis
    for (const { millis, org_id } of inFlight.waits(now)) receivers.recordWait(org_id, millis, now)
    const loads = Array.from(inFlight.byOrganization, ([org_id, count]): OrganizationLoad => ({
      org_id,
      speed: receivers.speedOf(org_id, now),
      ...count
    }))
    const busy = new Map(loads.map((load) => [load.org_id, load]))
    const waiting = Array.from(yield* Random.shuffle(organizations), (org_id): DueOrganization => ({
      ...(busy.get(org_id) ?? { org_id, speed: receivers.speedOf(org_id, now), sending: 0, failing: 0 }),
      hasNothingDue: receivers.hasNothingDue(org_id)
    }))
    const shares = fairShares(loads, waiting, Math.min(webhookClaimBatch, inFlight.room))
    return shares.map((share): OrganizationQuota => ({ ...share, after: endpointAfter.get(share.org_id) ?? nilUuid }))
  })

  const claimQuotas = Effect.fnUntraced(function* (quotas: ReadonlyArray<OrganizationQuota>) {
    const sendingOf = inFlight.byEndpointOf(new Set(quotas.map(({ org_id }) => org_id)))
    const { deliveries, next } = yield* store.claim({ quotas, inFlight: sendingOf, leaseMillis })
    const now = yield* monotonicMillis
    const claimedFrom = new Set(deliveries.map(({ org_id }) => org_id))
    for (const { org_id } of quotas) {
      const position = next.get(org_id)
      if (position === undefined) endpointAfter.delete(org_id)
      else endpointAfter.set(org_id, position)
      const mayHaveMore = claimedFrom.has(org_id) || position !== undefined
      receivers.recordClaim(org_id, mayHaveMore)
      if (!mayHaveMore) dueOrganizations.remove(org_id)
    }
    for (const delivery of deliveries) inFlight.add(delivery, now)
    yield* Effect.forEach(deliveries, begin, { discard: true })
    return deliveries.length
  }, Effect.uninterruptible)

  const claim = Effect.fnUntraced(function* (after: string) {
    yield* freed.close
    const { next, organizations } = yield* dueOrganizations.listAfter(after)
    const quotas = yield* quotasFor(organizations)
    return { found: quotas.length === 0 ? 0 : yield* claimQuotas(quotas), next }
  })

  /** Time of the last claim after a wake-up. */
  let wokenAt = Number.NEGATIVE_INFINITY

  /** Waits for an answer, which frees a slot, or for a due delivery. Wake-ups are limited: many events have no receiver. */
  const awaitWork = Effect.raceFirst(
    Effect.zipRight(freed.await, Effect.sleep(webhookRest)),
    Effect.gen(function* () {
      // Endpoints that are not looked at yet may have something due, which nothing will announce.
      const atMost = endpointAfter.size > 0 ? Duration.toMillis(workerPoll) : undefined
      if (!(yield* rest("webhooks", atMost))) return
      const pause = Duration.toMillis(webhookQuiet) - ((yield* monotonicMillis) - wokenAt)
      if (pause > 0) yield* Effect.sleep(pause)
      wokenAt = yield* monotonicMillis
    })
  )

  /** Claims once from every organisation: a single claim unless there are very many. */
  const round = (after: string, before: number): Stored<number> =>
    waitUntil(() => inFlight.room > 0).pipe(
      Effect.zipRight(Effect.suspend(() => claim(after))),
      Effect.flatMap(({ found, next }) =>
        next === null ? Effect.succeed(before + found) : round(next, before + found)
      )
    )

  return yield* Effect.suspend(() => round(nilUuid, 0)).pipe(
    Effect.flatMap((found) => (found > 0 ? Effect.sleep(webhookRest) : awaitWork)),
    Effect.forever
  )
}).pipe(Effect.scoped, Effect.annotateLogs("worker", "webhooks"))
