/** What providers call back with: proved, stored once, and applied like every other word about an attempt. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { AttemptId } from "../../domain/Identifiers.ts"
import type { ProviderName } from "../../domain/Corridor.ts"
import { cleanReport, cleanText } from "../../domain/ForeignText.ts"
import { idOrNil, Ids } from "../../domain/Ids.ts"
import { strayBatch } from "../../domain/Policies.ts"
import type { CallbackEvent, CallbackRequest, NoProof, Provider } from "../../providers/port/Provider.ts"
import type { StoredCallback } from "../store/Payment.ts"
import { type FoundStray, type Known, PaymentStore } from "../store/PaymentStore.ts"
import { RecordOutcome } from "../record/RecordOutcome.ts"

export type Received = "applied" | "provider asked" | "seen before" | "unknown payment"

/** What comes from outside and is written down. */
const cleanEvent = ({ attempt, key, report }: CallbackEvent): CallbackEvent => ({
  key: cleanText(key),
  attempt: {
    reference: attempt.reference,
    providerPaymentId: attempt.providerPaymentId === null ? null : cleanText(attempt.providerPaymentId)
  },
  report: report === null ? null : cleanReport(report)
})

export class Callbacks extends Context.Tag("corridor/Callbacks")<
  Callbacks,
  {
    readonly receive: (provider: Provider, request: CallbackRequest) => Effect.Effect<Received, NoProof>
    /** Applies what came before its payment was known by the provider's own id, where it is known by now. */
    readonly matchStrays: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Callbacks,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const outcomes = yield* RecordOutcome
      const ids = yield* Ids

      const knownBy = Effect.fnUntraced(function* (provider: ProviderName, { attempt }: CallbackEvent) {
        const { providerPaymentId, reference } = attempt
        const byReference =
          reference === null ? Option.none<Known>() : yield* store.known(idOrNil(AttemptId)(reference))
        if (Option.isSome(byReference) || providerPaymentId === null) {
          return Option.filter(byReference, (one) => one.attempt.provider === provider)
        }
        const found = yield* store.attemptOf(provider, providerPaymentId)
        return Option.isNone(found) ? Option.none<Known>() : yield* store.known(found.value.attempt_id)
      })

      const rowOf = Effect.fnUntraced(function* (
        provider: ProviderName,
        { key, report }: CallbackEvent,
        about: Pick<StoredCallback, "payment_id" | "attempt_id" | "org_id" | "effect">
      ) {
        return {
          callback_id: yield* ids.next,
          provider,
          event_key: key,
          report: report?.state ?? "hint",
          received_at: new Date(yield* Clock.currentTimeMillis),
          ...about
        }
      })

      /** It may have come before its attempt was known by the provider's id. What proves nothing is not worth keeping. */
      const stray = Effect.fnUntraced(function* (provider: ProviderName, event: CallbackEvent) {
        if (event.report === null) return "unknown payment" as const
        const nobody = { payment_id: null, attempt_id: null, org_id: null, effect: "unknown payment" as const }
        const stored = yield* store.storeCallback({
          ...(yield* rowOf(provider, event, nobody)),
          provider_payment_id: event.attempt.providerPaymentId,
          report_said: event.report
        })
        return stored ? ("unknown payment" as const) : ("seen before" as const)
      })

      /** It proves nothing, and anybody may have sent it: the provider is asked, in its turn, and not too often. */
      const hint = Effect.fnUntraced(function* (provider: ProviderName, event: CallbackEvent, { attempt }: Known) {
        if (!(yield* store.hint(attempt.attempt_id))) return "seen before"
        const { attempt_id, org_id, payment_id } = attempt
        const about = { attempt_id, org_id, payment_id, effect: "provider asked" as const }
        // Under a name of its own: it must not pass for a proved callback with the same id.
        const row = yield* rowOf(provider, event, about)
        yield* store.storeCallback({ ...row, event_key: `hint ${row.callback_id}` })
        return "provider asked"
      })

      const apply = ({ attempt_id, stray: { callback_id, event_key, provider, report_said } }: FoundStray) =>
        outcomes.hearAbout({ attempt_id }, report_said, {
          cause: `callback from ${provider}`,
          callback: { provider, key: event_key, stray: callback_id }
        })

      return {
        receive: Effect.fnUntraced(function* (provider, request) {
          const event = cleanEvent(yield* provider.callback(request))
          const known = yield* knownBy(provider.name, event)
          if (Option.isNone(known)) return yield* stray(provider.name, event)
          if (event.report === null) return yield* hint(provider.name, event, known.value)
          const applied = outcomes.hear(known.value, event.report, {
            cause: `callback from ${provider.name}`,
            callback: { provider: provider.name, key: event.key }
          })
          // Most events come once, so nobody asks beforehand: whoever comes a second time finds it stored.
          return yield* Effect.catchAllDefect(Effect.as(applied, "applied" as const), (defect) =>
            Effect.flatMap(store.callbackSeen(provider.name, event.key), (seen) =>
              seen ? Effect.succeed("seen before" as const) : Effect.die(defect)
            )
          )
        }),
        matchStrays: Effect.flatMap(
          store.foundStrays(strayBatch),
          Effect.forEach(
            (found) =>
              Effect.catchAllCause(apply(found), (cause) =>
                Effect.logError("An early callback could not be applied; it is tried again", cause)
              ),
            { discard: true }
          )
        )
      }
    })
  )
}
