/** Payouts to escrow parties in memory. */
import { Duration, Effect, Layer, Option } from "effect"
import { escrowPayoutLease } from "../../domain/policies/PaymentPolicies.ts"
import { memoryTable, newestFirst, openTables, currentDate, seenIn } from "../../platform/database/MemoryDatabase.ts"
import { Money } from "../../domain/Money.ts"
import type { Escrow } from "./EscrowStore.ts"
import {
  type ClaimedPayout,
  type EscrowPayout,
  type Lease,
  type NewPayout,
  EscrowPayoutStore
} from "./EscrowPayoutStore.ts"

interface StoredPayout extends ClaimedPayout {
  readonly due_at: Date | null
}

export const escrowPayoutTables = { escrowPayouts: memoryTable<StoredPayout>("escrow_payouts") }

const tables = { ...escrowPayoutTables, escrows: memoryTable<Escrow>("escrows") }

export const escrowPayoutStoreMemory = Layer.effect(
  EscrowPayoutStore,
  Effect.map(openTables(tables), ({ escrowPayouts, escrows }): EscrowPayoutStore["Type"] => {
    const after = (at: Date, time: Duration.Duration | null) =>
      time === null ? null : new Date(at.getTime() + Duration.toMillis(time))

    const fresh = (payout: NewPayout, at: Date): StoredPayout => ({
      ...payout,
      status: "waiting",
      reason: null,
      sends: 0,
      sent_at: null,
      due_at: at,
      lease_token: payout.payout_id,
      tries: 0,
      created_at: at,
      updated_at: at
    })

    const put = (row: StoredPayout): StoredPayout => {
      escrowPayouts.set(row.payout_id, row)
      return row
    }

    const held = ({ lease_token, payout_id }: Lease): StoredPayout | undefined => {
      const row = escrowPayouts.get(payout_id)
      return row?.lease_token === lease_token && (row.status === "waiting" || row.status === "sent") ? row : undefined
    }

    const changeBlocked = (payout: EscrowPayout, changed: (row: StoredPayout, at: Date) => StoredPayout) =>
      Effect.map(currentDate, (at) =>
        escrowPayouts.one(payout.payout_id).pipe(
          Option.filter(({ status }) => status === "blocked"),
          Option.map((row): EscrowPayout => put(changed(row, at)))
        )
      )

    const closed =
      (reason: string) =>
      (row: StoredPayout, at: Date): StoredPayout => ({
        ...row,
        status: "closed",
        reason,
        due_at: null,
        updated_at: at
      })

    return {
      insert: (payouts) =>
        Effect.map(currentDate, (at) => {
          for (const one of payouts) put(fresh(one, at))
        }),
      claim: ({ busy, most, ofOne }) =>
        Effect.map(currentDate, (at) => {
          const turns = new Map(Object.entries(busy))
          const due = escrowPayouts
            .all(({ due_at }) => due_at !== null && due_at <= at)
            .toSorted((a, b) => a.due_at!.getTime() - b.due_at!.getTime())
            .map((row) => {
              const turn = (turns.get(row.org_id) ?? 0) + 1
              turns.set(row.org_id, turn)
              return { row, turn }
            })
            .filter(({ turn }) => turn <= ofOne)
            .toSorted((a, b) => a.turn - b.turn)
          return due.slice(0, Math.max(0, most)).map(({ row }) => {
            const lease_token = `${row.payout_id} ${at.getTime()} ${row.tries + 1}`
            return put({ ...row, due_at: after(at, escrowPayoutLease), lease_token, tries: row.tries + 1 })
          })
        }),
      markSent: (claimed, dueIn) =>
        Effect.map(currentDate, (at) => {
          const row = held(claimed)
          if (row?.status !== "waiting") return false
          const sends = row.sends + 1
          put({ ...row, status: "sent", reason: null, sends, sent_at: at, due_at: after(at, dueIn), updated_at: at })
          return true
        }),
      change: (claimed, { dueIn, ids, reason, status }) =>
        Effect.map(currentDate, (at) => {
          const row = held(claimed)
          if (row === undefined) return false
          const sent_at = status === "waiting" ? null : row.sent_at
          put({ ...row, ...ids, status, reason, sent_at, due_at: after(at, dueIn), updated_at: at })
          return true
        }),
      find: (scope, escrowId, payoutId) =>
        Effect.sync(() => escrowPayouts.one(payoutId, (row) => row.escrow_id === escrowId && seenIn(scope)(row))),
      retry: (payout, ids) =>
        changeBlocked(payout, (row, at) => ({
          ...row,
          ...ids,
          status: "waiting",
          reason: null,
          sent_at: null,
          due_at: at,
          tries: 0,
          updated_at: at
        })),
      reopen: (orgId, paymentId, reason) =>
        Effect.map(currentDate, (at) => {
          const [row] = escrowPayouts.all(
            ({ org_id, payment_id, status }) =>
              org_id === orgId && payment_id === paymentId && (status === "sent" || status === "paid")
          )
          return Option.map(Option.fromNullable(row), (one): EscrowPayout =>
            put({ ...one, status: "blocked", reason, due_at: null, updated_at: at })
          )
        }),
      close: (payout, reason) => changeBlocked(payout, closed(reason)),
      closeBlocked: (orgId, partyId, reason) =>
        Effect.map(currentDate, (at) => {
          for (const row of escrowPayouts.values()) {
            if (row.org_id === orgId && row.party_id === partyId && row.status === "blocked")
              put(closed(reason)(row, at))
          }
        }),
      reserved: (orgId, partyId, { currency }) =>
        Effect.sync(() => {
          let minor = 0n
          for (const row of escrowPayouts.values()) {
            if (row.org_id === orgId && row.party_id === partyId && row.status === "waiting") minor += row.amount.minor
          }
          return new Money({ currency, minor })
        }),
      waitingAmong: (orgId, ids) =>
        Effect.sync(
          () =>
            new Set(
              ids.filter((id) => {
                const row = escrowPayouts.get(id)
                return row?.org_id === orgId && row.status === "waiting"
              })
            )
        ),
      blocked: (scope, window) =>
        Effect.sync(() => {
          const rows = escrowPayouts
            .all((row) => row.status === "blocked" && seenIn(scope)(row))
            .map(({ amount, escrow_id, org_id, party_id, payout_id, reason, updated_at: created_at }) => {
              const escrow = escrows.get(escrow_id)
              const party = escrow?.parties.find((one) => one.party_id === party_id)
              const names = { escrow_name: escrow?.name ?? "", party_name: party?.name ?? "" }
              return { payout_id, org_id, escrow_id, party_id, amount, reason, created_at, ...names }
            })
          return newestFirst(rows, (row) => row.payout_id, window)
        })
    }
  })
)
