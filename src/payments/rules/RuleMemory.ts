/** Risk rules, lists and counted payments in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import { Money } from "../../domain/Money.ts"
import { currentDate, memoryTable, newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { paymentTables } from "../store/AttemptQueueMemory.ts"
import type { PaymentId } from "../../domain/Ids.ts"
import type { Payment } from "../store/Payment.ts"
import {
  type ListEntry,
  type Owner,
  type RecordedSubject,
  RuleStore,
  type StoredRule,
  uncountedStatuses
} from "./RuleStore.ts"

interface SubjectRow extends RecordedSubject {
  readonly payment_id: PaymentId
  readonly at: number
}

const ruleTables = {
  ...paymentTables,
  riskRules: memoryTable<StoredRule>("riskRules"),
  riskListEntries: memoryTable<ListEntry>("riskListEntries"),
  paymentSubjects: memoryTable<SubjectRow>("paymentSubjects")
}

const ruleKey = (owner: Owner, name: string): string => `${owner} ${name}`

const counts = ({ status }: Payment): boolean => !uncountedStatuses.some((uncounted) => uncounted === status)

const sumsOf = (amounts: ReadonlyArray<Money>): ReadonlyArray<Money> => {
  const sums = new Map<Money["currency"], bigint>()
  for (const { currency, minor } of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + minor)
  return [...sums].map(([currency, minor]) => new Money({ currency, minor }))
}

export const ruleStoreMemory = Layer.effect(
  RuleStore,
  Effect.map(openTables(ruleTables), ({ paymentSubjects, payments, riskListEntries, riskRules }) => {
    const ofOwner = <Row extends { readonly org_id: Owner }>(rows: Iterable<Row>, owner: Owner) =>
      Array.from(rows).filter(({ org_id }) => org_id === owner)
    const servesOrg =
      (orgId: OrgId) =>
      ({ org_id }: { readonly org_id: Owner }) =>
        org_id === orgId || org_id === null
    const byName = (a: StoredRule, b: StoredRule) => (a.name < b.name ? -1 : 1)
    return {
      put: (rule) =>
        Effect.map(currentDate, (at) => {
          const key = ruleKey(rule.org_id, rule.name)
          const row = { ...rule, created_at: riskRules.get(key)?.created_at ?? at, updated_at: at }
          riskRules.set(key, row)
          return row
        }),
      remove: (owner, name) =>
        Effect.sync(() => {
          const found = Option.fromNullable(riskRules.get(ruleKey(owner, name)))
          riskRules.delete(ruleKey(owner, name))
          return found
        }),
      list: (owner) => Effect.sync(() => ofOwner(riskRules.values(), owner).sort(byName)),
      configOf: (orgId) =>
        Effect.sync(() => {
          const rules = riskRules.all(servesOrg(orgId)).sort(byName)
          return {
            rules: rules
              .toSorted((a, b) => Number(b.org_id === null) - Number(a.org_id === null))
              .map(({ created_at: _created, updated_at: _updated, ...rule }) => rule),
            hasLists: riskListEntries.all().some(servesOrg(orgId))
          }
        }),
      addEntry: (entry) =>
        Effect.map(currentDate, (created_at) => {
          const before = ofOwner(riskListEntries.values(), entry.org_id).find(
            (row) => row.list === entry.list && row.subject === entry.subject && row.value === entry.value
          )
          const row = before === undefined ? { ...entry, created_at } : { ...before, note: entry.note }
          riskListEntries.set(row.entry_id, row)
          return row
        }),
      removeEntry: (owner, entryId) =>
        Effect.sync(() => {
          const found = riskListEntries.one(entryId, ({ org_id }) => org_id === owner)
          if (Option.isSome(found)) riskListEntries.delete(entryId)
          return found
        }),
      entries: (owner, { list, subject }, window) =>
        Effect.sync(() => {
          const rows = ofOwner(riskListEntries.values(), owner).filter(
            (row) => (list === undefined || row.list === list) && (subject === undefined || row.subject === subject)
          )
          return newestFirst(rows, (row) => row.entry_id, window)
        }),
      matching: (orgId, values) =>
        Effect.sync(() =>
          riskListEntries.all(
            (row) =>
              servesOrg(orgId)(row) &&
              values.some(({ subject, value }) => row.subject === subject && row.value === value)
          )
        ),
      // Transactions of this database run one at a time.
      lock: () => Effect.void,
      count: (asked, { payment_id }, recorded) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const counted = asked.map(({ direction, key, owner, seconds }) => {
            const amounts = paymentSubjects.all().flatMap((row) => {
              const payment =
                row.key === key && row.payment_id !== payment_id && row.at > now - seconds * 1000
                  ? payments.get(row.payment_id)
                  : undefined
              return payment !== undefined &&
                counts(payment) &&
                (owner === null || payment.org_id === owner) &&
                (direction === null || payment.direction === direction)
                ? [payment.amount]
                : []
            })
            return { count: amounts.length, sums: sumsOf(amounts) }
          })
          for (const one of recorded) {
            paymentSubjects.set(`${one.key} ${payment_id}`, { ...one, payment_id, at: now })
          }
          return counted
        }),
      past: (owner, seconds, window) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const rows = payments.all(
            ({ created_at, org_id }) =>
              (owner === null || org_id === owner) && created_at.getTime() > now - seconds * 1000
          )
          return newestFirst(rows, (row) => row.payment_id, window).map((payment) => ({
            ...payment,
            recorded: paymentSubjects.all(
              (row) =>
                row.payment_id === payment.payment_id &&
                row.owner === owner &&
                (row.subject === "card" || row.subject === "ip_address")
            )
          }))
        })
    }
  })
)
