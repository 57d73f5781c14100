/**
 * Changes the master key: reseals every secret and the check value in one transaction. A secret that takes no part here is
 * lost with the old key.
 */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { Transactor } from "../database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { type Reseal, RotatableSecrets } from "../secrets/Secrets.ts"
import type { MasterKey } from "../config/MasterKey.ts"
import { keptKey, OtherMasterKey } from "./MasterKeyGuard.ts"
import { checkValue, reseal, Vault, type VaultError } from "../secrets/Vault.ts"
import { orDatabaseFailure, type Stored } from "../database/DatabaseFailure.ts"

export interface RotationReport {
  readonly old_key_id: string
  readonly new_key_id: string
  /** How many secrets were still sealed under the old key. */
  readonly resealed: number
  /** Whether the database belonged to the new key before. */
  readonly already_rotated: boolean
}

const otherKey = (kept: string | undefined, from: MasterKey, to: MasterKey) =>
  new OtherMasterKey({
    message:
      `This database belongs to master key ${kept ?? "(none)"}, which is neither the one in CORRIDOR_MASTER_KEY ` +
      `(${from.id}) nor the new one (${to.id}). Set CORRIDOR_MASTER_KEY to the key that was used before.`
  })

export class MasterKeyRotation extends Context.Tag("corridor/MasterKeyRotation")<
  MasterKeyRotation,
  {
    /** Running it again is safe, and moves what a server that still had the old key has sealed in the meantime. */
    readonly rotate: (
      permit: Permit<"platform">,
      from: MasterKey,
      to: MasterKey
    ) => Stored<RotationReport, OtherMasterKey | VaultError>
  }
>() {
  static readonly layer = Layer.effect(
    MasterKeyRotation,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const places = yield* RotatableSecrets
      const audit = yield* AuditLog
      const { atomically } = yield* Transactor

      /** The lock keeps two rotations, and a first start, from passing each other. */
      const lockedKey = sql`select key_id, check_value from master_key for update`.pipe(
        Effect.flatMap(keptKey),
        Effect.map(Option.getOrUndefined),
        orDatabaseFailure
      )

      const resealAll = Effect.fn("Rotation.resealAll")(function* (from: MasterKey, to: MasterKey) {
        const [old, fresh] = [Vault.make(from), Vault.make(to)]
        const anew: Reseal = (sealed, context) => reseal(old, fresh, sealed, context)
        const moved = yield* Effect.forEach(places, ({ reseal }) => reseal(anew))
        return moved.reduce((sum, count) => sum + count, 0)
      })

      return {
        rotate: Effect.fn("Rotation.rotate")(function* (permit, from, to) {
          return yield* atomically(
            Effect.gen(function* () {
              const kept = yield* lockedKey
              const already_rotated = kept?.check_value === checkValue(to)
              if (!already_rotated && kept?.check_value !== checkValue(from)) {
                return yield* otherKey(kept?.key_id, from, to)
              }
              const resealed = yield* resealAll(from, to)
              const row = { key_id: to.id, check_value: checkValue(to) }
              yield* sql`update master_key set ${sql.update(row)}`.pipe(orDatabaseFailure)
              const report = { old_key_id: from.id, new_key_id: to.id, resealed, already_rotated }
              if (already_rotated && resealed === 0) return report
              yield* audit.record(permit, {
                action: "secrets.rotated",
                org: null,
                subject: ["master_key", to.id],
                detail: { old_key_id: from.id, resealed }
              })
              return report
            })
          )
        })
      }
    })
  )
}
