/** What the changes of an escrow have in common: it is taken alone, written down and audited. */
import { Context, Effect, Layer, Option } from "effect"
import type { EscrowId } from "../../domain/Identifiers.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Permit } from "../../domain/Access.ts"
import { type NotFound, notFound } from "../../domain/Failure.ts"
import type { Escrow } from "./Escrow.ts"
import { EscrowStore } from "./EscrowStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

type MayI = Permit<"escrow">
type Detail = Readonly<Record<string, unknown>>

export class EscrowTransaction extends Context.Tag("corridor/EscrowTransaction")<
  EscrowTransaction,
  {
    readonly find: (permit: MayI, id: EscrowId) => Stored<Escrow, NotFound>
    /** Inside a transaction, to the end of which nobody else changes it. */
    readonly locked: (permit: MayI, id: EscrowId) => Stored<Escrow, NotFound>
    readonly record: (permit: MayI, escrow: Escrow, action: string, detail: Detail) => Stored<void>
    readonly save: (permit: MayI, escrow: Escrow, action: string, detail: Detail) => Stored<Escrow>
  }
>() {
  static readonly layer = Layer.effect(
    EscrowTransaction,
    Effect.gen(function* () {
      const store = yield* EscrowStore
      const audit = yield* AuditLog

      const orNotFound = Effect.flatMap(
        Option.match({
          onNone: () => Effect.fail(notFound("escrow")),
          onSome: (escrow: Escrow) => Effect.succeed(escrow)
        })
      )

      const record = (permit: MayI, { escrow_id, org_id }: Escrow, action: string, detail: Detail) =>
        audit.record(permit, { action, org: org_id, subject: ["escrow", escrow_id], detail })

      return {
        find: (permit, id) => orNotFound(store.find(permit.scope, id)),
        locked: (permit, id) => orNotFound(store.lock(permit.scope, id)),
        record,
        save: (permit, escrow, action, detail) =>
          Effect.zipLeft(store.update(escrow), record(permit, escrow, action, detail))
      }
    })
  )
}
