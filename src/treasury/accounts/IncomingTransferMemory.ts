/** Incoming transfers in memory. */
import { Duration, Effect, Layer, Option } from "effect"
import { incomingTransferLease } from "../../domain/policies/PaymentPolicies.ts"
import { currentDate, memoryTable, newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { Money } from "../../domain/Money.ts"
import { OPERATOR_ID } from "../../domain/Movement.ts"
import {
  IncomingTransferStore,
  isOpposite,
  type NewTransfer,
  owedBy,
  SOON,
  type StoredTransfer
} from "./IncomingTransferStore.ts"

interface ListRow {
  readonly listed_until: Date
  readonly due_at: Date
}

interface Row extends StoredTransfer {
  readonly owed: Money
  readonly toldOtherwise: string | null
}

const tables = {
  incomingTransfers: memoryTable<Row>("incomingTransfers"),
  incomingTransferLists: memoryTable<ListRow>("incomingTransferLists")
}

const shown = ({ owed: _owed, toldOtherwise: _told, ...transfer }: Row): StoredTransfer => transfer

const after = (at: Date, time: Duration.Duration) => new Date(at.getTime() + Duration.toMillis(time))

export const incomingTransferStoreMemory = Layer.effect(
  IncomingTransferStore,
  Effect.map(openTables(tables), ({ incomingTransferLists, incomingTransfers }): IncomingTransferStore["Type"] => {
    const all = () => incomingTransfers.all()
    const change = (transferId: string, patch: Partial<Row>): StoredTransfer => {
      const changed = { ...incomingTransfers.get(transferId)!, ...patch }
      incomingTransfers.set(transferId, changed)
      return shown(changed)
    }
    const inAccount = (transfer: NewTransfer) => (row: Row) =>
      row.provider === transfer.provider && row.account === transfer.account
    const recorded = (transfer: NewTransfer) =>
      all()
        .filter(inAccount(transfer))
        .find(({ kind, movement_id }) => kind === transfer.kind && movement_id === transfer.movement_id)
    const sameAmount = ({ amount }: NewTransfer, row: Row) =>
      row.amount.minor === amount.minor && row.amount.currency === amount.currency
    const alike = (transfer: NewTransfer) =>
      all()
        .filter(inAccount(transfer))
        .filter((row) => sameAmount(transfer, row))
    const ofReference = ({ issuer_reference }: NewTransfer, row: Row) =>
      issuer_reference !== null && row.issuer_reference === issuer_reference
    return {
      insert: (transfer, owed = owedBy(transfer)) =>
        Effect.map(currentDate, (created_at) => {
          if (recorded(transfer) !== undefined) return false
          const row = { ...transfer, created_at, owed, toldOtherwise: null }
          incomingTransfers.set(transfer.transfer_id, row)
          return true
        }),
      contradict: (transfer) =>
        Effect.sync(() => {
          const [row, told] = [recorded(transfer), transfer.amount.toString()]
          if (row === undefined || sameAmount(transfer, row) || row.toldOtherwise === told) return false
          change(row.transfer_id, { toldOtherwise: told })
          return true
        }),
      nameStated: (transfer) =>
        Effect.sync(() => {
          const stated = alike(transfer).find(
            (row) =>
              row.kind === transfer.kind &&
              row.movement_id.startsWith(OPERATOR_ID) &&
              row.issuer_reference === transfer.issuer_reference
          )
          if (stated === undefined || recorded(transfer) !== undefined) return false
          change(stated.transfer_id, { movement_id: transfer.movement_id })
          return true
        }),
      undoneBy: (transfer, of) =>
        Effect.sync(() => {
          const found = alike(transfer).find(
            (row) =>
              row.state === "suspense" &&
              (of === null ? ofReference(transfer, row) : row.movement_id === of) &&
              isOpposite(row.kind, transfer.kind)
          )
          return Option.map(Option.fromNullable(found), shown)
        }),
      payOwed: (orgId, accountId, { currency, minor }) =>
        Effect.sync(() => {
          let left = minor
          for (const { account_id, org_id, owed, transfer_id } of all()) {
            if (account_id !== accountId || org_id !== orgId) continue
            const paid = owed.minor < left ? owed.minor : left
            change(transfer_id, { owed: new Money({ currency: owed.currency, minor: owed.minor - paid }) })
            left -= paid
          }
          return new Money({ currency, minor: minor - left })
        }),
      lock: (transferId) => Effect.sync(() => Option.map(incomingTransfers.one(transferId), shown)),
      resolve: (transferId, decision, owed) =>
        Effect.sync(() => {
          const { amount } = incomingTransfers.get(transferId)!
          return change(transferId, { ...decision, owed: owed ?? owedBy({ ...decision, amount }) })
        }),
      open: (scope, window) =>
        Effect.sync(() => {
          const rows = all().filter(
            ({ org_id, state }) => state === "suspense" && (Option.isNone(scope) || scope.value === org_id)
          )
          return newestFirst(rows, (row) => row.transfer_id, window).map(shown)
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
          const { due_at, listed_until } = incomingTransferLists.get(provider)!
          const isLater = until !== undefined && until > listed_until
          incomingTransferLists.set(provider, {
            listed_until: isLater ? until : listed_until,
            due_at: due_at === SOON ? due_at : after(at, dueIn)
          })
        }),
      listSoon: (provider) =>
        Effect.map(currentDate, (at) => {
          const { listed_until = at } = incomingTransferLists.get(provider) ?? {}
          incomingTransferLists.set(provider, { listed_until, due_at: SOON })
        })
    }
  })
)
