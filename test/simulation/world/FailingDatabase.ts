/** A database that is busy at times, and at times carries a statement out and loses its answer. */
import { Context, Effect } from "effect"
import { busy, maybeWritten } from "../../../src/domain/Failure.ts"
import { PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import type { Stored } from "../../../src/platform/database/DatabaseFailure.ts"
import type { Outside } from "./Outside.ts"

const failing = (outside: Outside, store: Store): Store => {
  let statements = 0
  const troubled = <A, E>(statement: Stored<A, E>): Stored<A, E> =>
    Effect.suspend(() => {
      statements += 1
      const purpose = `statement ${statements}`
      const how = outside.drawn({ fine: 96, "busy database": 2.5, "lost statement": 1.5 }, "fine", purpose)
      if (how === "fine") return statement
      outside.isLosing = true
      return how === "busy database" ? Effect.fail(busy()) : Effect.zipRight(statement, Effect.fail(maybeWritten()))
    })
  return {
    ...store,
    create: (opening) => troubled(store.create(opening)),
    apply: (change) => troubled(store.apply(change))
  }
}

export const onFailingDatabase = <A>(stores: Context.Context<A>, outside: Outside): Context.Context<A> => {
  const store = Context.unsafeGet(stores as Context.Context<PaymentStore>, PaymentStore)
  return Context.add(stores, PaymentStore, failing(outside, store)) as Context.Context<A>
}
