/**
 * How a statement writes postings: alone, or as one part of a larger one. The database does the rest, once for each
 * statement: it refuses entries that do not balance, moves the balances in the order of their names, holds the floors.
 *
 * A transaction posts with one statement, after it has locked its own rows: balances that are locked by two statements
 * are not locked in one order, and two such transactions can stop each other.
 */
import type { SqlError } from "@effect/sql"
import { Option } from "effect"
import type { OrgId, PaymentId } from "../../domain/Ids.ts"
import { violates } from "../../platform/database/Query.ts"
import { InsufficientFunds } from "../../domain/Failure.ts"
import { type Entry, LedgerAccount, settled } from "../../domain/Ledger.ts"

export interface PostingRow {
  readonly entry_id: string
  readonly org_id: OrgId | null
  readonly account: LedgerAccount
  readonly currency: string
  readonly amount: string
  readonly kind: string
  readonly payment_id: PaymentId | null
  readonly reference: string | null
}

const types = {
  entry_id: "uuid",
  org_id: "uuid",
  account: "text",
  currency: "text",
  amount: "numeric",
  kind: "text",
  payment_id: "uuid",
  reference: "text"
} satisfies Record<keyof PostingRow, string>

export const postingNames = Object.keys(types)

/** For `insert into ledger_postings (…) select …`. */
export const postingColumns = postingNames.join(", ")

/** For `jsonb_to_recordset(…) as p (…)`. */
export const postingRecord = Object.entries(types)
  .map(([name, type]) => `${name} ${type}`)
  .join(", ")

/** Rows of ledger entries, ready for JSON. Throws for an invalid entry: that is a bug of its caller. */
export const postingRows = (entries: ReadonlyArray<Entry>): ReadonlyArray<PostingRow> =>
  entries.flatMap((entry) => {
    const { entry_id, kind, org_id, payment_id, reference } = entry
    return settled(entry).map(({ account, amount }) => ({
      entry_id,
      org_id,
      account,
      currency: amount.currency,
      amount: amount.toNumericText(),
      kind,
      payment_id,
      reference
    }))
  })

/** $1: the rows as JSON. */
export const postStatement = `
  insert into ledger_postings (${postingColumns})
  select ${postingColumns} from jsonb_to_recordset($1::jsonb) as p (${postingRecord})`

/** The database's refusal to let a balance pass its floor, by the account that it was about. */
export const insufficientFundsOf = (error: SqlError.SqlError): Option.Option<InsufficientFunds> => {
  const { detail } = error.cause as { readonly detail?: string }
  return violates(error, "ledger_balances_floor") && detail !== undefined
    ? Option.some(new InsufficientFunds({ account: LedgerAccount.stored(detail) }))
    : Option.none()
}
