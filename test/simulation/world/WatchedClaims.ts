/** Whatever is claimed to be sent has its money at that moment: what was taken back is never spent. */
import { Context, Effect, Option } from "effect"
import { isReversed } from "../../../src/payments/store/PaymentPostings.ts"
import { type AttemptOfPayment, PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import type { Outside } from "./Outside.ts"

export const withClaimsWatched = <A>(stores: Context.Context<A>, outside: Outside): Context.Context<A> => {
  const store = Context.unsafeGet(stores as Context.Context<PaymentStore>, PaymentStore)
  const watched = (claimed: Iterable<AttemptOfPayment>) =>
    Effect.sync(() => {
      for (const known of claimed) {
        const { attempt, payment } = known
        if (attempt.leg === "settlement" && isReversed(payment, known)) {
          outside.problem(`${attempt.provider} is to settle a ramp whose money was taken back`)
        }
      }
    })
  return Context.add(stores, PaymentStore, {
    ...store,
    claimUnsent: (lanes) => Effect.tap(store.claimUnsent(lanes), watched),
    renewSend: (attemptId, token) =>
      Effect.tap(store.renewSend(attemptId, token), (known) => watched(Option.toArray(known)))
  }) as Context.Context<A>
}
