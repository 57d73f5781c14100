/** Store of risk rules, block and allow lists, and of the payments that rules count. */
import { Context, Option, Duration, Effect, Layer, Schema } from "effect"
import { OrgId, PaymentId } from "../../domain/Ids.ts"
import { Flow } from "../../domain/Corridor.ts"
import {
  type Counted,
  type ListSubject,
  type RuleTerms,
  type Subject,
  listSubjects,
  ruleActions,
  ruleKinds,
  ruleSubjects,
  subjects
} from "../../domain/RiskRules.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import {
  type Window,
  batchOf,
  execute,
  moneyOf,
  newest,
  query,
  ownedBy as sameOwner
} from "../../platform/database/Query.ts"
import { type Payment, RampFacts } from "../store/Payment.ts"
import { SqlClient, type Statement } from "@effect/sql"
import { CountryCode } from "../../domain/Country.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { ruleHistory } from "../../domain/policies/PaymentPolicies.ts"
import { cachedByConfigVersion } from "../../platform/database/Batcher.ts"

/** Whose rules and lists: an organisation's, or the platform's (null). */
export type Owner = OrgId | null

export interface StoredRule extends RuleTerms {
  readonly org_id: Owner
  readonly name: string
  readonly created_at: Date
  readonly updated_at: Date
}

export type NewRule = Omit<StoredRule, "created_at" | "updated_at">

const ListEntry = Schema.Struct({
  entry_id: Schema.String,
  org_id: Schema.NullOr(OrgId),
  list: Schema.Literal("block", "allow"),
  subject: Schema.Literal(...listSubjects),
  value: Schema.String,
  note: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf
})
export type ListEntry = typeof ListEntry.Type

export interface EntryFilter {
  readonly list?: ListEntry["list"] | undefined
  readonly subject?: ListSubject | undefined
}

/** Rules and lists that apply to an organisation's payments. */
export interface RiskConfig {
  readonly rules: ReadonlyArray<NewRule>
  /** Whether the organisation or the platform has an entry on a list. */
  readonly hasLists: boolean
}

export interface Value {
  readonly subject: ListSubject
  readonly value: string
}

/** Payments to count: those of a key, within seconds until now. */
export interface Asked {
  readonly key: string
  readonly owner: Owner
  readonly seconds: number
  readonly direction: Flow | null
}

export interface RecordedSubject {
  readonly key: string
  readonly owner: Owner
  readonly subject: Subject
}

/** A payment as rules are tried on it. */
export interface PastPayment extends Pick<
  Payment,
  | "payment_id"
  | "org_id"
  | "status"
  | "direction"
  | "country"
  | "amount"
  | "payer_details"
  | "mobile_money_details"
  | "card_details"
  | "bank_account"
  | "recipient_info"
  | "ramp"
  | "created_at"
> {
  /** Keys of card and IP address, which only the counts of rules have. */
  readonly recorded: ReadonlyArray<Pick<RecordedSubject, "key" | "subject">>
}

export class RuleStore extends Context.Tag("corridor/RuleStore")<
  RuleStore,
  {
    /** A rule of the same name is replaced. */
    readonly put: (rule: NewRule) => Stored<StoredRule>
    readonly remove: (owner: Owner, name: string) => Stored<Option.Option<StoredRule>>
    /** By name. */
    readonly list: (owner: Owner) => Stored<ReadonlyArray<StoredRule>>
    /** For payments on their way in: concurrent ones share a statement, and the answer is cached. */
    readonly configOf: (orgId: OrgId) => Stored<RiskConfig>
    /** A value that is on the list already keeps its id, and gets the note. */
    readonly addEntry: (entry: Omit<ListEntry, "created_at">) => Stored<ListEntry>
    readonly removeEntry: (owner: Owner, entryId: string) => Stored<Option.Option<ListEntry>>
    readonly entries: (owner: Owner, filter: EntryFilter, window: Window) => Stored<ReadonlyArray<ListEntry>>
    /** Entries of the organisation and the platform that name one of the values. */
    readonly matching: (orgId: OrgId, values: ReadonlyArray<Value>) => Stored<ReadonlyArray<ListEntry>>
    /** Lets payments with these keys wait in turn until the end of the transaction; others go on. */
    readonly lock: (keys: ReadonlyArray<string>) => Stored<void>
    /**
     * Counts the payments of each key that were not failed, rejected or canceled, then records this one. Inside the
     * transaction of the payment, after `lock`.
     */
    readonly count: (
      asked: ReadonlyArray<Asked>,
      payment: { readonly payment_id: PaymentId; readonly org_id: OrgId },
      recorded: ReadonlyArray<RecordedSubject>
    ) => Stored<ReadonlyArray<Counted>>
    /** Payments of the last seconds, newest first. */
    readonly past: (owner: Owner, seconds: number, window: Window) => Stored<ReadonlyArray<PastPayment>>
  }
