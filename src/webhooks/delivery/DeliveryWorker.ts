/** Sends what waits in the queue, together with the workers of any other instance. */
import { Cause, Duration, Effect, Exit, FiberSet, Random, Runtime, type Clock } from "effect"
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
  webhookDueFresh
} from "../../domain/policies/WebhookPolicies.ts"
import { attemptDelivery } from "./DeliveryAttempt.ts"
import {
  type ClaimedDelivery,
  type OrganizationQuota,
  type AttemptResult,
  DeliveryQueueStore,
  type DuePage,
  type Claiming
} from "./DeliveryQueueStore.ts"
import { DeliveryWakeUp } from "../DeliveryWakeUp.ts"
import { WebhookClient } from "./WebhookClient.ts"
import { ReceiverSpeed, type OrganizationLoad, fairShares, type DueOrganization } from "./FairShare.ts"
import { ResultWriter } from "./ResultWriter.ts"
import { SigningKeys } from "./SignedHeaders.ts"
import { InFlight } from "./InFlight.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

/** The time of a clock that only goes forward, whatever is done to the machine's. */
const monotonicNow = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)

const monotonicMillis = Effect.map(Effect.clock, monotonicNow)

/** Who has something due, looked up once for the claims of a moment: while there is much to send, they follow each other closely. */
const freshMillis = Duration.toMillis(webhookDueFresh)

interface Seen extends DuePage {
  readonly after: string
  readonly at: number
}

class DueOrganizations {
  private readonly store: Claiming
  private seen: Seen | undefined

  constructor(store: Claiming) {
    this.store = store
  }

  listAfter(after: string): Stored<Seen> {
    return Effect.flatMap(monotonicMillis, (now) => {
      const { seen } = this
      const isFresh = seen?.after === after && now - seen.at < freshMillis && seen.organizations.length > 0
      return seen !== undefined && isFresh
        ? Effect.succeed(seen)
        : Effect.map(this.store.due(after), (due) => (this.seen = { ...due, after, at: now }))
    })
  }

  /** It had nothing to give. */
  remove(orgId: OrgId): void {
    if (this.seen === undefined) return
    this.seen = { ...this.seen, organizations: this.seen.organizations.filter((org_id) => org_id !== orgId) }
  }
}

