/** Rotates the master key: encrypts every secret and the check value again, in one transaction. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { Transactor } from "../database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { type RotatableTable, RotatableTables } from "../secrets/Secrets.ts"
import type { MasterKey } from "../config/MasterKey.ts"
import { keptKey, OtherMasterKey } from "./MasterKeyGuard.ts"
import { checkValue, reencrypt, Vault, type VaultError, type VaultService } from "../secrets/Vault.ts"
import { orDatabaseFailure, type Stored } from "../database/DatabaseFailure.ts"
import { traced } from "../observability/Spans.ts"

interface RotationReport {
  readonly old_key_id: string
  readonly new_key_id: string
  /** Secrets that were still encrypted under the old key. */
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
    /** Can run again: then it moves secrets that a server encrypted under the old key meanwhile. */
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
      const tables = yield* RotatableTables
      const audit = yield* AuditLog
      const { atomically } = yield* Transactor

      /** The lock keeps two rotations, and a first start, from passing each other. */
      const lockedKey = sql`select key_id, check_value from master_key for update`.pipe(
        Effect.flatMap(keptKey),
        Effect.map(Option.getOrUndefined),
        orDatabaseFailure
      )

      /** Locks out new and changed secrets until the end of the transaction. Returns how many it moved. */
      const reencryptTable = Effect.fnUntraced(function* (
        { columns, context, key, table }: RotatableTable,
        old: VaultService,
        fresh: VaultService
      ) {
        const [keys, secrets] = [key.join(", "), columns.join(", ")]
        yield* sql`lock table ${sql(table)} in share row exclusive mode`
        const rows = yield* sql<Readonly<Record<string, string | null>>>`select ${sql.literal(`${keys}, ${secrets}`)}
          from ${sql(table)} where coalesce(${sql.literal(secrets)}) is not null order by ${sql.literal(keys)}`
        let moved = 0
        for (const row of rows) {
          for (const column of columns) {
            const encrypted = row[column]
            if (encrypted === null || encrypted === undefined) continue
            const again = yield* reencrypt(old, fresh, encrypted, context(String(row[key[0]])))
            if (again === encrypted) continue
            yield* sql`update ${sql(table)} set ${sql.update({ [column]: again })}
              where ${sql.and(key.map((name) => sql`${sql(name)} = ${row[name]}`))}`
            moved += 1
          }
        }
        return moved
      })

      const reencryptAll = traced("MasterKeyRotation.reencryptAll")(
        function* (from: MasterKey, to: MasterKey) {
          const [old, fresh] = [Vault.make(from), Vault.make(to)]
          const moved = yield* Effect.forEach(tables, (one) => reencryptTable(one, old, fresh))
          return moved.reduce((sum, count) => sum + count, 0)
        },
        Effect.catchTag("SqlError", (error) => orDatabaseFailure(Effect.fail(error)))
      )

      return {
        rotate: traced("MasterKeyRotation.rotate")(function* (permit, from, to) {
          return yield* atomically(
            Effect.gen(function* () {
              const kept = yield* lockedKey
              const already_rotated = kept?.check_value === checkValue(to)
              if (!already_rotated && kept?.check_value !== checkValue(from)) {
                return yield* otherKey(kept?.key_id, from, to)
              }
              const resealed = yield* reencryptAll(from, to)
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
