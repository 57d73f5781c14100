/** A virtual account as the stores hold it. What is on it stands in the books, under the name that it has there. */
import { Either, Schema } from "effect"
import { AccountId, OrgId, UserId } from "../../domain/Identifiers.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { Conflict } from "../../domain/Failure.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"

export const accountStatuses = ["active", "frozen", "closed"] as const
export type AccountStatus = (typeof accountStatuses)[number]

export const VirtualAccount = Schema.Struct({
  account_id: AccountId,
  org_id: OrgId,
  user_id: UserId,
  customer_id: Schema.NullOr(Schema.String),
  currency: Schema.typeSchema(CurrencyCode),
  virtual_account_name: Schema.String,
  account_type: Schema.Literal("currency"),
  status: Schema.Literal(...accountStatuses),
  frozen_reason: Schema.NullOr(Schema.String),
  provider: Schema.Literal("fiat"),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type VirtualAccount = typeof VirtualAccount.Type

export interface AccountWithBalance extends VirtualAccount {
  /** What it can spend: money that is held for a withdrawal under way is not in it. */
  readonly balance: Money
}

export const booksOf = ({ account_id, currency }: Pick<VirtualAccount, "account_id" | "currency">): LedgerAccount =>
  LedgerAccount.virtual(account_id, currency)

/** Only an active account gives money away. */
export const mayPay = (account: VirtualAccount): Either.Either<VirtualAccount, Conflict> =>
  account.status === "active"
    ? Either.right(account)
    : Either.left(new Conflict({ message: `This account is ${account.status}: nothing can be taken from it.` }))

/** A frozen account still takes money. */
export const mayReceive = (account: VirtualAccount): Either.Either<VirtualAccount, Conflict> =>
  account.status === "closed"
    ? Either.left(new Conflict({ message: "This account is closed: nothing can be paid into it." }))
    : Either.right(account)
