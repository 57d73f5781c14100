/** Bugs that the simulation must find, each planted by wrapping a service. */
import { Effect, Option } from "effect"
import { Money } from "../../../src/domain/Money.ts"
import { Declined, type Outcome, Report } from "../../../src/domain/Outcome.ts"
import { ProviderAnswer } from "../../../src/payments/route/ProviderAnswer.ts"
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
  planted,
  changingProvider,
  withMovements,
  without
} from "./Planting.ts"
import { disputeBugs, movementBugs } from "./Movements.ts"
import { sendingBugs } from "./Sending.ts"

const changingNewPayment = (change: (one: NewPayment) => NewPayment): Planted =>
  planted(PaymentStore, (store: Store): Store => ({ ...store, create: (one) => store.create(change(one)) }))

type Answers = (typeof ProviderAnswer)["Service"]

const changingAnswers = (change: (answers: Answers) => Partial<Answers>): Planted =>
  planted(ProviderAnswer, (answers: Answers): Answers => ({ ...answers, ...change(answers) }))

const declinedOutcome = (): Outcome => new Declined({ reason: "it did not answer" })

const finalStatuses: ReadonlyArray<string> = ["completed", "failed", "refunded", "rejected", "canceled"]

const inPayments: ReadonlyArray<Omit<Bug, "foundBy">> = [
  {
    name: "silence is a refusal",
    about: "who does not answer is taken to have refused, and the next is asked",
    planted: changingAnswers(({ outcome }) => ({
      outcome: (...given) =>
        Effect.map(outcome(...given), (said) => (said._tag === "Unknown" ? declinedOutcome() : said))
    }))
  },
  {
    name: "sent again without leave",
    about: "a lost answer is asked for again, whether or not the provider honours references",
    planted: changingAnswers(({ outcome }) => ({
      outcome: (provider, send, window, leave, about) =>
        outcome(provider, send, window, leave, { ...about, honours: true })
    }))
  },
  {
    name: "foreign text is believed",
    about: "what providers say goes to the database as it is",
    planted: changingAnswers(({ outcome }) => ({
      outcome: (provider, send, window, leave, about) =>
        Effect.suspend(() => {
          let raw: Outcome | undefined
          const heard = Effect.tap(send, (said) => Effect.sync(() => void (raw = said)))
          return Effect.map(outcome(provider, heard, window, leave, about), (said) =>
            raw !== undefined && raw._tag === said._tag ? raw : said
          )
        })
    }))
  },
  {
    name: "no limit for look-ups",
    about: "an enquiry waits for its answer for ever",
    planted: changingAnswers(() => ({ enquiry: (provider, attempt) => provider.enquire(attempt) }))
  },
  {
    name: "a payment that nobody answered has failed",
    about: "an unknown outcome is written down as a failure",
    planted: changingSignal((signal) => (signal._tag === "Unknown" ? (declinedOutcome() as Declined) : signal))
  },
  {
    name: "any amount will do",
    about: "how much has arrived is not looked at",
    planted: changingSignal((signal) =>
      withMovements(signal, (one) => [one.kind === "collection" ? { ...without(one, "isTotal"), amount: null } : one])
    )
  },
  {
    name: "what is taken back is not noticed",
    about: "a word that money was returned is taken for one that it is on its way",
    planted: changingSignal((signal) =>
      signal._tag === "Report" && signal.state === "returned"
        ? withMovements(new Report({ ...signal, state: "processing" }), (one) =>
            one.kind === "reversal" || one.kind === "reinstatement" ? [] : [one]
          )
        : signal
    )
  },
  {
    name: "a failure after all",
    about: "a failure that is told is taken for a completion",
    planted: changingSignal((signal) =>
      signal._tag === "Report" && signal.state === "failed" ? new Report({ ...signal, state: "completed" }) : signal
    )
  },
  {
    name: "events are forgotten",
    about: "a payment that completes tells nobody",
    planted: changingWrite((one) =>
      one.status === "completed" && one.payment.status !== "completed" ? { ...one, events: [] } : one
    )
  },
  {
    name: "events are told twice",
    about: "the same change writes its events under two ids",
    planted: changingWrite((one) => ({
      ...one,
      events: one.events.flatMap((event) => [event, { ...event, event_id: event.event_id.replace(/.$/, "z") }])
    }))
  },
  {
    name: "events of refunds are forgotten",
    about: "a part that went back tells nobody",
    planted: changingWrite((one) => ({
      ...one,
      events: one.events.filter(({ event_type }) => event_type !== "payment.refunded")
    }))
  },
  {
    name: "nobody is told of money in suspense",
    about: "money without a place is in no queue",
    planted: planted(PaymentStore, (store: Store): Store => ({
      ...store,
      openItems: (...asked) =>
        Effect.map(store.openItems(...asked), (items) => items.filter(({ kind }) => kind !== "suspense"))
    }))
  },
  {
    name: "nobody is told of what stays unknown",
    about: "the last enquiry opens no item",
    planted: changingWrite((one) => ({
      ...one,
      openItems: (one.openItems ?? []).filter(({ kind }) => kind !== "unknown_outcome")
    }))
  },
  {
    name: "items stay open",
    about: "what has found its end is still in the queue",
    planted: changingWrite((one) => without(one, "closeItems"))
  },
  {
    name: "nobody asks again",
    about: "what a provider left open is not looked up",
    planted: changingWrite((one) =>
      one.attempt === undefined ? one : { ...one, attempt: { ...one.attempt, enquire_in: null } }
    )
  },
  {
    name: "what was held stays held",
    about: "a payout that failed does not give its hold back",
    planted: changingWrite((one) =>
      ["failed", "rejected", "canceled"].includes(one.status)
        ? { ...one, patch: { ...one.patch, holds: one.payment.holds } }
        : one
    )
  },
  {
    name: "a refund is not held",
    about: "a part that goes back is not set aside first",
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
    name: "a refund is settled without the books",
    about: "a part that went back is not posted",
    planted: changingWrite((one) => ({
      ...one,
      movements: (one.movements ?? []).filter(({ refund_id }) => refund_id === null)
    }))
  },
  {
    name: "money in suspense is not booked",
    about: "what moves and changes no status is forgotten",
    planted: changingWrite((one) => (one.status === one.payment.status ? without(one, "movements") : one))
  },
  {
    name: "whoever comes last wins",
    about: "a change is written although somebody else's came before it",
    planted: planted(PaymentStore, (store: Store): Store => ({
      ...store,
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
    name: "a refused attempt speaks for its payment",
    about: "what was refused is forgotten when its provider speaks again",
    planted: planted(PaymentStore, (store: Store): Store => ({
      ...store,
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
    name: "parts are forgotten",
    about: "what went back already is not counted",
    planted: planted(PaymentStore, (store: Store): Store => ({
      ...store,
      find: (scope, id) =>
        Effect.map(
          store.find(scope, id),
          Option.map((payment) => ({ ...payment, refunds: [] }))
        )
    }))
  },
  {
    name: "hints are not taken",
    about: "a callback that proves nothing is thrown away",
    planted: planted(PaymentStore, (store: Store): Store => ({ ...store, hint: () => Effect.succeed(false) }))
  },
  {
    name: "early callbacks are lost",
    about: "what came before its payment was known is never matched",
    planted: planted(PaymentStore, (store: Store): Store => ({ ...store, matchedCallbacks: () => Effect.succeed([]) }))
  },
  {
    name: "a key is not remembered",
    about: "a payment is written without its idempotency key",
    planted: changingNewPayment((one) => without(one, "key"))
  },
  {
    name: "answers are not kept",
    about: "the answer under a key is not written down",
    planted: planted(Idempotency, (keys: (typeof Idempotency)["Service"]) => ({ ...keys, keep: () => Effect.void }))
  },
  {
    name: "nobody is asked for a review",
    about: "a payment is held, and no item says so",
    planted: changingNewPayment((one) => without(one, "item"))
  },
  {
    name: "forged callbacks are believed",
    about: "the proof of a callback is not looked at",
    planted: changingProvider((provider) => ({
      ...provider,
      callback: (request) => provider.callback({ ...request, headers: { ...request.headers, "x-proof": "genuine" } })
    }))
  },
  {
    name: "people are misheard",
    about: "what an operator found is written down the other way round",
    planted: planted(Resolution, (resolution: (typeof Resolution)["Service"]) => ({
      ...resolution,
      resolve: (...[permit, id, verdict]: Parameters<typeof resolution.resolve>) =>
        resolution.resolve(permit, id, { ...verdict, outcome: verdict.outcome === "failed" ? "completed" : "failed" })
    }))
  },
  {
    name: "every delivery has arrived",
    about: "what a receiver answered is not looked at",
    planted: planted(DeliveryQueueStore, (queue: (typeof DeliveryQueueStore)["Service"]) => ({
      ...queue,
      finish: (results: Parameters<typeof queue.finish>[0]) =>
        queue.finish(
          results.map((result) => ({ ...without(result, "delay_ms" as never), verdict: "delivered" as const }))
        )
    }))
  },
  {
    name: "signed with another secret",
    about: "deliveries bear a signature that their receiver cannot check",
    planted: planted(Vault, (vault: (typeof Vault)["Service"]) => ({
      ...vault,
      decrypt: (...given: Parameters<typeof vault.decrypt>) => Effect.map(vault.decrypt(...given), (text) => `${text}x`)
    }))
  },
  {
    name: "the second leg is sent twice",
    about: "whoever looks for legs to send finds those again that somebody sends already",
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
    name: "the walls are thin",
    about: "a payment is found by its id, whoever asks",
    planted: planted(PaymentStore, (store: Store): Store => ({
      ...store,
      find: (_, id) => store.find(Option.none(), id)
    }))
  },
  {
    name: "keys are remembered for too long",
    about: "an instance keeps whom a key belongs to, and does not hear that it was revoked",
    planted: planted(CallerStore, (callers: (typeof CallerStore)["Service"]) => {
      const known = new Map<string, Effect.Effect.Success<ReturnType<typeof callers.byApiKey>>>()
      return {
        ...callers,
        byApiKey: (...[hash, mode]: Parameters<typeof callers.byApiKey>) => {
          const kept = known.get(hash)
          return kept === undefined
            ? Effect.tap(callers.byApiKey(hash, mode), (found) => Effect.sync(() => known.set(hash, found)))
            : Effect.succeed(kept)
        }
      }
    })
  },
  {
    name: "a withdrawal is paid by somebody else",
    about: "the account that a payout is paid from is forgotten",
    planted: changingNewPayment((one) => ({ ...one, payment: { ...one.payment, funding: null } }))
  },
  {
    name: "a final state is left",
    about: "what has ended goes on when a provider says so",
    planted: planted(PaymentStore, (store: Store): Store => ({
      ...store,
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

/** First seed that finds each bug. */
const finders: Readonly<Record<string, number>> = {
  "silence is a refusal": 6,
  "sent again without leave": 1,
  "foreign text is believed": 13,
  "no limit for look-ups": 229,
  "a payment that nobody answered has failed": 26,
  "any amount will do": 23,
  "what is taken back is not noticed": 11,
  "a failure after all": 16,
  "events are forgotten": 1,
  "events are told twice": 1,
  "events of refunds are forgotten": 45,
  "nobody is told of money in suspense": 6,
  "nobody is told of what stays unknown": 31,
  "items stay open": 2,
  "nobody asks again": 16,
  "what was held stays held": 38,
  "a refund is not held": 45,
  "a refund is settled without the books": 23,
  "money in suspense is not booked": 6,
  "whoever comes last wins": 1,
  "a refused attempt speaks for its payment": 145,
  "parts are forgotten": 45,
  "hints are not taken": 104,
  "early callbacks are lost": 27,
  "a key is not remembered": 11,
  "answers are not kept": 13,
  "nobody is asked for a review": 2,
  "forged callbacks are believed": 658,
  "people are misheard": 31,
  "every delivery has arrived": 1,
  "signed with another secret": 1,
  "the second leg is sent twice": 26,
  "the walls are thin": 45,
  "keys are remembered for too long": 8,
  "a withdrawal is paid by somebody else": 60,
  "a final state is left": 6,
  "a dispute that is won is not noticed": 47,
  "a second dispute is not booked": 117,
  "a second dispute is booked with the first": 117,
  "a callback gives a transfer another id": 8,
  "a transfer has the id of its payment": 11,
  "a reversal is taken for a reinstatement": 11,
  "a sum that grows is added up": 218,
  "what an operator stated stands beside what its provider says": 6,
  "what moves after a failure is dropped": 6,
  "a refund does not know its transfer": 23,
  "who collected is forgotten": 1,
  "what went back is not kept on the record": 45,
  "an allocation is made twice": 11,
  "what is borne is not booked": 16,
  "the platform keeps a dispute that is won": 47,
  "a debt is never paid": 143,
  "a milestone is released again": 65,
  "a release is not booked": 65,
  "a movement on an account tells nobody": 3,
  "an escrow that is called off keeps its record": 4,
  "a link is paid twice": 68,
  "switched off is not off": 253,
  "deliveries are forgotten too soon": 217,
  "every account is the platform's": 16,
  "customers who come back are believed": 1,
  "a refused repetition is a refusal": 91,
  "a key is answered while its request runs": 9,
  "a second leg is offered again to whoever refused it": 55,
  "absence is counted from the first sending": 809,
  "new credentials speak for old attempts": 63,
  "whoever slept writes what a receiver said": 32,
  "a fee is rounded down": 24,
  "the time to send counts for the first try": 33,
  "keys are forgotten after an hour": 24,
  "whoever slept sends again": 339,
  "a ramp ends by the clock of one instance": 510,
  "an early callback finds a payment of another account": 283,
  "a refund above what is left": 45,
  "money in suspense is rounded the other way": 46
}

export const catalogue: ReadonlyArray<Bug> = [...inPayments, ...aroundPayments, ...sendingBugs, ...amountBugs].map(
  (bug) => ({
    ...bug,
    foundBy: finders[bug.name]!
  })
)
