/**
 * Books transfers that providers received for virtual accounts, each once: its row, ledger entry, statement line and event
 * are one transaction. Money without an account, or in another currency, is in suspense until an operator decides.
 */
import { Context, Effect, Either, Layer, Option } from "effect"
import type { ResolveTransfer } from "../../contract/api/VirtualAccountsApi.ts"
import type { Permit } from "../../domain/Access.ts"
import { setBounded } from "../../domain/BoundedMap.ts"
import type { ProviderName } from "../../domain/Corridor.ts"
import { checkAmountLength } from "../../domain/Decimal.ts"
import { Conflict, Invalid, notFound } from "../../domain/Failure.ts"
import { AccountId, type ConfigId, idOrNil, Ids, OrgId, TransactionId, uuidOrNil } from "../../domain/Ids.ts"
import { type Entry, LedgerAccount, move } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import { OPERATOR_ID } from "../../domain/Movement.ts"
import { cleanKey, cleanName, cleanWords } from "../../domain/ProviderText.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { TransferIntake } from "../../payments/callbacks/Callbacks.ts"
import type { OtherItem, OtherItemsOf } from "../../payments/read/Payments.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orDefect, orRefuse } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import type { IncomingTransfer } from "../../providers/port/AccountIssuer.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { effectOf, IncomingTransferStore, type NewTransfer, type StoredTransfer } from "./IncomingTransferStore.ts"
import { completedRow, RecordMovement } from "./RecordMovement.ts"
import { ensureCanReceive, ledgerAccountOf, type VirtualAccount, VirtualAccountStore } from "./VirtualAccountStore.ts"

/** Above zero from the one account to the other, below zero the other way. */
const shift = (from: LedgerAccount, to: LedgerAccount, money: Money) =>
  money.isNegative ? move(to, from, money.negate()) : move(from, to, money)

const providerOf = ({ account, amount, provider }: Pick<StoredTransfer, "account" | "amount" | "provider">) =>
  LedgerAccount.provider(provider, amount.currency, account)

const entryOf = (
  entry_id: string,
  org_id: OrgId | null,
  about: StoredTransfer | NewTransfer,
  to: LedgerAccount
): Entry => ({
  entry_id,
  org_id,
  kind: "incoming_transfer",
  payment_id: null,
  reference: about.transfer_id,
  postings: shift(providerOf(about), to, effectOf(about))
})

const words = { collection: "Transfer", reversal: "Returned transfer", reinstatement: "Canceled return of a transfer" }

const describe = ({ kind, sender }: Pick<StoredTransfer, "kind" | "sender">): string =>
  sender === null ? words[kind] : `${words[kind]} from ${sender}`

/** Why a transfer cannot be booked on the account that it names; null: it can. */
const problemOf = (account: Option.Option<VirtualAccount>, { amount, kind }: IncomingTransfer): string | null => {
  if (Option.isNone(account)) return "It names no virtual account that is known here."
  const { account_id, currency, status } = account.value
  if (currency !== amount.currency) return `The virtual account ${account_id} is in ${currency}.`
  return status === "closed" && kind !== "reversal" ? `The virtual account ${account_id} is closed.` : null
}

const itemOf = (transfer: StoredTransfer): OtherItem => {
  const { created_at, org_id, provider, reason, transfer_id } = transfer
  return {
    item_id: transfer_id,
    kind: "incoming_transfer",
    org_id,
    escrow_id: null,
    party_id: null,
    detail:
      `${describe(transfer)} at ${provider}: ${effectOf(transfer).toString()} wait in suspense. ${reason ?? ""}`.trim(),
    created_at
  }
}

