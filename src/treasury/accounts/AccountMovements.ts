/**
 * Withdrawals, transfers and simulated deposits. Rows, ledger entries, events and the idempotency key are written in
 * one transaction, which locks the account, so that a freeze comes before or after.
 */
import { Context, Effect, Layer, Option } from "effect"
import { AccountId, BeneficiaryId, type OrgId, TransactionId, idOrNil, Ids } from "../../domain/Ids.ts"
import type { FundAccount, SimulateDeposit, Transfer, Withdraw } from "../../contract/api/VirtualAccountsApi.ts"
import { Beneficiaries } from "../../payments/beneficiaries/Beneficiaries.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { orRefuse, orDefect } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Permit } from "../../domain/Access.ts"
import { Invalid, NotFound, notFound } from "../../domain/Failure.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { Initiation } from "../../payments/initiate/Initiation.ts"
import { notLocked } from "../../payments/initiate/PaymentPlan.ts"
import { lockUsed } from "../../money/rates/RateLockStore.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import { depositAnswer, transferAnswer } from "./VirtualAccountView.ts"
import {
  depositRecord,
  transferRecord,
  withdrawalRow,
  RecordMovement,
  amountInCurrencyOf,
  type TransferAccounts,
  transferAmounts,
  accountSide,
  settlementSide,
  SETTLEMENT
} from "./RecordMovement.ts"
import {
  ledgerAccountOf,
  ensureCanPay,
  ensureCanReceive,
  type VirtualAccount,
  VirtualAccountStore,
  VirtualTransactionStore
} from "./VirtualAccountStore.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Error for another organisation's beneficiary, also for payouts to escrow parties. */
export const notOwnBeneficiary = () =>
  new Invalid({ message: "beneficiary_id: is not a beneficiary of this organisation." })

