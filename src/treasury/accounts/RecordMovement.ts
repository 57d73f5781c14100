/** What every movement on virtual accounts writes: its entries in the books, its rows, and an event for each row. */
import { Clock, Context, Effect, Layer } from "effect"
import type { InsufficientFunds } from "../../domain/Failure.ts"
import { Ids } from "../../domain/Ids.ts"
import type { Entry } from "../../domain/Ledger.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { Events } from "../../webhooks/Events.ts"
import { transactionEvent } from "./AccountEvents.ts"
import { booksOf } from "./VirtualAccount.ts"
import type { NewVirtualTransaction, VirtualTransaction } from "./VirtualTransaction.ts"
import { VirtualTransactionStore } from "./VirtualTransactionStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

/** Inside a transaction that has locked the accounts, and posts nothing else. */
export class RecordMovement extends Context.Tag("corridor/RecordMovement")<
  RecordMovement,
  (
    entries: ReadonlyArray<Entry>,
    rows: ReadonlyArray<NewVirtualTransaction>
  ) => Stored<ReadonlyArray<VirtualTransaction>, InsufficientFunds>
>() {
  static readonly layer = Layer.effect(
    RecordMovement,
    Effect.gen(function* () {
      const transactions = yield* VirtualTransactionStore
      const ledger = yield* Ledger
      const events = yield* Events
      const ids = yield* Ids

      return Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>, rows: ReadonlyArray<NewVirtualTransaction>) {
        yield* ledger.post(entries)
        const written = yield* transactions.insert(rows)
        const balances = yield* ledger.balances(written.map(booksOf))
        const at = new Date(yield* Clock.currentTimeMillis)
        yield* Effect.forEach(
          written,
          (transaction) =>
            Effect.flatMap(ids.next, (id) =>
              events.publish(transactionEvent(id, transaction, balances.get(booksOf(transaction))!, at))
            ),
          { discard: true }
        )
        return written
      })
    })
  )
}
