/** Bugs in sending, retries, leases and callback matching. */
import { Clock, Duration, Effect, Option } from "effect"
import { Declined, type Outcome } from "../../../src/domain/Outcome.ts"
import { CallProvider } from "../../../src/payments/route/CallProvider.ts"
import { paymentTables } from "../../../src/payments/store/AttemptQueueMemory.ts"
import { PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import type { UnmatchedCallback } from "../../../src/payments/store/Payment.ts"
import { IdempotencyStore } from "../../../src/platform/idempotency/IdempotencyStore.ts"
import { DeliveryQueueStore } from "../../../src/webhooks/delivery/DeliveryQueueStore.ts"
import { webhookTables } from "../../../src/webhooks/EventMemory.ts"
import { machineOf } from "../world/Machine.ts"
import { type Bug, overriding, changingProvider, withTables } from "./Planting.ts"

type Queue = (typeof DeliveryQueueStore)["Service"]

/** Runs an effect on a clock that is ahead. */
const laterBy = <A, E>(millis: number, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.clockWith((clock) => {
    const now = () => clock.unsafeCurrentTimeMillis() + millis
    const shifted: Clock.Clock = { ...clock, unsafeCurrentTimeMillis: now, currentTimeMillis: Effect.sync(now) }
    return Effect.withClock(effect, shifted)
  })

const TOO_EARLY = Duration.toMillis(Duration.hours(23))

const isUnmatched = (callback: object): callback is UnmatchedCallback => "signal" in callback

export const sendingBugs: ReadonlyArray<Bug> = [
  {
    name: "a refused duplicate counts as a decline",
    foundBy: 91,
    planted: overriding(CallProvider, (answers) => ({
      send: (provider, order, ...others) =>
        Effect.suspend(() => {
          let last: Outcome | undefined
          const observed = Effect.tap(order, (said) => Effect.sync(() => void (last = said)))
          return Effect.map(answers.send(provider, observed, ...others), (said) =>
            said._tag === "Unknown" && last instanceof Declined ? last : said
          )
        })
    }))
  },
  {
    name: "the send window is checked for the first try only",
    foundBy: 33,
    planted: overriding(CallProvider, (answers) => ({
      send: (provider, order, window, ...others) =>
        Effect.suspend(() => {
          let isFirst = true
          const isOpen = Effect.suspend(() => {
            const first = isFirst
            isFirst = false
            return first ? window.isOpen : Effect.succeed(true)
          })
          return answers.send(provider, order, { isOpen }, ...others)
        })
    }))
  },
  {
    name: "a key is answered while its request runs",
    foundBy: 9,
    planted: overriding(IdempotencyStore, (keys) => ({
      find: (name) =>
        Effect.map(
          keys.find(name),
          Option.map((found) => ({ ...found, age_millis: Infinity }))
        )
    }))
  },
  {
    name: "idempotency keys expire after an hour",
    foundBy: 24,
    planted: overriding(IdempotencyStore, (keys) => ({
      find: (name) =>
        Effect.map(
          laterBy(TOO_EARLY, keys.find(name)),
          Option.map((found) => ({ ...found, age_millis: found.age_millis - TOO_EARLY }))
        )
    }))
  },
  {
    name: "a ramp payout is sent again to a provider that declined it",
    foundBy: 55,
    planted: overriding(PaymentStore, (store) => ({
      attemptsOf: (id) => Effect.map(store.attemptsOf(id), (all) => all.filter(({ leg }) => leg !== "settlement"))
    }))
  },
  {
    name: "an expired lease sends a ramp payout",
    foundBy: 339,
    planted: withTables(PaymentStore, (store: Store, database): Store => ({
      ...store,
      renewSend: (id, token) =>
        Effect.flatMap(store.renewSend(id, token), (mine) => {
          if (Option.isSome(mine) || token === null) return Effect.succeed(mine)
          const { attempts } = database().open(paymentTables)
          const holder = attempts.get(id)?.lease_token ?? null
          return Effect.flatMap(store.renewSend(id, holder), (taken) =>
            Option.isSome(taken) ? Effect.succeed(taken) : store.renewSend(id, null)
          )
        })
    }))
  },
  {
    name: "absence is counted from the first send",
    foundBy: 809,
    planted: overriding(PaymentStore, (store) => ({
      claimEnquiries: (lanes) =>
        Effect.map(store.claimEnquiries(lanes), (due) =>
          due.map((one) => ({
            ...one,
            sent_ago: one.sent_ago + (one.sent_at.getTime() - one.started_at.getTime()) / 1000,
            sent_at: one.started_at
          }))
        )
    }))
  },
  {
    name: "a ramp expires by the instance's clock",
    foundBy: 1072,
    planted: overriding(PaymentStore, () => ({
      now: Effect.withFiberRuntime((fiber) =>
        Effect.map((machineOf(fiber)?.clock ?? Clock.make()).currentTimeMillis, (now) => new Date(now))
      )
    }))
  },
  {
    name: "new credentials answer for old attempts",
    foundBy: 63,
    planted: changingProvider(({ since: _, ...provider }) => provider)
  },
  {
    name: "an early callback matches another account's payment",
    foundBy: 283,
    planted: withTables(PaymentStore, (store: Store, database): Store => ({
      ...store,
      matchedCallbacks: (most) =>
        Effect.map(store.matchedCallbacks(most), (found) => {
          const { attempts, callbacks } = database().open(paymentTables)
          const open = Array.from(callbacks.values())
            .filter(isUnmatched)
            .filter(({ payment_id }) => payment_id === null)
          const matched = open.flatMap((callback) => {
            const named = Array.from(attempts.values()).filter(
              ({ provider, provider_payment_id: id }) =>
                provider === callback.provider && id !== null && id === callback.provider_payment_id
            )
            const attempt = named.at(-1)
            return attempt === undefined ? [] : [{ callback, attempt_id: attempt.attempt_id }]
          })
          return matched.length > 0 ? matched.slice(0, most) : found
        })
    }))
  },
  {
    name: "an expired lease writes a delivery result",
    foundBy: 32,
    planted: withTables(DeliveryQueueStore, (queue: Queue, database): Queue => ({
      ...queue,
      finish: (results) => {
        const { webhookQueue } = database().open(webhookTables)
        const held = (id: string) => webhookQueue.get(id)?.lease_token
        return queue.finish(
          results.map((result) => ({ ...result, lease_token: held(result.delivery_id) ?? result.lease_token }))
        )
      }
    }))
  }
]