const make = Effect.gen(function* () {
  const accounts = yield* VirtualAccountStore
  const transactions = yield* VirtualTransactionStore
  const beneficiaries = yield* Beneficiaries
  const initiation = yield* Initiation
  const rates = yield* RateQuote
  const keys = yield* Idempotency
  const ids = yield* Ids
  const record = yield* RecordMovement
  const { mode, rateGainMax, rateLockMax } = yield* Settings
  const limits = { rateGainMax, rateLockMax }

  const find = (scope: Scope, id: AccountId, failure: NotFound = notFound("virtual account")) =>
    orRefuse(() => failure)(accounts.find(scope, id))

  /** Locks the account until the end of the transaction. */
  const locked = ({ account_id, org_id }: VirtualAccount) => orDefect(Effect.flatten(accounts.lock(org_id, account_id)))

  const named = Effect.fnUntraced(function* (
    orgId: OrgId,
    { from, to }: TransferAccounts,
    orgRateId: string | null | undefined
  ) {
    if (typeof orgRateId !== "string") return undefined
    if (from.currency === to.currency) {
      const why = `both sides are in ${from.currency}, so nothing is converted; leave it out, or name a lock for the other way`
      return yield* new Invalid({ message: `org_rate_id: ${why}.` })
    }
    const lock = yield* rates.locked(orgId, orgRateId)
    const values = Option.isNone(lock) ? Option.none() : yield* rates.values(orgId, from.currency, to.currency)
    return { lock, values, limits }
  })

  /** Currency of the settlement account on the other side: the lock's, or else that of the account. */
  const settlementCurrency = Effect.fnUntraced(function* (
    orgId: OrgId,
    { currency }: VirtualAccount,
    orgRateId: string | null | undefined,
    side: "from" | "to"
  ) {
    if (typeof orgRateId !== "string") return currency
    const lock = yield* rates.locked(orgId, orgRateId)
    return Option.isSome(lock) ? lock.value[side] : yield* notLocked()
  })

  /** Returns the row of the first virtual account. */
  const move = Effect.fnUntraced(function* (
    org_id: OrgId,
    sides: TransferAccounts,
    { amount, org_rate_id }: Pick<typeof Transfer.Type, "amount" | "org_rate_id">,
    answer: typeof transferAnswer,
    key: NewKey | undefined
  ) {
    const rate = yield* named(org_id, sides, org_rate_id)
    const amounts = yield* transferAmounts(amount, sides, rate)
    const { orgRateId } = amounts
    const fresh = [yield* ids.next, yield* ids.make(TransactionId), yield* ids.make(TransactionId)] as const
    const { entry, rows } = transferRecord(org_id, fresh, sides, amounts)
    const moved = Effect.gen(function* () {
      if (sides.from.account !== null) yield* ensureCanPay(yield* locked(sides.from.account))
      if (sides.to.account !== null) yield* ensureCanReceive(yield* locked(sides.to.account))
      if (orgRateId !== null && !(yield* rates.spend(org_id, orgRateId, entry.entry_id))) return yield* lockUsed()
      const [row] = yield* record([entry], rows)
      return row!
    })
    return yield* keys.once(key, moved, answer.textOf)
  })

  return {
    withdraw: traced("AccountMovements.withdraw")(function* (
      permit: Permit<"accounts">,
      accountId: AccountId,
      wanted: typeof Withdraw.Type,
      key?: NewKey
    ) {
      const account = yield* find(permit.scope, accountId)
      yield* ensureCanPay(account)
      const { org_id } = account
      const amount = yield* amountInCurrencyOf(account, wanted.amount)
      const beneficiary = yield* beneficiaries
        .find(Option.some(org_id), idOrNil(BeneficiaryId)(wanted.beneficiary_id))
        .pipe(orRefuse(notOwnBeneficiary))
      const { payment_id } = yield* initiation.payFrom(
        permit,
        org_id,
        { amount, beneficiary, description: wanted.description ?? null },
        {
          key,
          funding: ledgerAccountOf(account),
          inSameTransaction: (payment) =>
            Effect.flatMap(locked(account), ensureCanPay).pipe(
              Effect.zipRight(transactions.insert([withdrawalRow(account, payment, beneficiary)]))
            )
        }
      )
      return yield* orDefect(Effect.flatten(transactions.findByPayment(org_id, payment_id)))
    }),

    /** Returns the debit. */
    transfer: traced("AccountMovements.transfer")(function* (
      permit: Permit<"accounts">,
      wanted: typeof Transfer.Type,
      key?: NewKey
    ) {
      const none = (field: string) => new NotFound({ message: `${field}: no virtual account with this id.` })
      const from = yield* find(permit.scope, idOrNil(AccountId)(wanted.from_account_id), none("from_account_id"))
      const { org_id } = from
      if (wanted.to_account_id === SETTLEMENT) {
        const currency = yield* settlementCurrency(org_id, from, wanted.org_rate_id, "to")
        const sides = { from: accountSide(from), to: settlementSide(org_id, currency) }
        return yield* move(org_id, sides, wanted, transferAnswer, key)
      }
      const to = yield* find(Option.some(org_id), idOrNil(AccountId)(wanted.to_account_id), none("to_account_id"))
      if (to.account_id === from.account_id) {
        return yield* new Invalid({
          message: "to_account_id: is the same as from_account_id."
        })
      }
      return yield* move(org_id, { from: accountSide(from), to: accountSide(to) }, wanted, transferAnswer, key)
    }),

    /** Moves money from settlement to the account. Returns the credit. */
    fund: traced("AccountMovements.fund")(function* (
      permit: Permit<"accounts">,
      accountId: AccountId,
      wanted: typeof FundAccount.Type,
      key?: NewKey
    ) {
      const account = yield* find(permit.scope, accountId)
      const { org_id } = account
      const currency = yield* settlementCurrency(org_id, account, wanted.org_rate_id, "from")
      const sides = { from: settlementSide(org_id, currency), to: accountSide(account) }
      return yield* move(org_id, sides, wanted, depositAnswer, key)
    }),

    simulateDeposit: traced("AccountMovements.simulateDeposit")(function* (
      permit: Permit<"accounts">,
      accountId: AccountId,
      wanted: typeof SimulateDeposit.Type,
      key?: NewKey
    ) {
      if (mode !== "sandbox") {
        return yield* new NotFound({ message: "Deposits are simulated in sandbox mode only." })
      }
      const account = yield* find(permit.scope, accountId)
      const amount = yield* amountInCurrencyOf(account, wanted.amount)
      const fresh = [yield* ids.next, yield* ids.make(TransactionId)] as const
      const { entry, rows } = depositRecord(fresh, account, amount)
      const moved = Effect.gen(function* () {
        yield* ensureCanReceive(yield* locked(account))
        // A deposit cannot lack funds.
        const [credit] = yield* Effect.catchTag(record([entry], rows), "InsufficientFunds", Effect.die)
        return credit!
      })
      return yield* keys.once(key, moved, depositAnswer.textOf)
    })
  }
})

export class AccountMovements extends Context.Tag("corridor/AccountMovements")<
  AccountMovements,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(AccountMovements, make)
}
