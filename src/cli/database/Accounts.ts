/** `corridor accounts` beside the database. */
import { Effect, Option, Schema } from "effect"
import { VirtualAccount } from "../../contract/api/VirtualAccounts.ts"
import { AccountId, idOrNil } from "../../domain/Ids.ts"
import { accountView } from "../../treasury/accounts/VirtualAccountView.ts"
import type { AccountWithBalance } from "../../treasury/accounts/VirtualAccountStore.ts"
import { VirtualAccounts } from "../../treasury/accounts/VirtualAccounts.ts"
import { allPages, permitFor } from "../shared/LocalDatabase.ts"
import { refuse } from "../shared/CommandInput.ts"
import { findOrganization } from "../shared/LookUp.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { accountTable, accountText, frozenWords } from "../shown/Accounts.ts"

const encode = Schema.encodeSync(VirtualAccount)

const dataOf = (account: AccountWithBalance) => encode(accountView(account))

const shown = (account: AccountWithBalance) => ({ ...account, money: account.balance.toString() })

const listAll = Effect.fn("Cli.listAccounts")(function* (org: Option.Option<string>) {
  const accounts = yield* VirtualAccounts
  const scope = yield* Effect.transposeMapOption(org, (id) => Effect.map(findOrganization(id), ({ org_id }) => org_id))
  const permit = yield* permitFor("any", scope)
  const all = yield* allPages(
    (window) => accounts.list(permit, { currency: undefined, user_id: undefined }, window),
    (account) => account.account_id
  )
  return { data: all.map(dataOf), ...accountTable(all.map(shown)) }
})

export const list = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onRecords(input.json, listAll(input.org))

const noSuchAccount = (given: string) =>
  refuse(`There is no virtual account with the id ${given} ("corridor accounts list" shows them).`)

const freezeOne = Effect.fn("Cli.freezeAccount")(function* (given: string, reason: Option.Option<string>) {
  const accounts = yield* VirtualAccounts
  const account = yield* accounts
    .freeze(yield* permitFor("platform"), idOrNil(AccountId)(given), Option.getOrNull(reason))
    .pipe(Effect.catchTag("NotFound", () => noSuchAccount(given)))
  return { data: dataOf(account), text: accountText(frozenWords.freeze, shown(account)) }
})

export const freeze = (input: {
  readonly id: string
  readonly reason: Option.Option<string>
  readonly json: boolean
}) => onRecords(input.json, freezeOne(input.id, input.reason))

const unfreezeOne = Effect.fn("Cli.unfreezeAccount")(function* (given: string) {
  const accounts = yield* VirtualAccounts
  const account = yield* accounts
    .unfreeze(yield* permitFor("platform"), idOrNil(AccountId)(given))
    .pipe(Effect.catchTag("NotFound", () => noSuchAccount(given)))
  return { data: dataOf(account), text: accountText(frozenWords.unfreeze, shown(account)) }
})

export const unfreeze = (input: { readonly id: string; readonly json: boolean }) =>
  onRecords(input.json, unfreezeOne(input.id))
