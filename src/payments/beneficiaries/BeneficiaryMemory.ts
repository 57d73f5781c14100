/** Beneficiaries in memory. */
import { Effect, Layer, Option } from "effect"
import type { BeneficiaryId } from "../../domain/Ids.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import { currentDate, memoryTable, newestFirst, openTables, seenIn } from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { paymentTables } from "../store/AttemptQueueMemory.ts"
import { type Beneficiary, BeneficiaryStore, type Store } from "./Beneficiary.ts"

interface StoredBeneficiary extends Beneficiary {
  readonly deleted_at: Date | null
}

const beneficiaryTables = { beneficiaries: memoryTable<StoredBeneficiary>("beneficiaries") }

const withoutDeletion = ({ deleted_at: _deleted, ...beneficiary }: StoredBeneficiary): Beneficiary => beneficiary

export const beneficiaryStoreMemory = Layer.effect(
  BeneficiaryStore,
  Effect.map(openTables({ ...beneficiaryTables, ...paymentTables }), ({ beneficiaries, payments }): Store => {
    const find = (scope: Scope, id: BeneficiaryId) =>
      beneficiaries.one(id, (row) => row.deleted_at === null && seenIn(scope)(row))
    const change = (scope: Scope, id: BeneficiaryId, patch: (at: Date) => Partial<StoredBeneficiary>) =>
      Effect.map(currentDate, (at) =>
        Option.map(find(scope, id), (row) => {
          const changed: StoredBeneficiary = { ...row, ...patch(at) }
          beneficiaries.set(id, changed)
          return withoutDeletion(changed)
        })
      )
    const look = (scope: Scope, id: BeneficiaryId) => Effect.sync(() => Option.map(find(scope, id), withoutDeletion))
    return {
      insert: (beneficiary) =>
        Effect.map(currentDate, (at) => {
          const row: Beneficiary = { ...beneficiary, created_at: at, updated_at: at }
          beneficiaries.set(row.beneficiary_id, { ...row, deleted_at: null })
          return row
        }),
      list: (scope, of, window) =>
        Effect.sync(() => {
          const rows = beneficiaries.all(
            (row) =>
              row.deleted_at === null && seenIn(scope)(row) && (Option.isNone(of) || row.beneficiary_of === of.value)
          )
          return newestFirst(rows, (row) => row.beneficiary_id, window).map(withoutDeletion)
        }),
      find: look,
      findForUpdate: look,
      update: (scope, id, fields) => change(scope, id, (updated_at) => ({ ...fields, updated_at })),
      remove: (scope, id) => Effect.asVoid(change(scope, id, (deleted_at) => ({ deleted_at }))),
      hasPaymentUnderWay: (scope, id) =>
        Effect.sync(() =>
          payments.all().some((row) => row.beneficiary_id === id && seenIn(scope)(row) && !isFinal(row.status))
        )
    }
  })
)