>() {}

/** Statuses of payments that do not count. */
export const uncountedStatuses = ["failed", "rejected", "canceled"] as const

const Currency = Schema.typeSchema(AnyCurrencyCode)
const Json = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const terms = {
  org_id: Schema.NullOr(OrgId),
  name: Schema.String,
  kind: Schema.Literal(...ruleKinds),
  subject: Schema.Literal(...ruleSubjects),
  direction: Schema.NullOr(Flow),
  max_count: Schema.NullOr(Schema.Int),
  max_amount: Schema.NullOr(Schema.String),
  currency: Schema.NullOr(Currency),
  window_seconds: Schema.Int,
  action: Schema.Literal(...ruleActions),
  is_active: Schema.Boolean
}
const Terms = Schema.Struct(terms)
const RuleRow = Schema.Struct({ ...terms, created_at: Schema.DateFromSelf, updated_at: Schema.DateFromSelf })

const PastRow = Schema.Struct({
  payment_id: PaymentId,
  org_id: OrgId,
  status: Schema.Literal(...paymentStatuses),
  direction: Flow,
  country: CountryCode,
  amount: Schema.String,
  currency: Currency,
  payer_details: Json,
  mobile_money_details: Json,
  card_details: Json,
  bank_account: Json,
  recipient_info: Json,
  ramp: Schema.NullOr(RampFacts),
  created_at: Schema.DateFromSelf,
  recorded: Schema.Array(Schema.Struct({ key: Schema.String, subject: Schema.Literal(...subjects) }))
})

const ruleRows = query(RuleRow)
const entryRows = query(ListEntry)
const pastRows = query(PastRow)
const configRows = query(Schema.Struct({ seq: Schema.Int, rules: Schema.Array(Terms), has_lists: Schema.Boolean }))
const countRows = query(
  Schema.Struct({ seq: Schema.Int, currency: Currency, count: Schema.Int, amount: Schema.String })
)

/** Recorded subjects past their time that are deleted with each count. */
const FORGOTTEN = 20

const termsOf = <Row extends typeof Terms.Type>({ currency, max_amount, ...row }: Row) => ({
  ...row,
  max_amount: max_amount === null || currency === null ? null : moneyOf(max_amount, currency)
})

const fromRow = (row: typeof RuleRow.Type): StoredRule => termsOf(row)

const toRow = ({ max_amount, ...rule }: NewRule) => ({
  ...rule,
  max_amount: max_amount === null ? null : max_amount.toNumericText(),
  currency: max_amount === null ? null : max_amount.currency
})

const ruleColumns = Object.keys(RuleRow.fields).join(", ")
const entryColumns = Object.keys(ListEntry.fields).join(", ")
const { recorded: _, ...pastFields } = PastRow.fields
const pastColumns = Object.keys(pastFields).join(", ")

