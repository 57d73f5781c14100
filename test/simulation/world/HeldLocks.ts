/** Rows that somebody else has: whoever wants to write one waits, and is sent away when it takes too long. */
import { Context, Duration, Effect } from "effect"
import { busy } from "../../../src/domain/Failure.ts"
import { lockTimeout } from "../../../src/domain/policies/DatabasePolicies.ts"
import { PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import type { Stored } from "../../../src/platform/database/DatabaseFailure.ts"
import { InTransaction } from "../../../src/platform/database/Transactor.ts"
import { VirtualAccountStore } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { EscrowStore } from "../../../src/treasury/escrow/EscrowStore.ts"
import type { Outside } from "./Outside.ts"

type Accounts = Context.Tag.Service<VirtualAccountStore>
type Escrows = Context.Tag.Service<EscrowStore>

/** `row`: what a statement locks, `what`: what that is. */
type Waiting = <A, E, R>(row: string, what: string, statement: Stored<A, E, R>) => Stored<A, E, R>

const waitingFor =
  (outside: Outside): Waiting =>
  (row, what, statement) =>
    Effect.suspend(() => {
      const left = (outside.locks.get(row) ?? 0) - outside.time.now
      if (left <= 0) return statement
      outside.count(`fault: waits for the lock of ${what}`)
      const gaveUp = Effect.suspend(() => {
        outside.isLosing = true
        return Effect.fail(busy())
      })
      const isLong = left > Duration.toMillis(lockTimeout)
      const wait = Effect.sleep(isLong ? lockTimeout : Duration.millis(left))
      return Effect.flatMap(InTransaction, (within) => {
        // A machine that died while it waited inside of a transaction would keep everybody from theirs, which no database does.
        if (within) return gaveUp
        return Effect.zipRight(wait, isLong ? gaveUp : statement)
      })
    })

const payments = (store: Store, waits: Waiting): Store => ({
  ...store,
  apply: (change) => waits(change.payment.payment_id, "a payment", store.apply(change))
})

const escrows = (store: Escrows, waits: Waiting): Escrows => ({
  ...store,
  lock: (scope, id) => waits(id, "an escrow", store.lock(scope, id))
})

const accounts = (store: Accounts, waits: Waiting): Accounts => ({
  ...store,
  lock: (orgId, id) => waits(id, "an account", store.lock(orgId, id)),
  lockForChange: (scope, id) => waits(id, "an account", store.lockForChange(scope, id))
})

export const withHeldLocks = <A>(stores: Context.Context<A>, outside: Outside): Context.Context<A> => {
  const waits = waitingFor(outside)
  const all = stores as Context.Context<PaymentStore | EscrowStore | VirtualAccountStore>
  return all.pipe(
    Context.add(PaymentStore, payments(Context.get(all, PaymentStore), waits)),
    Context.add(EscrowStore, escrows(Context.get(all, EscrowStore), waits)),
    Context.add(VirtualAccountStore, accounts(Context.get(all, VirtualAccountStore), waits))
  ) as Context.Context<A>
}
