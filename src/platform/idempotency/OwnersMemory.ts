/** Owners from the memory tables of the wings above. */
import { Effect, Layer, Option } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import { memoryTable, openTables } from "../database/MemoryDatabase.ts"
import { Owners } from "./Owners.ts"

const owned = memoryTable<{ readonly org_id: OrgId }>

export const ownersMemory = Layer.effect(
  Owners,
  Effect.map(
    openTables({ payments: owned("payments"), virtualAccounts: owned("virtualAccounts"), escrows: owned("escrows") }),
    ({ escrows, payments, virtualAccounts }): Owners["Type"] => ({
      ownerOf: ({ account_id = "", escrow_id = "", payment_id = "" }) =>
        Effect.sync(() => {
          const found = payments.get(payment_id) ?? virtualAccounts.get(account_id) ?? escrows.get(escrow_id)
          return Option.map(Option.fromNullable(found), ({ org_id }) => org_id)
        })
    })
  )
)