export const ruleStoreSql = Layer.scoped(
  RuleStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ruleNames = sql.literal(ruleColumns)
    const entryNames = sql.literal(entryColumns)
    const ownedBy = (owner: Owner): Statement.Fragment =>
      owner === null ? sql.literal("org_id is null") : sql`org_id = ${owner}`
    const rule = (statement: Statement.Fragment) => ruleRows.first(sql`${statement} returning ${ruleNames}`)
    const uncounted = sql.literal(uncountedStatuses.map((status) => `'${status}'`).join(", "))

    const configOf = yield* cachedByConfigVersion(
      (orgId: OrgId) => orgId,
      (asked) =>
        sql`select seq,
            coalesce((select jsonb_agg(to_jsonb(r) || jsonb_build_object('max_amount', r.max_amount::text)
                order by r.org_id nulls first, r.name)
              from risk_rules r where r.org_id = of_org or r.org_id is null), '[]') as rules,
            exists (select from risk_list_entries e where e.org_id = of_org or e.org_id is null) as has_lists
          from ${batchOf(
            sql,
            asked.map((of_org) => ({ of_org })),
            "of_org uuid"
          )} q order by seq`.pipe(
          configRows.all,
          Effect.map((rows) => rows.map(({ has_lists, rules }) => ({ rules: rules.map(termsOf), hasLists: has_lists })))
        )
    )

    return {
      put: (wanted) =>
        sql`insert into risk_rules ${sql.insert(toRow(wanted))}
          on conflict (org_id, name) do update set kind = excluded.kind, subject = excluded.subject,
            direction = excluded.direction, max_count = excluded.max_count, max_amount = excluded.max_amount,
            currency = excluded.currency, window_seconds = excluded.window_seconds, action = excluded.action,
            is_active = excluded.is_active, updated_at = now()
          returning ${ruleNames}`.pipe(ruleRows.one, Effect.map(fromRow)),
      remove: (owner, name) =>
        Effect.map(rule(sql`delete from risk_rules where ${ownedBy(owner)} and name = ${name}`), Option.map(fromRow)),
      list: (owner) =>
        sql`select ${ruleNames} from risk_rules where ${ownedBy(owner)} order by name collate "C"`.pipe(
          ruleRows.all,
          Effect.map((rows) => rows.map(fromRow))
        ),
      configOf,
      addEntry: (entry) =>
        entryRows.one(sql`insert into risk_list_entries ${sql.insert(entry)}
          on conflict (org_id, list, subject, value) do update set note = excluded.note returning ${entryNames}`),
      removeEntry: (owner, entryId) =>
        entryRows.first(sql`delete from risk_list_entries where entry_id = ${entryId} and ${owner === null ? sql.literal("org_id is null") : sameOwner(sql, owner)}
          returning ${entryNames}`),
      entries: (owner, { list, subject }, window) =>
        entryRows.all(
          sql`select ${entryNames} from risk_list_entries where ${sql.and([
            ownedBy(owner),
            ...(list === undefined ? [] : [sql`list = ${list}`]),
            ...(subject === undefined ? [] : [sql`subject = ${subject}`])
          ])} ${newest(sql, "entry_id", window)}`
        ),
      matching: (orgId, values) =>
        entryRows.all(sql`select ${sql.literal(entryColumns.replaceAll(/\w+/g, "e.$&"))}
          from ${batchOf(sql, values, "subject text, value text")} q
          join risk_list_entries e on e.value = q.value and e.subject = q.subject
            and (e.org_id = ${orgId} or e.org_id is null)`),
      // One order for all, so that two payments never wait for each other.
      lock: (keys) =>
        execute(sql`select pg_advisory_xact_lock(hashtextextended(key, 0))
          from unnest(${[...new Set(keys)].toSorted()}::text[]) key`),
      count: (asked, { org_id, payment_id }, recorded) =>
        sql`with forgotten as (
            delete from payment_subjects where ctid in (
              select ctid from payment_subjects
              where created_at < clock_timestamp() - make_interval(secs => ${Duration.toSeconds(ruleHistory)})
              order by created_at limit ${FORGOTTEN} for update skip locked)
          ), recorded as (
            insert into payment_subjects (key, owner, subject, payment_id, org_id)
            select r.key, r.owner, r.subject, ${payment_id}::uuid, ${org_id}::uuid
            from ${batchOf(sql, recorded, "key text, owner uuid, subject text")} r
          )
          select m.seq, p.currency, count(*)::int as count, sum(p.amount)::text as amount
          from (
            select distinct q.seq, q.owner, q.direction, s.payment_id
            from ${batchOf(sql, asked, "key text, owner uuid, seconds integer, direction text")} q
            join payment_subjects s on s.key = q.key and s.payment_id <> ${payment_id}
              and s.created_at > clock_timestamp() - make_interval(secs => q.seconds)
          ) m
          join payments p on p.payment_id = m.payment_id and (m.owner is null or uuid_eq(p.org_id, m.owner))
          where p.status not in (${uncounted}) and (m.direction is null or p.direction = m.direction)
          group by m.seq, p.currency`.pipe(
          countRows.all,
          Effect.map((rows) =>
            asked.map((_, seq) => {
              const own = rows.filter((row) => row.seq === seq)
              return {
                count: own.reduce((sum, { count }) => sum + count, 0),
                sums: own.map(({ amount, currency }) => moneyOf(amount, currency))
              }
            })
          )
        ),
      past: (owner, seconds, window) => {
        const since = sql`created_at > now() - make_interval(secs => ${seconds})`
        const within = owner === null ? since : sql`org_id = ${owner} and ${since}`
        return sql`select ${sql.literal(pastColumns.replaceAll(/\w+/g, "p.$&").replace("p.amount", "p.amount::text as amount"))},
            coalesce((select jsonb_agg(jsonb_build_object('key', s.key, 'subject', s.subject)) from payment_subjects s
              where s.payment_id = p.payment_id and s.owner is not distinct from ${owner}::uuid
                and s.subject in ('card', 'ip_address')), '[]') as recorded
          from (select * from payments where ${within} ${newest(sql, "payment_id", window)}) p
          order by p.created_at desc, p.payment_id desc`.pipe(
          pastRows.all,
          Effect.map((rows) =>
            rows.map(({ amount, currency, ...row }) => ({ ...row, amount: moneyOf(amount, currency) }))
          )
        )
      }
    }
  })
)
