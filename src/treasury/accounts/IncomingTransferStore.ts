/** Stores transfers that providers received for virtual accounts, and how far each provider's list was read. */
import { Context, Duration, Option, Schema, Effect, Layer } from "effect"
import { ProviderName } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { AccountId, ConfigId, OrgId } from "../../domain/Ids.ts"
import { Money } from "../../domain/Money.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import {
  type Scope,
  type Window,
  anyRow,
  execute,
  inScope,
  moneyOf,
  newest,
  ownedBy,
  query
} from "../../platform/database/Query.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import { type TransferKind, transferKinds } from "../../providers/port/AccountIssuer.ts"
import { SqlClient } from "@effect/sql"
import { incomingTransferLease } from "../../domain/policies/PaymentPolicies.ts"
import { OPERATOR_ID } from "../../domain/Movement.ts"

const TransferRow = Schema.Struct({
  transfer_id: Schema.String,
  provider: ProviderName,
  /** The configuration whose account received the money; null: the platform's. */
  account: Schema.NullOr(ConfigId),
  kind: Schema.Literal(...transferKinds),
  /** The provider's id of the transfer. */
  movement_id: Schema.String,
  issuer_reference: Schema.NullOr(Schema.String),
  amount: Schema.String,
  currency: Schema.typeSchema(AnyCurrencyCode),
  sender: Schema.NullOr(Schema.String),
  /** Owner of the money; null: unknown. */
  org_id: Schema.NullOr(OrgId),
  account_id: Schema.NullOr(AccountId),
  /**
   * - `credited`: on the virtual account.
   * - `suspense`: an operator decides.
   * - `receivable`: owed by the organisation; the account could not bear the return.
   * - `resolved`: by an operator, or by a later transfer that undid it.
   */
  state: Schema.Literal("credited", "suspense", "receivable", "resolved"),
  reason: Schema.NullOr(Schema.String),
  decided_by: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf
})

export interface StoredTransfer extends Omit<typeof TransferRow.Type, "amount" | "currency"> {
  readonly amount: Money
}

export type NewTransfer = Omit<StoredTransfer, "created_at">

/** Change of the money that the provider holds. */
export const effectOf = ({ amount, kind }: Pick<StoredTransfer, "amount" | "kind">): Money =>
  kind === "reversal" ? amount.negate() : amount

export type Decision = Pick<StoredTransfer, "org_id" | "account_id" | "reason" | "decided_by"> & {
  readonly state: "receivable" | "resolved"
}

/** A return in state `receivable` is owed by its account, until later money of the account has paid it. */
export const owedBy = ({ account_id, amount, state }: Pick<StoredTransfer, "account_id" | "amount" | "state">): Money =>
  state === "receivable" && account_id !== null ? amount : Money.zero(amount.currency)

/** Whether one undoes the other: one takes money from the provider, the other brings it. */
export const isOpposite = (one: TransferKind, other: TransferKind): boolean =>
  (one === "reversal") !== (other === "reversal")

export class IncomingTransferStore extends Context.Tag("corridor/IncomingTransferStore")<
  IncomingTransferStore,
  {
    /**
     * Inside the transaction that books it. False: it is recorded already; a concurrent insert is waited for. `owed`: what
     * the account owes, if it is not all of a return in state `receivable`.
     */
    readonly insert: (transfer: NewTransfer, owed?: Money) => Stored<boolean>
    /** Notes another amount or currency of a recorded transfer. False: it is the same, or noted already. */
    readonly contradict: (transfer: NewTransfer) => Stored<boolean>
    /** Gives a transfer that an operator stated the provider's id of it. False: none was stated. */
    readonly nameStated: (transfer: NewTransfer) => Stored<boolean>
    /**
     * Locks the oldest transfer in suspense that a later one of the same amount undoes. `of`: its id, if the provider
     * says so.
     */
    readonly undoneBy: (transfer: NewTransfer, of: string | null) => Stored<Option.Option<StoredTransfer>>
    /** Pays what an account owes for returns, the oldest first. Returns the amount paid, at most `upTo`. */
    readonly payOwed: (orgId: OrgId, accountId: AccountId, upTo: Money) => Stored<Money>
    /** Locks the transfer until the end of the transaction. */
    readonly lock: (transferId: string) => Stored<Option.Option<StoredTransfer>>
    /** `owed`: as with `insert`. */
    readonly resolve: (transferId: string, decision: Decision, owed?: Money) => Stored<StoredTransfer>
    /** In suspense, newest first. Transfers without an organisation are in no organisation's scope. */
    readonly open: (scope: Scope, window: Window) => Stored<ReadonlyArray<StoredTransfer>>
    /**
     * Takes up the list of a provider if it is due, for the lease. Returns the time up to which it was read; the first
     * time, the time of the call.
     */
    readonly claimList: (provider: ProviderName) => Stored<Option.Option<Date>>
    /** A list that became due while it was being read stays due. `until`: absent if it could not be read. */
    readonly listed: (provider: ProviderName, dueIn: Duration.Duration, until?: Date) => Stored<void>
    /** Makes the list due now. */
    readonly listSoon: (provider: ProviderName) => Stored<void>
  }
>() {}

const rowsOf = query(TransferRow)
const paidOf = query(Schema.Struct({ paid: Schema.String }))
const listOf = query(Schema.Struct({ listed_until: Schema.DateFromSelf }))

/** Due time of a list that is to be read soon. It tells such a list from one whose lease has ended. */
export const SOON = new Date(0)

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
                where movement_id like ${sql.literal(`'${OPERATOR_ID}%'`)} and ${inAccount(transfer)}
                  and issuer_reference is not distinct from ${transfer.issuer_reference} and ${sameAmount(transfer)}
                  and kind = ${transfer.kind}
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
        execute(sql`update incoming_transfer_lists
          set due_at = case when due_at = ${SOON} then due_at else ${secondsFromNow(dueIn)} end,
            listed_until = greatest(listed_until, ${until ?? null}::timestamptz)
          where provider = ${provider}`),
      listSoon: (provider) =>
        execute(sql`insert into incoming_transfer_lists (provider, listed_until, due_at) values (${provider}, now(), ${SOON})
          on conflict (provider) do update set due_at = excluded.due_at`).pipe(
          Effect.zipLeft(announce("account_details"))
        )
    }
  })
)
