/** Sends what waits in the queue, together with the workers of any other instance. */
import { Cause, Duration, Effect, FiberSet, Random } from "effect"
import type { OrgId, WebhookId } from "../../domain/Identifiers.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { nilUuid } from "../../domain/Ids.ts"
import { workerPoll } from "../../domain/policies/Server.ts"
import {
  webhookClaimBatch,
  webhookDrain,
  webhookLeaseMargin,
  webhookQuiet,
  webhookRest
} from "../../domain/policies/Webhooks.ts"
import { attempt } from "./Attempt.ts"
import type { ClaimedDelivery, Lane, Result } from "./Delivery.ts"
import { Doorbell } from "../Doorbell.ts"
import { DueList } from "./DueList.ts"
import { HookClient } from "./HookClient.ts"
import { Manners } from "./Manners.ts"
import { monotonicMillis } from "./Monotonic.ts"
import { QueueStore } from "./QueueStore.ts"
import { ResultWriter } from "./ResultWriter.ts"
import { type Load, shareOut, type Waiting } from "./Shares.ts"
import { UnderWay } from "./UnderWay.ts"

/** Runs until it is interrupted; what it could not bring to an end by then is free for others at once. */
export const deliveryWorker = Effect.gen(function* () {
  const store = yield* QueueStore
  const { webhookRetryDelays: retryDelays, webhookTimeout } = yield* Settings
  const means = { client: yield* HookClient, vault: yield* Vault, retryDelays }
  const underWay = new UnderWay()
  const manners = new Manners()
  const dueList = new DueList(store)
  /** Where the walk over an organisation's endpoints goes on, for those that have very many. */
  const endpointAfter = new Map<OrgId, WebhookId>()
  const settled = yield* Effect.makeLatch(false)
  const rung = yield* Effect.makeLatch(false)
  yield* Effect.flatMap(Doorbell, ({ listen }) => listen(() => rung.unsafeOpen()))
  const leaseMillis = Duration.toMillis(Duration.sum(webhookTimeout, webhookLeaseMargin))

  /** The latch is closed before the look, so that nothing settles unseen between the two. */
  const waitUntil = (isSo: () => boolean): Effect.Effect<void> =>
    Effect.zipRight(
      settled.close,
      Effect.suspend(() =>
        isSo()
          ? Effect.void
          : settled.await.pipe(Effect.zipRight(Effect.sleep(webhookRest)), Effect.zipRight(waitUntil(isSo)))
      )
    )

  const settle = (deliveries: ReadonlyArray<ClaimedDelivery>) =>
    Effect.suspend(() => {
      for (const delivery of deliveries) underWay.remove(delivery)
      return Effect.asVoid(settled.open)
    })

  const heard = (delivery: ClaimedDelivery, { latency_ms }: Result) =>
    Effect.map(monotonicMillis, (now) => {
      underWay.answered(delivery)
      manners.took(delivery.org_id, latency_ms, now)
    })

  // In this order at the end: what is under way gets a moment, then it is cut off, what came of it until then is
  // written down, and the leases of the others are given back.
  yield* Effect.addFinalizer(() => Effect.suspend(() => store.release(underWay.held)))
  const results = new ResultWriter(store, settle)
  yield* Effect.addFinalizer(() => results.flush)
  yield* Effect.forkScoped(results.worker)
  const sending = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() =>
    Effect.timeoutOption(Effect.interruptible(waitUntil(() => underWay.isEmpty)), webhookDrain)
  )

  const deliver = (delivery: ClaimedDelivery) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.matchCauseEffect(restore(attempt(means, delivery)), {
        onSuccess: (result) => Effect.zipRight(heard(delivery, result), results.tell(delivery, result)),
        onFailure: (cause) =>
          Cause.isInterruptedOnly(cause)
            ? Effect.void
            : Effect.zipRight(
                Effect.logError(`No result of attempt ${delivery.attempt} at delivery ${delivery.delivery_id}`, cause),
                settle([delivery])
              )
      })
    )

  /** Who may begin how many, of those with something due. */
  const lanesFor = Effect.fnUntraced(function* (organizations: ReadonlyArray<OrgId>) {
    const now = yield* monotonicMillis
    for (const { millis, org_id } of underWay.waits(now)) manners.tookSoFar(org_id, millis, now)
    const loads = Array.from(underWay.byOrganization, ([org_id, count]): Load => ({
      org_id,
      standing: manners.standingOf(org_id, now),
      ...count
    }))
    const busy = new Map(loads.map((load) => [load.org_id, load]))
    const waiting = Array.from(yield* Random.shuffle(organizations), (org_id): Waiting => ({
      ...(busy.get(org_id) ?? { org_id, standing: manners.standingOf(org_id, now), sending: 0, failing: 0 }),
      barren: manners.isBarren(org_id)
    }))
    const shares = shareOut(loads, waiting, webhookClaimBatch)
    return shares.map((share): Lane => ({ ...share, after: endpointAfter.get(share.org_id) ?? nilUuid }))
  })

  const claimLanes = Effect.fnUntraced(function* (lanes: ReadonlyArray<Lane>) {
    const { deliveries, next } = yield* store.claim({ lanes, underWay: underWay.byEndpoint, leaseMillis })
    const now = yield* monotonicMillis
    const givers = new Set(deliveries.map(({ org_id }) => org_id))
    for (const { org_id } of lanes) {
      const goesOn = next.get(org_id)
      if (goesOn === undefined) endpointAfter.delete(org_id)
      else endpointAfter.set(org_id, goesOn)
      const mayHaveMore = givers.has(org_id) || goesOn !== undefined
      manners.gave(org_id, mayHaveMore)
      if (!mayHaveMore) dueList.cross(org_id)
    }
    for (const delivery of deliveries) underWay.add(delivery, now)
    for (const delivery of deliveries) yield* FiberSet.run(sending, Effect.interruptible(deliver(delivery)))
    return deliveries.length
  }, Effect.uninterruptible)

  const claim = Effect.fnUntraced(function* (after: string) {
    yield* Effect.zipRight(settled.close, rung.close)
    const { next, organizations } = yield* dueList.look(after)
    const lanes = yield* lanesFor(organizations)
    return { found: lanes.length === 0 ? 0 : yield* claimLanes(lanes), next }
  })

  /**
   * An endpoint that had its fill may have room again as soon as anything is settled. An event that was just committed
   * goes out at once, unless the worker has just looked: many of them have no receiver.
   */
  const woken = Effect.raceFirst(
    Effect.zipRight(settled.await, Effect.sleep(webhookRest)),
    Effect.gen(function* () {
      const looked = yield* monotonicMillis
      yield* rung.await
      const rest = Duration.toMillis(webhookQuiet) - ((yield* monotonicMillis) - looked)
      if (rest > 0) yield* Effect.sleep(rest)
    })
  )

  /** Once round all organisations, which is a single claim unless there are very many. */
  const round = (after: string, before: number): Effect.Effect<number> =>
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
