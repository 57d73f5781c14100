/** What providers call back with: proved, stored once, and applied like every other word about an attempt. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { ProviderName } from "../domain/Corridor.ts"
import { Ids, uuidOrNil } from "../domain/Ids.ts"
import type { Enquiry } from "../domain/Outcome.ts"
import { type CallbackEvent, type CallbackRequest, type NoProof, type Provider } from "../providers/Provider.ts"
import type { Attempt } from "./Payment.ts"
import { type Known, PaymentStore } from "./PaymentStore.ts"
import { Progress } from "./Progress.ts"

export type Received = "applied" | "seen before" | "unknown payment"

export class Callbacks extends Context.Tag("corridor/Callbacks")<
  Callbacks,
  { readonly receive: (provider: Provider, request: CallbackRequest) => Effect.Effect<Received, NoProof> }
>() {
  static readonly layer = Layer.effect(
    Callbacks,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const progress = yield* Progress
      const ids = yield* Ids

      const knownBy = Effect.fnUntraced(function* (provider: ProviderName, { attempt }: CallbackEvent) {
        const { providerPaymentId, reference } = attempt
        const byReference = reference === null ? Option.none<Known>() : yield* store.known(uuidOrNil(reference))
        if (Option.isSome(byReference) || providerPaymentId === null) {
          return Option.filter(byReference, (one) => one.attempt.provider === provider)
        }
        const found = yield* store.attemptOf(provider, providerPaymentId)
        return Option.isNone(found) ? Option.none<Known>() : yield* store.known(found.value.attempt_id)
      })

      const stray = Effect.fnUntraced(function* (provider: ProviderName, event: CallbackEvent) {
        const stored = yield* store.storeStrayCallback({
          callback_id: yield* ids.next,
          provider,
          event_key: event.key,
          payment_id: null,
          attempt_id: null,
          org_id: null,
          report: event.report?.state ?? "hint",
          effect: "unknown payment",
          received_at: new Date(yield* Clock.currentTimeMillis)
        })
        return stored ? ("unknown payment" as const) : ("seen before" as const)
      })

      /** An unsigned callback proves nothing: the provider itself is asked. */
      const wordOf = (provider: Provider, event: CallbackEvent, attempt: Attempt): Effect.Effect<Enquiry> =>
        event.report === null
          ? provider.enquire({ reference: attempt.attempt_id, providerPaymentId: attempt.provider_payment_id })
          : Effect.succeed(event.report)

      return {
        receive: Effect.fnUntraced(function* (provider, request) {
          const event = yield* provider.callback(request)
          const known = yield* knownBy(provider.name, event)
          if (Option.isNone(known)) return yield* stray(provider.name, event)
          // A hint leads to a call to the provider, so it is worth looking first.
          if (event.report === null && (yield* store.callbackSeen(provider.name, event.key))) return "seen before"
          const word = yield* wordOf(provider, event, known.value.attempt)
          const applied = progress.hear(known.value, word, {
            cause: `callback from ${provider.name}`,
            callback: { provider: provider.name, key: event.key }
          })
          // Most events come once, so nobody asks beforehand: whoever comes a second time finds it stored.
          return yield* Effect.catchAllDefect(Effect.as(applied, "applied" as const), (defect) =>
            Effect.flatMap(store.callbackSeen(provider.name, event.key), (seen) =>
              seen ? Effect.succeed("seen before" as const) : Effect.die(defect)
            )
          )
        })
      }
    })
  )
}
