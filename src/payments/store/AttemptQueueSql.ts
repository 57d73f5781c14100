/** How attempts are taken up by one instance at a time: to be sent, to be asked about, to be matched with what came early. */
import type { SqlClient } from "@effect/sql"
import { Duration, Effect, Schema } from "effect"
import { AttemptId, ConfigId, nilUuid } from "../../domain/Ids.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import {
  anyRow,
  deletedRows,
  execute,
  firstRow,
  moneyOf,
  ownedBy,
  query,
  rowsAs
} from "../../platform/database/Query.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { refusalCodeNames } from "../../domain/PaymentStatus.ts"
import { Money } from "../../domain/Money.ts"
import { movementKinds, movementStates } from "../../domain/Movement.ts"
import { nextActions, Report } from "../../domain/Outcome.ts"
import {
  enquiryLease,
  hintGap,
  mostHintedIds,
  unmatchedCallbacksPerAccount,
  orphanedAfter,
  sendWindow,
  rampPayoutPause,
  unmatchedCallbackPoll,
  unmatchedCallbackWindow
} from "../../domain/policies/PaymentPolicies.ts"
import {
  attemptColumns,
  dueAttemptOf,
  KIND_OF_ATTEMPT,
  attemptOfPaymentColumns,
  attemptOfPayment,
  paymentOf,
  readRows,
  selectedColumns
} from "./PaymentRow.ts"
import { attemptKinds, StoredCallback, type UnmatchedCallback } from "./Payment.ts"
import { droppedUnmatchedCallbacks, type AttemptQueue, type Store } from "./PaymentStore.ts"
import { capacityText, chosenInTurn } from "../../platform/database/ProviderQueues.ts"
import type { WorkQueues } from "../../platform/database/WorkQueues.ts"
import { retentionBatch } from "../../domain/policies/ServerPolicies.ts"

const StoredMoney = Schema.transform(
  Schema.Struct({ amount: Schema.String, currency: AnyCurrencyCode }),
  Schema.instanceOf(Money),
  {
    strict: true,
    decode: ({ amount, currency }) => moneyOf(amount, currency),
    encode: (money) => ({ amount: money.toNumericText(), currency: money.currency })
  }
)

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** Report of an unmatched callback as its row stores it. */
const StoredReport = Schema.Struct({
  state: Schema.Literal("pending", "processing", "completed", "failed", "returned"),
  reason: Schema.NullOr(Schema.String),
  providerPaymentId: Schema.NullOr(Schema.String),
  providerStatus: Schema.NullOr(Schema.String),
  providerData: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  movements: optional(
    Schema.Array(
      Schema.Struct({
        kind: Schema.Literal(...movementKinds),
        id: Schema.String,
        amount: Schema.NullOr(StoredMoney),
        state: Schema.Literal(...movementStates),
        isTotal: optional(Schema.Literal(true)),
        refund: optional(Schema.String)
      })
    )
  ),
  fee: optional(StoredMoney),
  code: optional(Schema.Literal(...refusalCodeNames)),
  providerCode: optional(Schema.String),
  calledOff: optional(Schema.Literal(true)),
  waitsFor: optional(
    Schema.Struct({
      nextAction: Schema.Literal(...nextActions),
      actionData: Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) })
    })
  ),
  about: optional(Schema.Literal(...attemptKinds))
})

const encodeReport = Schema.encodeSync(StoredReport)

const unmatchedRows = query(
  Schema.Struct({
    ...StoredCallback.fields,
    provider_payment_id: Schema.NullOr(Schema.String),
    account: Schema.NullOr(ConfigId),
    word: StoredReport,
    found: AttemptId
  })
)

const hinted = rowsAs(Schema.Struct({ hinted: Schema.Boolean }))

const moments = query(Schema.Struct({ now: Schema.DateFromSelf }))

