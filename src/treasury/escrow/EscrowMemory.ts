/** Escrows in memory. */
import { Effect, Layer, Option } from "effect"
import type { EscrowId } from "../../domain/Ids.ts"
import {
  memoryTable,
  newestFirst,
  openTables,
  currentDate,
  matches,
  seenIn
} from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { type Escrow, EscrowStore } from "./EscrowStore.ts"

const escrowTables = { escrows: memoryTable<Escrow>("escrows") }

export const escrowStoreMemory = Layer.effect(
  EscrowStore,
  Effect.map(openTables(escrowTables), ({ escrows }) => {
    const find = (scope: Scope, id: EscrowId) => Effect.sync(() => escrows.one(id, seenIn(scope)))
    return {
      insert: (escrow) =>
        Effect.map(currentDate, (at) => {
          const row: Escrow = { ...escrow, created_at: at, updated_at: at }
          escrows.set(row.escrow_id, row)
          return row
        }),
      list: (scope, filter, window) =>
        Effect.sync(() => {
          const rows = escrows.all(seenIn(scope), matches(filter))
          return newestFirst(rows, (row) => row.escrow_id, window)
        }),
      find,
      findByParty: (orgId, partyId) =>
        Effect.sync(() => {
          const pays = ({ org_id, parties }: Escrow) =>
            org_id === orgId && parties.some(({ party_id }) => party_id === partyId)
          return Option.fromNullable(escrows.all().find(pays))
        }),
      lock: find,
      update: (escrow) =>
        Effect.map(currentDate, (updated_at) => {
          const { disbursed, escrow_id, funded, milestones, status } = escrow
          escrows.set(escrow_id, { ...escrows.get(escrow_id)!, disbursed, funded, milestones, status, updated_at })
          return { ...escrow, updated_at }
        })
    }
  })
)
