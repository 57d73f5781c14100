/** Rows that somebody else has: whoever wants to write one waits, and is sent away when it takes too long. */
import { Context, Duration, Effect } from "effect"
import { overloaded } from "../../src/domain/Failure.ts"
import { lockTimeout } from "../../src/domain/policies/Database.ts"
import { PaymentStore, type Store } from "../../src/payments/store/PaymentStore.ts"
import { InTransaction } from "../../src/platform/database/InTransaction.ts"
import type { Outside } from "./Outside.ts"

const waiting = (outside: Outside, store: Store): Store => ({
  ...store,
  apply: (change) =>
    Effect.suspend(() => {
      const left = (outside.locks.get(change.payment.payment_id) ?? 0) - outside.time.now
      if (left <= 0) return store.apply(change)
      outside.count("fault: waits for a lock")
      const gaveUp = Effect.suspend(() => {
        outside.isLosing = true
        return Effect.die(overloaded())
      })
      const isLong = left > Duration.toMillis(lockTimeout)
      const wait = Effect.sleep(isLong ? lockTimeout : Duration.millis(left))
      return Effect.flatMap(InTransaction, (within) => {
        // A machine that died while it waited inside of a transaction would keep everybody from theirs, which no database does.
        if (within) return gaveUp
        return Effect.zipRight(wait, isLong ? gaveUp : store.apply(change))
      })
    })
})

export const withHeldLocks = <A>(stores: Context.Context<A>, outside: Outside): Context.Context<A> => {
  const store = Context.unsafeGet(stores as Context.Context<PaymentStore>, PaymentStore)
  return Context.add(stores, PaymentStore, waiting(outside, store)) as Context.Context<A>
}
