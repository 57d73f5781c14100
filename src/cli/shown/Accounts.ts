/** Virtual accounts as people read them, whichever way they came. */
import { type TextLayout, tableLayout, minute, properties } from "../shared/Table.ts"

export interface ShownAccount {
  readonly account_id: string
  readonly org_id: string
  readonly virtual_account_name: string
  /** With its currency. */
  readonly money: string
  readonly status: string
  readonly created_at: Date | string
}

export const accountTable = (accounts: ReadonlyArray<ShownAccount>): TextLayout =>
  tableLayout(
    ["ID", "ORGANISATION", "NAME", "BALANCE", "STATUS", "CREATED"],
    accounts.map((account) => [
      account.account_id,
      account.org_id,
      account.virtual_account_name,
      account.money,
      account.status,
      minute(account.created_at)
    ]),
    "No virtual accounts here.",
    ["CREATED", "ORGANISATION"]
  )

export const accountText = (said: string, account: ShownAccount): string =>
  `${said}\n${properties([
    ["Account", account.account_id],
    ["Organisation", account.org_id],
    ["Name", account.virtual_account_name],
    ["Balance", account.money],
    ["Status", account.status]
  ])}`

export const frozenWords = {
  freeze: "Frozen: nothing is taken from it any more; it still takes money.",
  unfreeze: "Active: money can be taken from it again."
} as const
