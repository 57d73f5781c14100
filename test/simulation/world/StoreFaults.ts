/** Wrappers of the memory stores: held locks, the database's clock, failures and an audit of claims. */
import { Context, Duration, Effect, type Clock, Option } from "effect"
import { busy, maybeWritten } from "../../../src/domain/Failure.ts"
import { lockTimeout } from "../../../src/domain/policies/DatabasePolicies.ts"
import { PaymentStore, type Store, type AttemptOfPayment } from "../../../src/payments/store/PaymentStore.ts"
import type { Stored } from "../../../src/platform/database/DatabaseFailure.ts"
import { InTransaction, Transactor } from "../../../src/platform/database/Transactor.ts"
import { VirtualAccountStore } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { EscrowStore } from "../../../src/treasury/escrow/EscrowStore.ts"
import type { SimulationEnvironment } from "./SimulationEnvironment.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { isReversed } from "../../../src/payments/store/PaymentPostings.ts"

type Accounts = Context.Tag.Service<VirtualAccountStore>
type Escrows = Context.Tag.Service<EscrowStore>

/** `row`: the locked row; `what`: its kind. */
type Waiting = <A, E, R>(row: string, what: string, statement: Stored<A, E, R>) => Stored<A, E, R>

const waitingFor =
  (env: SimulationEnvironment): Waiting =>
  (row, what, statement) =>
    Effect.suspend(() => {
      const left = (env.locks.get(row) ?? 0) - env.time.now
      if (left <= 0) return statement
      env.count(`fault: waits for the lock of ${what}`)
      const gaveUp = Effect.suspend(() => {
        env.databaseFailed = true
        return Effect.fail(busy())
      })
      const isLong = left > Duration.toMillis(lockTimeout)
      const wait = Effect.sleep(isLong ? lockTimeout : Duration.millis(left))
      return Effect.flatMap(InTransaction, (within) => {
        // A machine that dies inside a transaction would block the memory database for ever.
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

export const withHeldLocks = <A>(stores: Context.Context<A>, env: SimulationEnvironment): Context.Context<A> => {
  const waits = waitingFor(env)
  const all = stores as Context.Context<PaymentStore | EscrowStore | VirtualAccountStore>
  return all.pipe(
    Context.add(PaymentStore, payments(Context.get(all, PaymentStore), waits)),
    Context.add(EscrowStore, escrows(Context.get(all, EscrowStore), waits)),
    Context.add(VirtualAccountStore, accounts(Context.get(all, VirtualAccountStore), waits))
  ) as Context.Context<A>
}

/** Runs stores on the database's clock, as PostgreSQL does, while any machine's clock is wrong. */
type Service = Readonly<Record<string, unknown>>

export interface DatabaseClock {
  readonly clock: Clock.Clock
  readonly isNeeded: () => boolean
}

const timed = (value: unknown, clock: Clock.Clock): unknown =>
  Effect.isEffect(value) ? Effect.withClock(value as Effect.Effect<unknown>, clock) : value

const onClock = (service: Service, { clock, isNeeded }: DatabaseClock): Service =>
  Object.fromEntries(
    Object.entries(service).map(([name, member]) => {
      if (typeof member === "function") {
        const act = member as (...all: ReadonlyArray<unknown>) => unknown
        return [name, (...given: ReadonlyArray<unknown>) => (isNeeded() ? timed(act(...given), clock) : act(...given))]
      }
      if (!Effect.isEffect(member)) return [name, member]
      const effect = member as Effect.Effect<unknown>
      return [name, Effect.suspend(() => (isNeeded() ? Effect.withClock(effect, clock) : effect))]
    })
  )

/** Code inside a transaction keeps its caller's clock. */
const exempt: ReadonlySet<string> = new Set([Transactor.key, MemoryDatabase.key])

export const withSharedClock = <A>(stores: Context.Context<A>, right: DatabaseClock): Context.Context<A> =>
  Context.unsafeMake(
    new Map(
      Array.from(stores.unsafeMap, ([key, service]) => [
        key,
        exempt.has(key) || typeof service !== "object" || service === null
          ? service
          : onClock(service as Service, right)
      ])
    )
  )

/** Makes the database busy, or loses the answer of a write. */
const failingStore = (env: SimulationEnvironment, store: Store): Store => {
  let statements = 0
  const troubled = <A, E>(statement: Stored<A, E>): Stored<A, E> =>
    Effect.suspend(() => {
      statements += 1
      const purpose = `statement ${statements}`
      const how = env.drawn({ fine: 96, "busy database": 2.5, "lost statement": 1.5 }, "fine", purpose)
      if (how === "fine") return statement
      env.databaseFailed = true
      return how === "busy database" ? Effect.fail(busy()) : Effect.zipRight(statement, Effect.fail(maybeWritten()))
    })
  return {
    ...store,
    create: (opening) => troubled(store.create(opening)),
    apply: (change) => troubled(store.apply(change))
  }
}

export const withDatabaseFaults = <A>(stores: Context.Context<A>, env: SimulationEnvironment): Context.Context<A> => {
  const store = Context.unsafeGet(stores as Context.Context<PaymentStore>, PaymentStore)
  return Context.add(stores, PaymentStore, failingStore(env, store)) as Context.Context<A>
}

/** Checks that a claimed ramp payout still has its money. */
export const withClaimAudit = <A>(stores: Context.Context<A>, env: SimulationEnvironment): Context.Context<A> => {
  const store = Context.unsafeGet(stores as Context.Context<PaymentStore>, PaymentStore)
  const watched = (claimed: Iterable<AttemptOfPayment>) =>
    Effect.sync(() => {
      for (const known of claimed) {
        const { attempt, payment } = known
        if (attempt.leg === "settlement" && isReversed(payment, known)) {
          env.problem(`${attempt.provider} is to settle a ramp whose money was taken back`)
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
