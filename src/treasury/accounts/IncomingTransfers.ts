/**
 * Books transfers that providers received for virtual accounts, each once: its row, ledger entry, statement line and event
 * are one transaction. Money without an account, or in another currency, is in suspense until an operator decides or the
 * provider returns it. What the account of a return lacks is owed by the organisation; the account's next credits pay the
 * organisation first.
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
import { Money } from "../../domain/Money.ts"
import { OPERATOR_ID } from "../../domain/Movement.ts"
import { cleanKey, cleanName, cleanWords } from "../../domain/ProviderText.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { TransferIntake } from "../../payments/callbacks/Callbacks.ts"
import type { OtherItem, OtherItemsOf } from "../../payments/read/Payments.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orDefect, orRefuse } from "../../platform/database/DatabaseFailure.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { IncomingTransfer } from "../../providers/port/AccountIssuer.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { effectOf, IncomingTransferStore, type NewTransfer, type StoredTransfer } from "./IncomingTransferStore.ts"
import { completedRow, RecordMovement } from "./RecordMovement.ts"
import {
  ensureCanReceive,
  ledgerAccountOf,
  railIn,
  type VirtualAccount,
  VirtualAccountStore
} from "./VirtualAccountStore.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Above zero from the one account to the other, below zero the other way. */
const shift = (from: LedgerAccount, to: LedgerAccount, money: Money) =>
  money.isNegative ? move(to, from, money.negate()) : move(from, to, money)

