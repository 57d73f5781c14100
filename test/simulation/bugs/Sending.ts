/** Bugs in sending, retries, leases and callback matching. */
import { Clock, Duration, Effect, Option } from "effect"
import { Declined, type Outcome } from "../../../src/domain/Outcome.ts"
import { type ProviderAnswer as AnswerTag, ProviderAnswer } from "../../../src/payments/route/ProviderAnswer.ts"
import { paymentTables } from "../../../src/payments/store/AttemptQueueMemory.ts"
import { PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import type { UnmatchedCallback } from "../../../src/payments/store/Payment.ts"
import { IdempotencyStore } from "../../../src/platform/idempotency/IdempotencyStore.ts"
import { DeliveryQueueStore } from "../../../src/webhooks/delivery/DeliveryQueueStore.ts"
import { webhookTables } from "../../../src/webhooks/EventMemory.ts"
import { machineOf } from "../world/Machine.ts"
import { type Bug, planted, changingProvider, withTables } from "./Planting.ts"

type Answers = (typeof AnswerTag)["Service"]
type Keys = (typeof IdempotencyStore)["Service"]
type Queue = (typeof DeliveryQueueStore)["Service"]

/** Runs an effect on a clock that is ahead. */
const laterBy = <A, E>(millis: number, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.clockWith((clock) => {
    const now = () => clock.unsafeCurrentTimeMillis() + millis
    const shifted: Clock.Clock = { ...clock, unsafeCurrentTimeMillis: now, currentTimeMillis: Effect.sync(now) }
    return Effect.withClock(effect, shifted)
  })

const TOO_EARLY = Duration.toMillis(Duration.hours(23))

const isStray = (callback: object): callback is UnmatchedCallback => "report_said" in callback

export const sendingBugs: ReadonlyArray<Omit<Bug, "foundBy">> = [
  {
    name: "a refused repetition is a refusal",
    about: "an answer is lost, the order sent again and refused as a duplicate, and the refusal is believed",
    planted: planted(ProviderAnswer, (answers: Answers): Answers => ({
      ...answers,
      outcome: (provider, send, ...others) =>
        Effect.suspend(() => {
          let last: Outcome | undefined
          const heard = Effect.tap(send, (said) => Effect.sync(() => void (last = said)))
          return Effect.map(answers.outcome(provider, heard, ...others), (said) =>
            said._tag === "Unknown" && last instanceof Declined ? last : said
          )
        })
    }))
  },
  {
    name: "the time to send counts for the first try",
    about: "a repetition is sent however long ago its attempt was committed",
    planted: planted(ProviderAnswer, (answers: Answers): Answers => ({
      ...answers,
      outcome: (provider, send, window, ...others) =>
        Effect.suspend(() => {
          let isFirst = true
          const isOpen = Effect.suspend(() => {
            const first = isFirst
            isFirst = false
            return first ? window.isOpen : Effect.succeed(true)
          })
          return answers.outcome(provider, send, { isOpen }, ...others)
        })
    }))
  },
  {
    name: "a key is answered while its request runs",
    about: "whoever repeats a key is told of the payment as it stands, although it is still being made",
    planted: planted(IdempotencyStore, (keys: Keys): Keys => ({
      ...keys,
      find: (name) =>
        Effect.map(
          keys.find(name),
          Option.map((found) => ({ ...found, age_millis: Infinity }))
        )
    }))
  },
  {
    name: "keys are forgotten after an hour",
    about: "a key that is repeated two hours later makes a second payment",
    planted: planted(IdempotencyStore, (keys: Keys): Keys => ({
      ...keys,
      find: (name) =>
        Effect.map(
          laterBy(TOO_EARLY, keys.find(name)),
          Option.map((found) => ({ ...found, age_millis: found.age_millis - TOO_EARLY }))
        )
    }))
  },
  {
    name: "a second leg is offered again to whoever refused it",
    about: "who was asked for a second leg before is not looked at",
    planted: planted(PaymentStore, (store: Store): Store => ({
      ...store,
      attemptsOf: (id) => Effect.map(store.attemptsOf(id), (all) => all.filter(({ leg }) => leg !== "settlement"))
    }))
  },
  {
    name: "whoever slept sends again",
    about: "whether the lease is still held is not looked at before a second leg is sent again",
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
    name: "absence is counted from the first sending",
    about: "what was sent again a moment ago counts as never there, since it was first sent long ago",
    planted: planted(PaymentStore, (store: Store): Store => ({
      ...store,
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
    name: "a ramp ends by the clock of one instance",
    about: "whether a customer may still pay is asked of the machine, not of the database",
    planted: planted(PaymentStore, (store: Store): Store => ({
      ...store,
      now: Effect.withFiberRuntime((fiber) =>
        Effect.map((machineOf(fiber)?.clock ?? Clock.make()).currentTimeMillis, (now) => new Date(now))
      )
    }))
  },
  {
    name: "new credentials speak for old attempts",
    about: "an account that was set just now is asked for what went through the one before, and believed",
    planted: changingProvider(({ since: _, ...provider }) => provider)
  },
  {
    name: "an early callback finds a payment of another account",
    about: "what came before its payment was known is matched by the provider's id alone",
    planted: withTables(PaymentStore, (store: Store, database): Store => ({
      ...store,
      matchedCallbacks: (most) =>
        Effect.map(store.matchedCallbacks(most), (found) => {
          const { attempts, callbacks } = database().open(paymentTables)
          const open = Array.from(callbacks.values())
            .filter(isStray)
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
    name: "whoever slept writes what a receiver said",
    about: "whether the lease is still held is not looked at before the result of a delivery is written",
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
