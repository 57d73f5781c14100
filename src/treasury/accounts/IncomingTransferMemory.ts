/** Incoming transfers in memory. */
import { Duration, Effect, Layer, Option } from "effect"
import { incomingTransferLease } from "../../domain/policies/PaymentPolicies.ts"
import { currentDate, memoryTable, newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { IncomingTransferStore, type StoredTransfer } from "./IncomingTransferStore.ts"

interface ListRow {
  readonly listed_until: Date
  readonly due_at: Date
}

const tables = {
  incomingTransfers: memoryTable<StoredTransfer>("incomingTransfers"),
  incomingTransferLists: memoryTable<ListRow>("incomingTransferLists")
}

const after = (at: Date, time: Duration.Duration) => new Date(at.getTime() + Duration.toMillis(time))

export const incomingTransferStoreMemory = Layer.effect(
  IncomingTransferStore,
  Effect.map(openTables(tables), ({ incomingTransferLists, incomingTransfers }): IncomingTransferStore["Type"] => {
    const all = () => Array.from(incomingTransfers.values())
    const change = (transferId: string, patch: Partial<StoredTransfer>): StoredTransfer => {
      const changed = { ...incomingTransfers.get(transferId)!, ...patch }
      incomingTransfers.set(transferId, changed)
      return changed
    }
    return {
      insert: (transfer) =>
        Effect.map(currentDate, (created_at) => {
          const isKnown = all().some(
            ({ account, kind, movement_id, provider }) =>
              provider === transfer.provider &&
              account === transfer.account &&
              kind === transfer.kind &&
              movement_id === transfer.movement_id
          )
          if (!isKnown) incomingTransfers.set(transfer.transfer_id, { ...transfer, created_at })
          return !isKnown
        }),
      lock: (transferId) => Effect.sync(() => Option.fromNullable(incomingTransfers.get(transferId))),
      resolve: (transferId, decision) => Effect.sync(() => change(transferId, { ...decision, state: "resolved" })),
      open: (scope, window) =>
        Effect.sync(() => {
          const rows = all().filter(
            ({ org_id, state }) => state === "suspense" && (Option.isNone(scope) || scope.value === org_id)
          )
          return newestFirst(rows, (row) => row.transfer_id, window)
        }),
      claimList: (provider) =>
        Effect.map(currentDate, (at) => {
          const row = incomingTransferLists.get(provider) ?? { listed_until: at, due_at: at }
          if (row.due_at > at) return Option.none()
          incomingTransferLists.set(provider, { ...row, due_at: after(at, incomingTransferLease) })
          return Option.some(row.listed_until)
        }),
      listed: (provider, dueIn, until) =>
        Effect.map(currentDate, (at) => {
          const { listed_until } = incomingTransferLists.get(provider)!
          const isLater = until !== undefined && until > listed_until
          incomingTransferLists.set(provider, {
            listed_until: isLater ? until : listed_until,
            due_at: after(at, dueIn)
          })
        }),
      listSoon: (provider) =>
        Effect.map(currentDate, (at) => {
          const row = incomingTransferLists.get(provider) ?? { listed_until: at, due_at: at }
          incomingTransferLists.set(provider, { ...row, due_at: row.due_at < at ? row.due_at : at })
        })
    }
  })
)
