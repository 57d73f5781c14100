/** Incoming transfers in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Option, Schema } from "effect"
import { incomingTransferLease } from "../../domain/policies/PaymentPolicies.ts"
import { OPERATOR_ID } from "../../domain/Movement.ts"
import { anyRow, execute, inScope, moneyOf, newest, ownedBy, query } from "../../platform/database/Query.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import {
  IncomingTransferStore,
  type NewTransfer,
  owedBy,
  type StoredTransfer,
  TransferRow
} from "./IncomingTransferStore.ts"

const rowsOf = query(TransferRow)
const paidOf = query(Schema.Struct({ paid: Schema.String }))
const listOf = query(Schema.Struct({ listed_until: Schema.DateFromSelf }))

/** Stands for the platform's account, which has no configuration. */
const NIL = "00000000-0000-0000-0000-000000000000"

const fromRow = ({ amount, currency, ...row }: typeof TransferRow.Type): StoredTransfer => ({
  ...row,
  amount: moneyOf(amount, currency)
})

export const incomingTransferStoreSql = Layer.effect(
  IncomingTransferStore,
  Effect.map(Effect.all([SqlClient.SqlClient, WorkQueues]), ([sql, { announce }]): IncomingTransferStore["Type"] => {
    const columns = sql.literal(Object.keys(TransferRow.fields).join(", "))
    const secondsFromNow = (time: Duration.Duration) => sql`now() + make_interval(secs => ${Duration.toSeconds(time)})`
    const inAccount = ({ account, provider }: NewTransfer) =>
      sql`provider = ${provider} and coalesce(account, ${sql.literal(`'${NIL}'`)}) = ${account ?? NIL}::uuid`
    const identity = (transfer: NewTransfer) =>
      sql`${inAccount(transfer)} and kind = ${transfer.kind} and movement_id = ${transfer.movement_id}`
    const sameAmount = ({ amount }: NewTransfer) =>
      sql`(amount = ${amount.toNumericText()}::numeric and currency = ${amount.currency})`
    const alike = (transfer: NewTransfer) =>
      sql`${inAccount(transfer)} and issuer_reference = ${transfer.issuer_reference} and ${sameAmount(transfer)}`
    const named = (transfer: NewTransfer, of: string) =>
      sql`${inAccount(transfer)} and movement_id = ${of} and ${sameAmount(transfer)}`
    return {
      insert: ({ amount, ...transfer }, owed = owedBy({ ...transfer, amount })) =>
        anyRow(
          sql`insert into incoming_transfers ${sql.insert({
            ...transfer,
            amount: amount.toNumericText(),
            currency: amount.currency,
            owed: owed.toNumericText()
          })} on conflict do nothing returning transfer_id`
        ),
      contradict: (transfer) =>
        anyRow(
          sql`update incoming_transfers set told_otherwise = ${transfer.amount.toString()}, updated_at = now()
            where ${identity(transfer)} and not ${sameAmount(transfer)}
              and told_otherwise is distinct from ${transfer.amount.toString()} returning transfer_id`
        ),
      nameStated: (transfer) =>
        anyRow(
          sql`update incoming_transfers set movement_id = ${transfer.movement_id}, updated_at = now()
            where transfer_id = (select transfer_id from incoming_transfers
                where movement_id like ${sql.literal(`'${OPERATOR_ID}%'`)} and ${alike(transfer)} and kind = ${transfer.kind}
                order by transfer_id limit 1 for update)
              and not exists (select from incoming_transfers where ${identity(transfer)}) returning transfer_id`
        ),
      undoneBy: (transfer, of) =>
        Effect.map(
          rowsOf.first(sql`select ${columns} from incoming_transfers
            where state = 'suspense' and ${of === null ? alike(transfer) : named(transfer, of)}
              and (kind = 'reversal') <> (${transfer.kind} = 'reversal')
            order by created_at, transfer_id limit 1 for update`),
          Option.map(fromRow)
        ),
      payOwed: (orgId, accountId, upTo) =>
        Effect.map(
          paidOf.one(sql`with owing as (
              select transfer_id, owed from incoming_transfers
              where account_id = ${accountId} and ${ownedBy(sql, orgId)} and owed > 0 order by transfer_id for update
            ), parts as (
              select transfer_id, owed,
                least(owed, ${upTo.toNumericText()}::numeric - (sum(owed) over (order by transfer_id) - owed)) as paid
              from owing
            ), done as (
              update incoming_transfers t set owed = p.owed - p.paid, updated_at = now()
              from parts p where t.transfer_id = p.transfer_id and p.paid > 0 returning p.paid
            ) select coalesce(sum(paid), 0)::text as paid from done`),
          ({ paid }) => moneyOf(paid, upTo.currency)
        ),
      lock: (transferId) =>
        Effect.map(
          rowsOf.first(sql`select ${columns} from incoming_transfers where transfer_id = ${transferId} for update`),
          Option.map(fromRow)
        ),
      resolve: (transferId, { account_id, decided_by, org_id, reason, state }, owed) =>
        Effect.map(
          rowsOf.one(sql`update incoming_transfers set state = ${state},
              owed = coalesce(${owed?.toNumericText() ?? null}::numeric,
                case when ${state === "receivable" && account_id !== null} then amount else 0 end),
              org_id = ${org_id}, account_id = ${account_id}, reason = ${reason}, decided_by = ${decided_by}, updated_at = now()
            where transfer_id = ${transferId} returning ${columns}`),
          fromRow
        ),
      open: (scope, window) =>
        Effect.map(
          rowsOf.all(sql`select ${columns} from incoming_transfers where state = 'suspense' and ${inScope(sql, scope)}
            ${newest(sql, "transfer_id", window)}`),
          (rows) => rows.map(fromRow)
        ),
      claimList: (provider) =>
        Effect.map(
          // A list that is not due is read, and not locked.
          listOf.first(sql`insert into incoming_transfer_lists as l (provider, listed_until, due_at)
            select ${provider}, now(), ${secondsFromNow(incomingTransferLease)}
            where not exists (select from incoming_transfer_lists where provider = ${provider} and due_at > now())
            on conflict (provider) do update set due_at = excluded.due_at where l.due_at <= now()
            returning listed_until`),
          Option.map(({ listed_until }) => listed_until)
        ),
      listed: (provider, dueIn, until) =>
        // Due already: made so while it was being read.
        execute(sql`update incoming_transfer_lists
          set due_at = case when due_at <= now() then due_at else ${secondsFromNow(dueIn)} end,
            listed_until = greatest(listed_until, ${until ?? null}::timestamptz)
          where provider = ${provider}`),
      listSoon: (provider) =>
        execute(sql`insert into incoming_transfer_lists (provider, listed_until, due_at) values (${provider}, now(), now())
          on conflict (provider) do update set due_at = least(incoming_transfer_lists.due_at, now())`).pipe(
          Effect.zipLeft(announce("account_details"))
        )
    }
  })
)