const unmatchedColumns = (callback: Parameters<Store["storeCallback"]>[0]) => {
  if (!("signal" in callback)) return { provider_payment_id: null, account: null, word: null }
  const { about, account, provider_payment_id, signal } = callback
  const report = about === undefined ? signal : { ...signal, about }
  return { provider_payment_id, account, word: JSON.stringify(encodeReport(report)) }
}

const DUE = "least(a.next_enquiry_at, a.hint_at)"

const ofAttempts = { table: "attempts", id: "attempt_id", provider: "provider" }

const asked = {
  ...ofAttempts,
  queued: "(a.next_enquiry_at is not null or a.hint_at is not null)",
  due: `${DUE} <= now() and (a.leased_until is null or a.leased_until <= now()) and a.sends > 0`,
  order: DUE
}

/** A hint stands until its provider has answered: that of an instance which died meanwhile is due when its lease ends. */
const claimStatement = `with ${chosenInTurn(asked)}, locked as (
    select a.attempt_id from attempts a where a.attempt_id = any (array(select id from chosen)) and ${asked.queued} and ${asked.due}
    for update skip locked
  )
  update attempts a set enquiries = a.enquiries + case when a.next_enquiry_at <= now() then 1 else 0 end,
    leased_until = now() + make_interval(secs => $2), lease_token = gen_random_uuid(), asked_at = now(),
    hint_at = case when a.hint_at is not null then now() + make_interval(secs => $2) end
  from locked where a.attempt_id = locked.attempt_id
  returning ${attemptColumns("a.")}, a.lease_token,
    extract(epoch from now() - a.sent_at)::float8 as sent_ago,
    (a.next_enquiry_at is null or a.next_enquiry_at > now()) as hinted,
    a.hint_at is not null as has_hint, a.hints, a.hinted_ids`

/** An id is kept although a hint waits already: the one that waits may have named another, or none. */
const hintStatement = `with before as (
    select attempt_id, coalesce(hint_at is null or hint_at = leased_until or hints > 0, false) as is_free,
      case when $2::text is null or provider_payment_id is not null or $2::text = any (hinted_ids) then hinted_ids
        else (array_prepend($2::text, coalesce(hinted_ids, '{}')))[1:${mostHintedIds}] end as ids
    from attempts where attempt_id = $1 and sends > 0 for update
  )
  update attempts a set hinted_ids = b.ids, hints = case when b.is_free then 0 else a.hints end,
    hint_at = case when b.is_free then greatest(now(), a.asked_at + make_interval(secs => $3),
      case when a.outcome is null then a.sent_at + make_interval(secs => $4) end) else a.hint_at end
  from before b where a.attempt_id = b.attempt_id and (b.is_free or b.ids is distinct from a.hinted_ids)
  returning b.is_free as hinted`

/** The ramp's account covers its payout and nothing was reversed. */
const RAMP_ACCOUNT = "'ramp/' || p.payment_id || '/' || p.currency"
const CLEARING_ACCOUNT = "'clearing/' || p.payment_id || '/' || p.taken_by || '/' || p.currency"
const FUNDED = `exists (select from payments p
      join ledger_balances r on r.account = ${RAMP_ACCOUNT} and r.balance >= p.amount
      left join ledger_balances c on c.account = ${CLEARING_ACCOUNT}
      where p.payment_id = a.payment_id and coalesce(c.balance, 0) >= 0)`

const unsent = {
  ...ofAttempts,
  queued: "a.sends = 0 and a.outcome is null",
  due: `(a.leased_until is null or a.leased_until <= now())
    and exists (select from payments p where p.payment_id = a.payment_id and p.status = 'processing')
    and ${FUNDED}`,
  order: "a.started_at"
}

/** Counts as sent from now on and will be polled. */
const sentNow = `sends = a.sends + 1, sent_at = now(), next_enquiry_at = now() + make_interval(secs => $2)`

/**
 * Locks attempts to send, with the version of their payments that was read. A reversal at the same moment changes the
 * payment: it is either seen here or comes after the send.
 */
