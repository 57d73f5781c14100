/** Bugs that the simulation must find, each planted by wrapping a service. */
import { Effect, Option } from "effect"
import { Money } from "../../../src/domain/Money.ts"
import { Declined, type Outcome, Report } from "../../../src/domain/Outcome.ts"
import { CallProvider } from "../../../src/payments/route/CallProvider.ts"
import type { NewPayment } from "../../../src/payments/store/Change.ts"
import { type AttemptOfPayment, PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import { Idempotency } from "../../../src/platform/idempotency/Idempotency.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { CallerStore } from "../../../src/people/auth/CallerStore.ts"
import { DeliveryQueueStore } from "../../../src/webhooks/delivery/DeliveryQueueStore.ts"
import { amountBugs } from "./Amounts.ts"
import { aroundPayments } from "./AroundPayments.ts"
import {
  type Bug,
  type Planted,
  changingWrite,
  changingSignal,
  overriding,
  planted,
  changingProvider,
  withMovements,
  without
} from "./Planting.ts"
import { disputeBugs, movementBugs } from "./Movements.ts"
import { sendingBugs } from "./Sending.ts"

const changingNewPayment = (change: (one: NewPayment) => NewPayment): Planted =>
  overriding(PaymentStore, (store) => ({ create: (one) => store.create(change(one)) }))

const declinedOutcome = (): Outcome => new Declined({ reason: "it did not answer" })

const finalStatuses: ReadonlyArray<string> = ["completed", "failed", "refunded", "rejected", "canceled"]

const inPayments: ReadonlyArray<Bug> = [
  {
    name: "a timeout counts as a decline",
    foundBy: 6,
    planted: overriding(CallProvider, ({ send }) => ({
      send: (...given) => Effect.map(send(...given), (said) => (said._tag === "Unknown" ? declinedOutcome() : said))
    }))
  },
  {
    name: "a lost answer is retried without honoured references",
    foundBy: 1,
    planted: overriding(CallProvider, ({ send }) => ({
      send: (provider, order, window, leave, about) => send(provider, order, window, leave, { ...about, honours: true })
    }))
  },
  {
    name: "provider text is stored unchecked",
    foundBy: 13,
    planted: overriding(CallProvider, ({ send }) => ({
      send: (provider, order, window, leave, about) =>
        Effect.suspend(() => {
          let raw: Outcome | undefined
          const observed = Effect.tap(order, (said) => Effect.sync(() => void (raw = said)))
          return Effect.map(send(provider, observed, window, leave, about), (said) =>
            raw !== undefined && raw._tag === said._tag ? raw : said
          )
        })
    }))
  },
  {
    name: "an enquiry has no timeout",
    foundBy: 229,
    planted: overriding(CallProvider, () => ({ enquire: (provider, attempt) => provider.enquire(attempt) }))
  },
  {
    name: "an unknown outcome is recorded as a failure",
    foundBy: 26,
    planted: changingSignal((signal) => (signal._tag === "Unknown" ? (declinedOutcome() as Declined) : signal))
  },
  {
    name: "the collected amount is ignored",
    foundBy: 23,
    planted: changingSignal((signal) =>
      withMovements(signal, (one) => [one.kind === "collection" ? { ...without(one, "isTotal"), amount: null } : one])
    )
  },
  {
    name: "a reversal is taken for processing",
    foundBy: 11,
    planted: changingSignal((signal) =>
      signal._tag === "Report" && signal.state === "returned"
        ? withMovements(new Report({ ...signal, state: "processing" }), (one) =>
            one.kind === "reversal" || one.kind === "reinstatement" ? [] : [one]
          )
        : signal
    )
  },
  {
    name: "a reported failure is taken for a completion",
    foundBy: 16,
    planted: changingSignal((signal) =>
      signal._tag === "Report" && signal.state === "failed" ? new Report({ ...signal, state: "completed" }) : signal
    )
  },
  {
    name: "a completion has no events",
    foundBy: 1,
    planted: changingWrite((one) =>
      one.status === "completed" && one.payment.status !== "completed" ? { ...one, events: [] } : one
    )
  },
  {
    name: "a change writes its events twice",
    foundBy: 1,
    planted: changingWrite((one) => ({
      ...one,
      events: one.events.flatMap((event) => [event, { ...event, event_id: event.event_id.replace(/.$/, "z") }])
    }))
  },
  {
    name: "a refund has no event",
    foundBy: 45,
    planted: changingWrite((one) => ({
      ...one,
      events: one.events.filter(({ event_type }) => event_type !== "payment.refunded")
    }))
  },
  {
    name: "suspense is missing in the queue",
    foundBy: 6,
    planted: overriding(PaymentStore, (store) => ({
      openItems: (...asked) =>
        Effect.map(store.openItems(...asked), (items) => items.filter(({ kind }) => kind !== "suspense"))
    }))
  },
  {
    name: "an unknown outcome opens no item",
    foundBy: 31,
    planted: changingWrite((one) => ({
      ...one,
      openItems: (one.openItems ?? []).filter(({ kind }) => kind !== "unknown_outcome")
    }))
  },
  {
    name: "resolved items stay in the queue",
    foundBy: 2,
    planted: changingWrite((one) => without(one, "closeItems"))
  },
  {
    name: "an open attempt is never polled",
    foundBy: 16,
    planted: changingWrite((one) =>
      one.attempt === undefined ? one : { ...one, attempt: { ...one.attempt, enquire_in: null } }
    )
  },
  {
    name: "a failed payout keeps its hold",
    foundBy: 38,
    planted: changingWrite((one) =>
      ["failed", "rejected", "canceled"].includes(one.status)
        ? { ...one, patch: { ...one.patch, holds: one.payment.holds } }
        : one
    )
  },
  {
    name: "an open refund holds nothing",
    foundBy: 45,
    planted: changingWrite((one) =>
      one.patch.refunds === undefined
        ? one
        : {
            ...one,
            patch: {
              ...one.patch,
              refunds: one.patch.refunds.map((part) =>
                part.state === "open" ? { ...part, target: Money.zero(part.target.currency) } : part
              )
            }
          }
    )
  },
  {
    name: "a completed refund is not posted",
    foundBy: 23,
    planted: changingWrite((one) => ({
      ...one,
      movements: (one.movements ?? []).filter(({ refund_id }) => refund_id === null)
    }))
  },
  {
    name: "movements without a status change are dropped",
    foundBy: 6,
    planted: changingWrite((one) => (one.status === one.payment.status ? without(one, "movements") : one))
  },
  {
    name: "a concurrent change is overwritten",
    foundBy: 1,
    planted: overriding(PaymentStore, (store) => ({
      apply: (one) =>
        Effect.flatMap(store.apply(one), (written) =>
          written
            ? Effect.succeed(true)
            : Effect.flatMap(store.find(Option.none(), one.payment.payment_id), (found) =>
                Option.isNone(found)
                  ? Effect.succeed(false)
                  : store.apply({ ...one, payment: { ...one.payment, version: found.value.version } })
              )
        )
    }))
  },
  {
    name: "a declined attempt changes its payment later",
    foundBy: 46,
    planted: overriding(PaymentStore, (store) => ({
      findAttempt: (id, orgId) =>
        Effect.map(
          store.findAttempt(id, orgId),
          Option.map((known) =>
            known.attempt.outcome === "declined"
              ? { ...known, attempt: { ...known.attempt, outcome: "unknown" as const } }
              : known
          )
        )
    }))
  },
  {
    name: "earlier refunds are not counted",
    foundBy: 45,
    planted: overriding(PaymentStore, (store) => ({
      find: (scope, id) =>
        Effect.map(
          store.find(scope, id),
          Option.map((payment) => ({ ...payment, refunds: [] }))
        )
    }))
  },
  {
    name: "unsigned callbacks cause no enquiry",
    foundBy: 104,
    planted: overriding(PaymentStore, () => ({ hint: () => Effect.succeed(false) }))
  },
  {
    name: "early callbacks are never matched",
    foundBy: 27,
    planted: overriding(PaymentStore, () => ({ matchedCallbacks: () => Effect.succeed([]) }))
  },
  {
    name: "a payment is stored without its idempotency key",
    foundBy: 11,
    planted: changingNewPayment((one) => without(one, "key"))
  },
  {
    name: "the answer under a key is not stored",
    foundBy: 13,
    planted: overriding(Idempotency, () => ({ keep: () => Effect.void }))
  },
  {
    name: "a held payment opens no review item",
    foundBy: 2,
    planted: changingNewPayment((one) => without(one, "item"))
  },
  {
    name: "a callback's proof is not checked",
    foundBy: 658,
    planted: changingProvider((provider) => ({
      ...provider,
      callback: (request) => provider.callback({ ...request, headers: { ...request.headers, "x-proof": "genuine" } })
    }))
  },
  {
    name: "an operator's decision is inverted",
    foundBy: 31,
    planted: overriding(Resolution, (resolution) => ({
      resolve: (permit, id, verdict) =>
        resolution.resolve(permit, id, { ...verdict, outcome: verdict.outcome === "failed" ? "completed" : "failed" })
    }))
  },
  {
    name: "every delivery counts as delivered",
    foundBy: 1,
    planted: overriding(DeliveryQueueStore, (queue) => ({
      finish: (results) =>
        queue.finish(
          results.map((result) => ({ ...without(result, "delay_ms" as never), outcome: "delivered" as const }))
        )
    }))
  },
  {
    name: "deliveries are signed with a wrong secret",
    foundBy: 1,
    planted: overriding(Vault, (vault) => ({
      decrypt: (...given) => Effect.map(vault.decrypt(...given), (text) => `${text}x`)
    }))
  },
  {
    name: "a claimed ramp payout is claimed again",
    foundBy: 26,
    planted: planted(PaymentStore, (store: Store): Store => {
      let before: ReadonlyArray<AttemptOfPayment> = []
      return {
        ...store,
        claimUnsent: (lanes) =>
          Effect.map(store.claimUnsent(lanes), (found) => {
            const all = [...found, ...before]
            before = found
            return all
          })
      }
    })
  },
  {
    name: "payments are found for any organisation",
    foundBy: 45,
    planted: overriding(PaymentStore, (store) => ({
      find: (_, id) => store.find(Option.none(), id)
    }))
  },
  {
    name: "a revoked key is cached",
    foundBy: 8,
    planted: overriding(CallerStore, (callers) => {
      const known = new Map<string, Effect.Effect.Success<ReturnType<typeof callers.byApiKey>>>()
      return {
        byApiKey: (hash, mode) => {
          const kept = known.get(hash)
          return kept === undefined
            ? Effect.tap(callers.byApiKey(hash, mode), (found) => Effect.sync(() => known.set(hash, found)))
            : Effect.succeed(kept)
        }
      }
    })
  },
  {
    name: "a withdrawal forgets its funding account",
    foundBy: 60,
    planted: changingNewPayment((one) => ({ ...one, payment: { ...one.payment, funding: null } }))
  },
  {
    name: "a final payment goes on",
    foundBy: 6,
    planted: overriding(PaymentStore, (store) => ({
      findAttempt: (id, orgId) =>
        Effect.map(
          store.findAttempt(id, orgId),
          Option.map((known) =>
            finalStatuses.includes(known.payment.status)
              ? { ...known, payment: { ...known.payment, status: "processing" as const } }
              : known
          )
        )
    }))
  },
  ...disputeBugs,
  ...movementBugs
]

export const catalogue: ReadonlyArray<Bug> = [...inPayments, ...aroundPayments, ...sendingBugs, ...amountBugs]
