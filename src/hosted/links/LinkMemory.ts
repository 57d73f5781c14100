/** Payment links in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import type { LinkId, PaymentId } from "../../domain/Ids.ts"
import { memoryTable, newestFirst, openTables, seenIn } from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { type LinkPayment, LinkStore, type StoredLink, type PaymentLink } from "./LinkStore.ts"

const linkTables = {
  paymentLinks: memoryTable<StoredLink>("paymentLinks"),
  linkPayments: memoryTable<LinkPayment>("linkPayments"),
  history: memoryTable<{ readonly payment_id: PaymentId; readonly to_status: string; readonly at: Date }>("history")
}

export const linkStoreMemory = Layer.effect(
  LinkStore,
  Effect.map(openTables(linkTables), ({ history, linkPayments, paymentLinks }) => {
    const through = (linkId: LinkId) => linkPayments.all(({ link_id }) => link_id === linkId)
    const paidAt = (linkId: LinkId): Date | null => {
      const made = new Set(through(linkId).map(({ payment_id }) => payment_id))
      const completions = history
        .all(({ payment_id, to_status }) => to_status === "completed" && made.has(payment_id))
        .map(({ at }) => at)
      return completions.sort((a, b) => a.getTime() - b.getTime())[0] ?? null
    }
    const read = ({ brand_logo, ...row }: StoredLink): PaymentLink => ({
      ...row,
      has_logo: brand_logo !== null,
      submission: (row.payment_id === null ? undefined : linkPayments.get(row.payment_id))?.submission ?? null,
      paid_at: paidAt(row.link_id)
    })
    const readByPayers = (row: StoredLink): PaymentLink =>
      row.amount_type === "open" ? { ...read(row), paid_at: null } : read(row)
    const visible = (scope: Scope, id: LinkId) => paymentLinks.one(id, seenIn(scope))
    const find = (scope: Scope, id: LinkId) => Effect.sync(() => Option.map(visible(scope, id), read))
    return {
      insert: (link) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const row: StoredLink = { ...link, canceled_at: null, payment_id: null, created_at: new Date(now) }
          paymentLinks.set(row.link_id, row)
          return read(row)
        }),
      list: (scope, window) =>
        Effect.sync(() => newestFirst(paymentLinks.all(seenIn(scope)), ({ link_id }) => link_id, window).map(read)),
      find,
      findForUpdate: find,
      findByRef: (ref) =>
        Effect.sync(() =>
          Option.map(Option.fromNullable(paymentLinks.all().find(({ link_ref }) => link_ref === ref)), readByPayers)
        ),
      logoOf: (ref) =>
        Effect.sync(() => Option.fromNullable(paymentLinks.all().find(({ link_ref }) => link_ref === ref)?.brand_logo)),
      cancel: (scope, id, at) =>
        Effect.sync(() => {
          const row = Option.getOrUndefined(visible(scope, id))
          if (row !== undefined) paymentLinks.set(id, { ...row, canceled_at: row.canceled_at ?? at })
        }),
      claim: ({ link_id, now, org_id, payment_id, replacing, submission }) =>
        Effect.sync(() => {
          const row = paymentLinks.get(link_id)
          if (row?.org_id !== org_id || row.canceled_at !== null) return false
          if (row.expires_at !== null && row.expires_at.getTime() <= now.getTime()) return false
          if (row.amount_type === "fixed" && row.payment_id !== replacing) return false
          if (through(link_id).some((other) => other.submission === submission)) return false
          paymentLinks.set(link_id, { ...row, payment_id })
          linkPayments.set(payment_id, { payment_id, link_id, org_id, submission })
          return true
        }),
      paymentOf: ({ link_id }, submission) =>
        Effect.sync(() =>
          Option.fromNullable(through(link_id).find((made) => made.submission === submission)?.payment_id)
        ),
      linkOf: (scope, paymentId) =>
        Effect.sync(() => {
          const made = linkPayments.get(paymentId)
          return made === undefined ? Option.none() : Option.map(visible(scope, made.link_id), readByPayers)
        })
    }
  })
)
