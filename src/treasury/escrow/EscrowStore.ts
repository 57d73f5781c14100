/** Escrows at rest, each as a whole. Whoever changes one locks it first, in the transaction that moves its money. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { escrowTables } from "./MemoryTables.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Escrow, EscrowStatus, NewEscrow } from "./Escrow.ts"
import { escrowStoreSql } from "./EscrowSql.ts"

export interface EscrowFilter {
  readonly status?: EscrowStatus | undefined
  readonly account_id?: string | undefined
}

export interface Store {
  /** Belongs in a transaction: an escrow is several rows. */
  readonly insert: (escrow: NewEscrow) => Effect.Effect<Escrow>
  readonly list: (scope: Scope, filter: EscrowFilter, window: Window) => Effect.Effect<ReadonlyArray<Escrow>>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Option.Option<Escrow>>
  /** Inside a transaction nobody else changes it until the end. */
  readonly lock: (scope: Scope, id: string) => Effect.Effect<Option.Option<Escrow>>
  /** Writes how far a locked one, its milestones and its splits have come; everything else of it stays as it was made. */
  readonly update: (escrow: Escrow) => Effect.Effect<Escrow>
}

export class EscrowStore extends Context.Tag("corridor/EscrowStore")<EscrowStore, Store>() {
  static readonly layer = Layer.effect(EscrowStore, escrowStoreSql)

  static readonly layerMemory = Layer.effect(
    EscrowStore,
    Effect.map(openTables(escrowTables), ({ escrows }): Store => {
      const sees = (scope: Scope, row: Escrow) => Option.isNone(scope) || row.org_id === scope.value
      const find = (scope: Scope, id: string) =>
        Effect.sync(() => Option.filter(Option.fromNullable(escrows.get(id)), (row) => sees(scope, row)))
      return {
        insert: (escrow) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const at = new Date(now)
            const row: Escrow = { ...escrow, created_at: at, updated_at: at }
            escrows.set(row.escrow_id, row)
            return row
          }),
        list: (scope, { account_id, status }, window) =>
          Effect.sync(() => {
            const rows = Array.from(escrows.values()).filter(
              (row) =>
                sees(scope, row) &&
                (account_id === undefined || row.account_id === account_id) &&
                (status === undefined || row.status === status)
            )
            return newestFirst(rows, (row) => row.escrow_id, window)
          }),
        find,
        lock: find,
        update: (escrow) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const { disbursed, escrow_id, funded, milestones, status } = escrow
            const updated_at = new Date(now)
            escrows.set(escrow_id, { ...escrows.get(escrow_id)!, disbursed, funded, milestones, status, updated_at })
            return { ...escrow, updated_at }
          })
      }
    })
  )
}