const lockedToSend = (condition: string) => `locked as (
    select a.attempt_id from attempts a
    join payments p on p.payment_id = a.payment_id
    join payments seen on seen.payment_id = p.payment_id and seen.version = p.version
    where ${condition}
    for update of a, p skip locked
  )`

const ofLocked = `from locked, payments p where a.attempt_id = locked.attempt_id and p.payment_id = a.payment_id
  returning ${attemptOfPaymentColumns}`

const claimUnsentStatement = `with ${chosenInTurn(unsent)}, ${lockedToSend(
  `a.attempt_id = any (array(select id from chosen)) and ${unsent.queued} and ${unsent.due}`
)}
  update attempts a set ${sentNow} ${ofLocked}`

/**
 * The last sending must be over. A caller without a lease needs that there is none. The age counts from the first
 * sending: an instance whose clock was fast when it began must not make it younger.
 */
const renewStatement = `with ${lockedToSend(`a.attempt_id = $1 and coalesce(a.outcome, 'unknown') = 'unknown'
      and (a.leg <> 'settlement' or (p.status = 'processing' and ${FUNDED}))
      and (a.outcome = 'unknown' or a.sent_at <= now() - make_interval(secs => $4))
      and case when $3::uuid is null then a.leased_until is null or a.leased_until <= now()
        else a.lease_token = $3::uuid and a.leased_until > now() end`)}
  update attempts a set ${sentNow}, started_at = least(a.started_at, a.sent_at), leased_until = null, lease_token = null,
    hint_at = nullif(a.hint_at, a.leased_until) ${ofLocked}`