const make = Effect.gen(function* () {
  const store = yield* IncomingTransferStore
  const accounts = yield* VirtualAccountStore
  const organizations = yield* Organizations
  const ledger = yield* Ledger
  const record = yield* RecordMovement
  const audit = yield* AuditLog
  const ids = yield* Ids
  const { atomically } = yield* Transactor

  /** Posts, with a statement line and an event. */
  const toAccount = Effect.fnUntraced(function* (account: VirtualAccount, entry: Entry, transfer: NewTransfer) {
    const money = effectOf(transfer)
    const row = completedRow(account, {
      transaction_id: yield* ids.make(TransactionId),
      type: money.isNegative ? "debit" : "credit",
      amount: transfer.amount,
      description: describe(transfer),
      payment_rail: "bank_transfer",
      reference: transfer.transfer_id
    })
    yield* record([entry], [row])
  })

  /** A posting without a floor cannot lack funds. */
  const post = (entry: Entry) => Effect.catchTag(ledger.post([entry]), "InsufficientFunds", Effect.die)

  const book = (transfer: NewTransfer, account: Option.Option<VirtualAccount>) =>
    atomically(
      Effect.gen(function* () {
        if (!(yield* store.insert(transfer))) return "seen before" as const
        const { org_id, transfer_id } = transfer
        const entry = (to: LedgerAccount) => entryOf(transfer_id, org_id, transfer, to)
        const { currency } = transfer.amount
        switch (transfer.state) {
          case "credited": {
            const { account_id, org_id: owner } = Option.getOrThrow(account)
            const locked = yield* orDefect(Effect.flatten(accounts.lock(owner, account_id)))
            yield* toAccount(locked, entry(ledgerAccountOf(locked)), transfer)
            break
          }
          case "receivable":
            yield* post(entry(LedgerAccount.receivable(org_id!, currency)))
            break
          default:
            yield* post({ ...entry(LedgerAccount.suspense(currency)), org_id: null })
        }
        return "applied" as const
      })
    )

  /** Alerted once for each transfer: lists repeat it. */
  const refused = new Map<string, true>()

  const refuseAmount = (
    provider: ProviderName,
    { amount, id, kind }: Pick<IncomingTransfer, "amount" | "id" | "kind">
  ) =>
    Effect.suspend(() => {
      const name = `${provider} ${kind} ${id}`
      if (refused.has(name)) return Effect.void
      setBounded(refused, 1000, name, true)
      const message = `${provider} names a ${kind} ${id} of ${amount.toString()}: it is not booked.`
      return alertOperator("transfer_refused", message, { provider })
    })

  const recordTransfer = Effect.fnUntraced(function* (
    { account: config, provider }: { readonly provider: ProviderName; readonly account: ConfigId | null },
    { amount, id, kind, providerReference, sender }: IncomingTransfer
  ) {
    const reference = cleanName(providerReference)
    const told = { id: cleanKey(id), kind, amount, providerReference: reference, sender }
    if (!amount.isPositive || Either.isLeft(checkAmountLength(amount.toDecimal()))) {
      return yield* Effect.as(refuseAmount(provider, told), "seen before" as const)
    }
    const account =
      reference === null || config !== null
        ? Option.none<VirtualAccount>()
        : yield* accounts.findByIssuer(provider, reference)
    const problem = problemOf(account, told)
    const owner = Option.getOrUndefined(account)
    const transfer: NewTransfer = {
      transfer_id: yield* ids.next,
      provider,
      account: config,
      kind,
      movement_id: told.id,
      issuer_reference: reference === null ? null : reference.slice(0, 255),
      amount,
      sender: sender === null ? null : cleanWords(sender),
      org_id: owner?.org_id ?? null,
      account_id: owner?.account_id ?? null,
      state: problem === null ? "credited" : "suspense",
      reason: problem,
      decided_by: null
    }
    // An account that cannot bear a return leaves its organisation owing it, as with a chargeback.
    return yield* Effect.catchTag(book(transfer, account), "InsufficientFunds", () =>
      Effect.catchTag(book({ ...transfer, state: "receivable" }, account), "InsufficientFunds", Effect.die)
    )
  })

  /** Where an operator wants the money: a virtual account, or the settlement balance of an organisation. */
  const destination = Effect.fnUntraced(function* (
    { currency }: Money,
    { account_id, org_id }: typeof ResolveTransfer.Type
  ) {
    if (typeof account_id === "string") {
      const account = yield* accounts
        .find(Option.none(), idOrNil(AccountId)(account_id))
        .pipe(orRefuse(() => new Invalid({ message: "account_id: no virtual account with this id." })))
      yield* ensureCanReceive(account)
      if (typeof org_id === "string" && idOrNil(OrgId)(org_id) !== account.org_id) {
        return yield* new Invalid({ message: "org_id: is not the organisation of the virtual account; leave it out." })
      }
      return account.currency === currency
        ? { account, org_id: account.org_id }
        : yield* new Invalid({
            message: `account_id: the account is in ${account.currency}, the transfer in ${currency}.`
          })
    }
    const found = yield* organizations
      .find(idOrNil(OrgId)(org_id ?? ""))
      .pipe(orRefuse(() => new Invalid({ message: "org_id: name account_id or the organisation that gets it." })))
    return { account: null, org_id: found.org_id }
  })

  const resolve = Effect.fnUntraced(function* (
    permit: Permit<"platform">,
    transferId: string,
    wanted: typeof ResolveTransfer.Type
  ) {
    const { outcome, reason } = wanted
    const transfer = yield* store.lock(uuidOrNil(transferId)).pipe(orRefuse(() => notFound("incoming transfer")))
    if (transfer.state !== "suspense") {
      return yield* new Conflict({
        message: `This transfer is ${transfer.state}: only one in suspense can be decided.`
      })
    }
    const { amount, transfer_id } = transfer
    const suspense = LedgerAccount.suspense(amount.currency)
    const fresh = yield* ids.next
    let owner: { readonly org_id: OrgId | null; readonly account_id: AccountId | null } = transfer
    if (outcome === "returned") {
      const isIn = transfer.kind !== "reversal"
      const back: NewTransfer = {
        ...transfer,
        transfer_id: fresh,
        kind: isIn ? "reversal" : "reinstatement",
        movement_id: wanted.movement_id ?? `${OPERATOR_ID}${fresh}`,
        state: "resolved",
        reason,
        decided_by: permit.actor.id
      }
      if (!(yield* store.insert(back))) {
        return yield* new Conflict({ message: "movement_id: this transfer is recorded already." })
      }
      yield* post(entryOf(fresh, null, back, suspense))
    } else {
      const { account, org_id } = yield* destination(amount, wanted)
      owner = { org_id, account_id: account?.account_id ?? null }
      const to = account === null ? LedgerAccount.settlement(org_id, amount.currency) : ledgerAccountOf(account)
      const postings = shift(suspense, to, effectOf(transfer))
      const about = { entry_id: fresh, org_id, payment_id: null, reference: transfer_id, postings }
      const entry: Entry = { ...about, kind: "adjustment" }
      yield* account === null ? ledger.post([entry]) : toAccount(account, entry, transfer)
    }
    yield* audit.record(permit, {
      action: "incoming_transfer.resolved",
      org: owner.org_id,
      subject: ["incoming_transfer", transfer_id],
      detail: { outcome, reason, account_id: owner.account_id }
    })
    const { account_id, org_id } = owner
    return yield* store.resolve(transfer_id, { org_id, account_id, reason, decided_by: permit.actor.id })
  })

  return {
    /** Books a transfer at an account of a provider, or finds that it was booked before. */
    record: Effect.fn("IncomingTransfers.record")(recordTransfer),
    resolve: Effect.fn("IncomingTransfers.resolve")(
      (permit: Permit<"platform">, transferId: string, wanted: typeof ResolveTransfer.Type) =>
        atomically(resolve(permit, transferId, wanted))
    )
  }
})

export class IncomingTransfers extends Context.Tag("corridor/IncomingTransfers")<
  IncomingTransfers,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(IncomingTransfers, make)
}

/** Items of the operations queue about transfers: those in suspense. */
export const transferItems = Effect.map(
  IncomingTransferStore,
  (store): OtherItemsOf =>
    (scope, window) =>
      Effect.map(store.open(scope, window), (rows) => rows.map(itemOf))
)

/** Implements the port of callbacks. */
export const TransferIntakeLive = Layer.effect(
  TransferIntake,
  Effect.map(Effect.all([IncomingTransfers, IncomingTransferStore]), ([transfers, store]) => ({
    record: transfers.record,
    listSoon: ({ provider }) => store.listSoon(provider)
  }))
)