/** Runs until it is interrupted; what it could not bring to an end by then is free for others at once. */
export const deliveryWorker = Effect.gen(function* () {
  const store = yield* DeliveryQueueStore
  const { webhookRetryDelays: retryDelays, webhookTimeout } = yield* Settings
  const means = { client: yield* WebhookClient, keys: new SigningKeys(yield* Vault), retryDelays }
  const runFork = Runtime.runFork(yield* Effect.runtime<never>())
  const underWay = new InFlight()
  const manners = new ReceiverSpeed()
  const dueList = new DueOrganizations(store)
  /** Where the walk over an organisation's endpoints goes on, for those that have very many. */
  const endpointAfter = new Map<OrgId, WebhookId>()
  const freed = yield* Effect.makeLatch(false)
  const rung = yield* Effect.makeLatch(false)
  yield* Effect.flatMap(DeliveryWakeUp, ({ listen }) => listen(() => rung.unsafeOpen()))
  const clock = yield* Effect.clock
  const leaseMillis = Duration.toMillis(Duration.sum(webhookTimeout, webhookLeaseMargin))

  /** The latch is closed before the look, so that nothing settles unseen between the two. */
  const waitUntil = (isSo: () => boolean): Effect.Effect<void> =>
    Effect.zipRight(
      freed.close,
      Effect.suspend(() =>
        isSo()
          ? Effect.void
          : freed.await.pipe(Effect.zipRight(Effect.sleep(webhookRest)), Effect.zipRight(waitUntil(isSo)))
      )
    )

  const settle = (deliveries: ReadonlyArray<ClaimedDelivery>): void => {
    for (const delivery of deliveries) underWay.remove(delivery)
    freed.unsafeOpen()
  }

  // In this order at the end: what is under way gets a moment, then it is cut off, what came of it until then is
  // written down, and the leases of the others are given back.
  yield* Effect.addFinalizer(() => Effect.suspend(() => Effect.ignoreLogged(store.release(underWay.held))))
  const results = new ResultWriter(store, (deliveries) => Effect.sync(() => settle(deliveries)))
  yield* Effect.addFinalizer(() => results.flush)
  yield* Effect.forkScoped(results.worker)
  const sending = yield* FiberSet.make<AttemptResult>()
  yield* Effect.addFinalizer(() =>
    Effect.timeoutOption(Effect.interruptible(waitUntil(() => underWay.isEmpty)), webhookDrain)
  )

  const heard = (delivery: ClaimedDelivery, result: AttemptResult, now: number): void => {
    underWay.answered(delivery)
    manners.recordAnswer(delivery.org_id, result.latency_ms, now)
    results.add(delivery, result)
    freed.unsafeOpen()
  }

  const unheard = (delivery: ClaimedDelivery, cause: Cause.Cause<never>): void => {
    runFork(Effect.logError(`No result of attempt ${delivery.attempt} at delivery ${delivery.delivery_id}`, cause))
    settle([delivery])
  }

  /** What comes of it is taken down as the fiber ends, not by one more of its steps; one that was cut off has no result. */
  const begin = (delivery: ClaimedDelivery) =>
    Effect.map(FiberSet.run(sending, Effect.interruptible(attemptDelivery(means, delivery))), (fiber) =>
      fiber.addObserver((exit) => {
        if (Exit.isSuccess(exit)) heard(delivery, exit.value, monotonicNow(clock))
        else if (!Cause.isInterruptedOnly(exit.cause)) unheard(delivery, exit.cause)
      })
    )

  /** Who may begin how many, of those with something due. */
  const lanesFor = Effect.fnUntraced(function* (organizations: ReadonlyArray<OrgId>) {
    const now = yield* monotonicMillis
    for (const { millis, org_id } of underWay.waits(now)) manners.recordWait(org_id, millis, now)
    const loads = Array.from(underWay.byOrganization, ([org_id, count]): OrganizationLoad => ({
      org_id,
      standing: manners.speedOf(org_id, now),
      ...count
    }))
    const busy = new Map(loads.map((load) => [load.org_id, load]))
    const waiting = Array.from(yield* Random.shuffle(organizations), (org_id): DueOrganization => ({
      ...(busy.get(org_id) ?? { org_id, standing: manners.speedOf(org_id, now), sending: 0, failing: 0 }),
      barren: manners.isBarren(org_id)
    }))
    const shares = fairShares(loads, waiting, Math.min(webhookClaimBatch, underWay.room))
    return shares.map((share): OrganizationQuota => ({ ...share, after: endpointAfter.get(share.org_id) ?? nilUuid }))
  })

  const claimLanes = Effect.fnUntraced(function* (lanes: ReadonlyArray<OrganizationQuota>) {
    const sendingOf = underWay.byEndpointOf(new Set(lanes.map(({ org_id }) => org_id)))
    const { deliveries, next } = yield* store.claim({ lanes, underWay: sendingOf, leaseMillis })
    const now = yield* monotonicMillis
    const givers = new Set(deliveries.map(({ org_id }) => org_id))
    for (const { org_id } of lanes) {
      const goesOn = next.get(org_id)
      if (goesOn === undefined) endpointAfter.delete(org_id)
      else endpointAfter.set(org_id, goesOn)
      const mayHaveMore = givers.has(org_id) || goesOn !== undefined
      manners.recordClaim(org_id, mayHaveMore)
      if (!mayHaveMore) dueList.remove(org_id)
    }
    for (const delivery of deliveries) underWay.add(delivery, now)
    yield* Effect.forEach(deliveries, begin, { discard: true })
    return deliveries.length
  }, Effect.uninterruptible)

  const claim = Effect.fnUntraced(function* (after: string) {
    yield* Effect.zipRight(freed.close, rung.close)
    const { next, organizations } = yield* dueList.listAfter(after)
    const lanes = yield* lanesFor(organizations)
    return { found: lanes.length === 0 ? 0 : yield* claimLanes(lanes), next }
  })

  /** When it last looked because of the bell. */
  let cameAt = Number.NEGATIVE_INFINITY

  /**
   * An endpoint that had its fill may have room again as soon as anybody has answered. An event that was just committed
   * goes out at once, unless another has called the worker a moment ago: many of them have no receiver.
   */
  const woken = Effect.raceFirst(
    Effect.zipRight(freed.await, Effect.sleep(webhookRest)),
    Effect.gen(function* () {
      yield* rung.await
      const rest = Duration.toMillis(webhookQuiet) - ((yield* monotonicMillis) - cameAt)
      if (rest > 0) yield* Effect.sleep(rest)
      cameAt = yield* monotonicMillis
    })
  )

  /** Once round all organisations, which is a single claim unless there are very many. */
  const round = (after: string, before: number): Stored<number> =>
    waitUntil(() => underWay.room > 0).pipe(
      Effect.zipRight(Effect.suspend(() => claim(after))),
      Effect.flatMap(({ found, next }) =>
        next === null ? Effect.succeed(before + found) : round(next, before + found)
      )
    )

  return yield* Effect.suspend(() => round(nilUuid, 0)).pipe(
    Effect.flatMap((found) => (found > 0 ? Effect.sleep(webhookRest) : Effect.timeoutOption(woken, workerPoll))),
    Effect.forever
  )
}).pipe(Effect.scoped, Effect.annotateLogs("worker", "webhooks"))
