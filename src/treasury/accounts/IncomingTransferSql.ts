/** Incoming transfers in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Option, Schema } from "effect"
import { incomingTransferLease } from "../../domain/policies/PaymentPolicies.ts"
import { anyRow, execute, inScope, moneyOf, newest, query } from "../../platform/database/Query.ts"
import { IncomingTransferStore, type StoredTransfer, TransferRow } from "./IncomingTransferStore.ts"

const rowsOf = query(TransferRow)
const listOf = query(Schema.Struct({ listed_until: Schema.DateFromSelf }))

const fromRow = ({ amount, currency, ...row }: typeof TransferRow.Type): StoredTransfer => ({
  ...row,
  amount: moneyOf(amount, currency)
})

export const incomingTransferStoreSql = Layer.effect(
  IncomingTransferStore,
  Effect.map(SqlClient.SqlClient, (sql): IncomingTransferStore["Type"] => {
    const columns = sql.literal(Object.keys(TransferRow.fields).join(", "))
    const secondsFromNow = (time: Duration.Duration) => sql`now() + make_interval(secs => ${Duration.toSeconds(time)})`
    return {
      insert: ({ amount, ...transfer }) =>
        anyRow(
          sql`insert into incoming_transfers ${sql.insert({
            ...transfer,
            amount: amount.toNumericText(),
            currency: amount.currency
          })} on conflict do nothing returning transfer_id`
        ),
      lock: (transferId) =>
        Effect.map(
          rowsOf.first(sql`select ${columns} from incoming_transfers where transfer_id = ${transferId} for update`),
          Option.map(fromRow)
        ),
      resolve: (transferId, { account_id, decided_by, org_id, reason }) =>
        Effect.map(
          rowsOf.one(sql`update incoming_transfers set state = 'resolved', org_id = ${org_id}, account_id = ${account_id},
              reason = ${reason}, decided_by = ${decided_by}, updated_at = now()
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
          // Asked every second: a list that is not due is read, and not locked.
          listOf.first(sql`insert into incoming_transfer_lists as l (provider, listed_until, due_at)
            select ${provider}, now(), ${secondsFromNow(incomingTransferLease)}
            where not exists (select from incoming_transfer_lists where provider = ${provider} and due_at > now())
            on conflict (provider) do update set due_at = excluded.due_at where l.due_at <= now()
            returning listed_until`),
          Option.map(({ listed_until }) => listed_until)
        ),
      listed: (provider, dueIn, until) =>
        execute(sql`update incoming_transfer_lists set due_at = ${secondsFromNow(dueIn)},
            listed_until = greatest(listed_until, ${until ?? null}::timestamptz)
          where provider = ${provider}`),
      listSoon: (provider) =>
        execute(sql`insert into incoming_transfer_lists (provider, listed_until, due_at) values (${provider}, now(), now())
          on conflict (provider) do update set due_at = least(incoming_transfer_lists.due_at, now())`)
    }
  })
)
