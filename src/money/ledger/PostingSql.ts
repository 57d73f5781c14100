/**
 * Writes postings, alone or as part of a larger statement. Triggers refuse entries that do not balance, update balances
 * in the order of their names, and enforce floors, once for each statement.
 *
 * A transaction posts with one statement, after it has locked its own rows: two statements would lock balances in no
 * fixed order, and two such transactions could deadlock.
 */
import type { SqlError } from "@effect/sql"
import { Option } from "effect"
import type { OrgId, PaymentId } from "../../domain/Ids.ts"
import { violates } from "../../platform/database/Query.ts"
import { InsufficientFunds } from "../../domain/Failure.ts"
import { type Entry, LedgerAccount, balancedPostings } from "../../domain/Ledger.ts"

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
    return balancedPostings(entry).map(({ account, amount }) => ({
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

/** A violated floor, with its account. */
export const insufficientFundsOf = (error: SqlError.SqlError): Option.Option<InsufficientFunds> => {
  const { detail } = error.cause as { readonly detail?: string }
  return violates(error, "ledger_balances_floor") && detail !== undefined
    ? Option.some(new InsufficientFunds({ account: LedgerAccount.stored(detail) }))
    : Option.none()
}