export const attemptQueueSql = (
  sql: SqlClient.SqlClient,
  announce: WorkQueues["Type"]["announce"],
  retention: Duration.Duration
): AttemptQueue => {
  /**
   * Drops the oldest unmatched callbacks of an account beyond the limit, ten at most for each new one. The array is read
   * once, also by a plan from before the table grew.
   */
  const dropSurplus = ({ account, provider }: Pick<UnmatchedCallback, "account" | "provider">) =>
    sql`delete from provider_callbacks where provider = ${provider} and event_key = any(array(
        select event_key from provider_callbacks
        where payment_id is null and provider = ${provider}
          and coalesce(account, '00000000-0000-0000-0000-000000000000') = ${account ?? nilUuid}::uuid
        order by received_at desc offset ${unmatchedCallbacksPerAccount} limit 10
      )) and payment_id is null returning 1 as dropped`.pipe(
      Effect.map((rows) => {
        if (rows.length > 0) droppedUnmatchedCallbacks([provider], rows.length)
      })
    )

  const announceEarly = announce("early_callbacks", Duration.toMillis(unmatchedCallbackPoll))

  return {
    claimEnquiries: (capacity) =>
      sql
        .unsafe<object>(claimStatement, [capacityText(capacity), Duration.toSeconds(enquiryLease)])
        .pipe(readRows(dueAttemptOf)),
    hint: (attemptId, providerPaymentId = null) =>
      sql
        .unsafe<object>(hintStatement, [
          attemptId,
          providerPaymentId,
          Duration.toSeconds(hintGap),
          Duration.toSeconds(orphanedAfter)
        ])
        .pipe(
          Effect.flatMap(hinted),
          Effect.map((rows) => rows.some((row) => row.hinted)),
          Effect.tap((isHinted) => (isHinted ? announce("enquiries") : Effect.void)),
          orDatabaseFailure
        ),
    hintAgain: (attemptId, after) =>
      execute(sql`update attempts set hints = hints + 1, hint_at = now() + make_interval(secs => ${Duration.toSeconds(after)})
        where attempt_id = ${attemptId} and hint_at = leased_until`),
    claimUnsent: (capacity) =>
      sql
        .unsafe<object>(claimUnsentStatement, [capacityText(capacity), Duration.toSeconds(orphanedAfter)])
        .pipe(readRows(attemptOfPayment)),
    renewSend: (attemptId, leaseToken) =>
      sql
        .unsafe<object>(renewStatement, [
          attemptId,
          Duration.toSeconds(orphanedAfter),
          leaseToken,
          Duration.toSeconds(sendWindow)
        ])
        .pipe(readRows(attemptOfPayment), Effect.map(firstRow)),
    stopUnsent: (attemptId, reason) =>
      anyRow(sql`update attempts set outcome = 'declined', reason = ${reason}
        where attempt_id = ${attemptId} and sends = 0 and outcome is null returning 1`),
    requeueUnsent: (attemptId) =>
      execute(sql`update attempts
        set sends = 0, next_enquiry_at = null, hint_at = null,
          leased_until = now() + make_interval(secs => ${Duration.toSeconds(rampPayoutPause)})
        where attempt_id = ${attemptId} and sends = 1 and outcome is null
          and (leased_until is null or leased_until <= now())`),
    storeCallback: (callback) => {
      const { attempt_id, callback_id, effect, event_key, org_id, payment_id, provider, received_at, report } = callback
      const row = { callback_id, provider, event_key, payment_id, attempt_id, org_id, report, effect, received_at }
      return sql`insert into provider_callbacks ${sql.insert({ ...row, ...unmatchedColumns(callback) })}
        on conflict do nothing returning 1 as stored`.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.tap((stored) =>
          stored && "signal" in callback ? Effect.zipRight(dropSurplus(callback), announceEarly) : Effect.void
        ),
        orDatabaseFailure
      )
    },
    matchedCallbacks: (most) =>
      sql`
        select * from (
        select distinct on (k.callback_id) k.callback_id, k.provider, k.event_key, k.payment_id, k.attempt_id, k.org_id, k.report, k.effect,
          k.received_at, k.provider_payment_id, k.account, k.word, a.attempt_id as found
        from provider_callbacks k
        join attempts a on a.provider = k.provider and a.provider_payment_id = k.provider_payment_id
          and a.account is not distinct from k.account
        join payments p on p.payment_id = a.payment_id
        where k.payment_id is null and k.word is not null
          and coalesce(k.word ->> 'about', ${sql.literal(KIND_OF_ATTEMPT)}) = ${sql.literal(KIND_OF_ATTEMPT)}
          and k.received_at > now() - make_interval(secs => ${Duration.toSeconds(unmatchedCallbackWindow)})
        order by k.callback_id, a.started_at desc) found order by random() limit ${most}`.pipe(
        unmatchedRows.all,
        Effect.map((rows) =>
          rows.map(({ found, word: { about, ...report }, ...callback }) => ({
            callback: { ...callback, about, signal: new Report(report) },
            attempt_id: found
          }))
        )
      ),
    isCallbackUnmatched: (provider, key) =>
      anyRow(sql`select 1 from provider_callbacks
        where provider = ${provider} and event_key = ${key} and payment_id is null`),
    awaitCard: ({ expires_at, org_id, payment_id }) =>
      execute(sql`insert into card_waits ${sql.insert({ payment_id, org_id, expires_at })}
        on conflict (payment_id) do update set expires_at = excluded.expires_at`),
    expiredCardWaits: (most) =>
      sql`select ${sql.literal(selectedColumns("p."))} from card_waits w join payments p on p.payment_id = w.payment_id
        where w.expires_at <= now() order by w.expires_at limit ${most}`.pipe(readRows(paymentOf)),
    deleteCardWait: ({ org_id, payment_id }) =>
      execute(sql`delete from card_waits where payment_id = ${payment_id} and ${ownedBy(sql, org_id)}`),
    now: Effect.map(moments.one(sql`select now()`), ({ now }) => now),
    forgetOld: deletedRows(sql`delete from provider_callbacks where ctid = any (array(
        select ctid from provider_callbacks where payment_id is null
          and received_at < now() - make_interval(secs => ${Duration.toSeconds(retention)})
        limit ${retentionBatch})) and payment_id is null returning 1 as forgotten`)
  }
}