/** Smaller of amount and balance, not below zero. */
const least = (amount: Money, balance: Money): Money => {
  if (balance.minor >= amount.minor) return amount
  return balance.isPositive ? balance : Money.zero(amount.currency)
}

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
    const row = completedRow(account, {
      transaction_id: yield* ids.make(TransactionId),
      type: effectOf(transfer).isNegative ? "debit" : "credit",
      amount: transfer.amount,
      description: describe(transfer),
      payment_rail: railIn(account.currency),
      reference: transfer.transfer_id
    })
    return yield* record([entry], [row])
  })

  /** A posting without a floor cannot lack funds. */
  const post = (entry: Entry) => Effect.catchTag(ledger.post([entry]), "InsufficientFunds", Effect.die)

  /** `mayBeStated`: an operator may have stated it before, without the provider's id. */
  const isRecorded = Effect.fnUntraced(function* (
    transfer: NewTransfer,
    mayBeStated = transfer.kind !== "collection",
    owed?: Money
  ) {
    if (mayBeStated && (yield* store.nameStated(transfer))) return true
    if (yield* store.insert(transfer, owed)) return false
    const { amount, kind, movement_id, provider } = transfer
    if (yield* store.contradict(transfer)) {
      const message = `${provider} says that ${kind} ${movement_id} was ${amount.toString()}, and said another amount before: the first one stays booked.`
      yield* alertOperator("transfer_contradicted", message, { provider })
    }
    return true
  })

  /** Books it on the account, and what the account lacks as a debt. The lock keeps its balance from changing meanwhile. */
  const bookOnAccount = Effect.fnUntraced(function* (transfer: NewTransfer, { account_id, org_id }: VirtualAccount) {
    const { amount, transfer_id } = transfer
    const lock =
      transfer.state === "credited"
        ? accounts.lock(org_id, account_id)
        : accounts.lockForChange(Option.some(org_id), account_id)
    const locked = yield* orDefect(Effect.flatten(lock))
    const account = ledgerAccountOf(locked)
    const { currency } = amount
    const borne = transfer.state === "credited" ? amount : least(amount, yield* ledger.balance(account))
    const owed = new Money({ currency, minor: amount.minor - borne.minor })
    const state = owed.isZero ? "credited" : "receivable"
    if (yield* isRecorded({ ...transfer, state }, undefined, owed)) return "seen before" as const
    const onAccount = { ...transfer, amount: borne }
    const debt = entryOf(transfer_id, org_id, { ...transfer, amount: owed }, LedgerAccount.receivable(org_id, currency))
    const entry = entryOf(transfer_id, org_id, onAccount, account)
    const both = { ...entry, postings: [...entry.postings, ...debt.postings].filter(({ amount }) => !amount.isZero) }
    yield* borne.isZero ? post(both) : toAccount(locked, both, onAccount)
    return "applied" as const
  })

  const bookInSuspense = Effect.fnUntraced(function* (transfer: NewTransfer, mayBeStated?: boolean) {
    if (yield* isRecorded(transfer, mayBeStated)) return "seen before" as const
    yield* post(entryOf(transfer.transfer_id, null, transfer, LedgerAccount.suspense(transfer.amount.currency)))
    return "applied" as const
  })

  /** A transfer that undoes one in suspense closes both. */
  const book = Effect.fnUntraced(function* (
    transfer: NewTransfer,
    account: Option.Option<VirtualAccount>,
    of: string | null
  ) {
    const undone = transfer.kind === "collection" ? Option.none() : yield* store.undoneBy(transfer, of)
    if (Option.isNone(undone)) {
      return yield* transfer.state === "suspense"
        ? bookInSuspense(transfer)
        : bookOnAccount(transfer, Option.getOrThrow(account))
    }
    const { account_id, movement_id, org_id, transfer_id } = undone.value
    const pair = { org_id, account_id, decided_by: null, state: "resolved" } as const
    const reason = `It undid ${movement_id}, which was in suspense.`
    const booked = yield* bookInSuspense({ ...transfer, ...pair, reason }, of === null)
    if (booked === "applied") {
      yield* store.resolve(transfer_id, {
        ...pair,
        reason: `${transfer.provider} undid it by ${transfer.movement_id}.`
      })
    }
    return booked
  }, atomically)

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
    { amount, id, isUncertain, kind, of, providerReference, sender }: IncomingTransfer
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
    if (isUncertain === true && Option.isNone(account)) return "seen before"
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
    const undoes = of === undefined ? null : cleanKey(of)
    return yield* Effect.catchTag(book(transfer, account, undoes), "InsufficientFunds", () =>
      Effect.catchTag(book({ ...transfer, state: "receivable" }, account, undoes), "InsufficientFunds", Effect.die)
    )
  })

  /** Where an operator wants the money: a virtual account, or the settlement balance of an organisation. */
  const destination = Effect.fnUntraced(function* (
    { currency }: Money,
    { account_id, org_id }: typeof ResolveTransfer.Type
  ) {
    if (typeof account_id === "string") {
      const account = yield* accounts
        .lockForChange(Option.none(), idOrNil(AccountId)(account_id))
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
    wanted: typeof ResolveTransfer.Type,
    state: "receivable" | "resolved"
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
    const decided = { reason, decided_by: permit.actor.id, state }
    // The return that is stated may wait in suspense too.
    const other =
      outcome === "returned" && typeof wanted.movement_id === "string"
        ? yield* store.undoneBy(transfer, wanted.movement_id)
        : Option.none()
    let owner: { readonly org_id: OrgId | null; readonly account_id: AccountId | null } = transfer
    let borne = amount
    if (Option.isSome(other)) {
      yield* store.resolve(other.value.transfer_id, { ...other.value, ...decided })
    } else if (outcome === "returned") {
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
      const side = account === null ? LedgerAccount.settlement(org_id, amount.currency) : ledgerAccountOf(account)
      const { currency } = amount
      const nothing = Money.zero(currency)
      if (state === "receivable") borne = account === null ? nothing : least(amount, yield* ledger.balance(side))
      const owed = new Money({ currency, minor: amount.minor - borne.minor })
      const onSide = { ...transfer, amount: borne }
      const postings = [
        ...shift(suspense, side, effectOf(onSide)),
        ...shift(suspense, LedgerAccount.receivable(org_id, currency), effectOf({ ...transfer, amount: owed }))
      ].filter((one) => !one.amount.isZero)
      const entry: Entry = {
        ...{ entry_id: fresh, org_id, payment_id: null, reference: transfer_id, postings },
        kind: "adjustment"
      }
      yield* account === null || borne.isZero ? ledger.post([entry]) : toAccount(account, entry, onSide)
    }
    yield* audit.record(permit, {
      action: "incoming_transfer.resolved",
      org: owner.org_id,
      subject: ["incoming_transfer", transfer_id],
      detail: { outcome, reason, account_id: owner.account_id }
    })
    const { account_id, org_id } = owner
    const owed = account_id === null ? 0n : amount.minor - borne.minor
    const debt = new Money({ currency: amount.currency, minor: owed })
    return yield* store.resolve(transfer_id, { org_id, account_id, ...decided }, debt)
  })

  return {
    /** Books a transfer at an account of a provider, or finds that it was booked before. */
    record: traced("IncomingTransfers.record")(recordTransfer),
    resolve: traced("IncomingTransfers.resolve")(
      (permit: Permit<"platform">, transferId: string, wanted: typeof ResolveTransfer.Type) =>
        // A return that no account can bear is owed by the organisation, instead of staying in suspense for ever.
        Effect.catchTag(atomically(resolve(permit, transferId, wanted, "resolved")), "InsufficientFunds", () =>
          atomically(resolve(permit, transferId, wanted, "receivable"))
        )
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
