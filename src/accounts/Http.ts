import { Effect } from "effect"
import { success } from "../api/Envelope.ts"
import type { VirtualAccountsApi } from "../api/VirtualAccounts.ts"
import type { Handlers } from "../http/Handlers.ts"
import { paginate } from "../pagination/Page.ts"
import { Vault } from "../secrets/Vault.ts"
import { accountView, movementAnswer, transactionView } from "./AccountAnswers.ts"
import { AccountMovements } from "./AccountMovements.ts"
import { VirtualAccounts } from "./VirtualAccounts.ts"

export const virtualAccountsHandlers = Effect.gen(function* () {
  const accounts = yield* VirtualAccounts
  const movements = yield* AccountMovements
  const vault = yield* Vault
  const handlers: Handlers<typeof VirtualAccountsApi> = {
    create: ({ payload, permit }) =>
      Effect.map(accounts.create(permit, payload), (made) => success("Virtual account created", accountView(made))),
    list: Effect.fn("VirtualAccountsHttp.list")(function* ({ permit, route, urlParams }) {
      const { currency, user_id } = urlParams
      const filter = { currency, user_id }
      const page = yield* paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        filters: filter,
        fetch: (window) => accounts.list(permit, filter, window),
        idOf: (account) => account.account_id
      })
      return { ...page, status: "success", message: "Virtual accounts", data: page.data.map(accountView) }
    }),
    get: ({ path, permit }) =>
      Effect.map(accounts.get(permit, path.account_id), (found) => success("Virtual account", accountView(found))),
    transactions: Effect.fn("VirtualAccountsHttp.transactions")(function* ({ path, permit, route, urlParams }) {
      const account = yield* accounts.get(permit, path.account_id)
      const page = yield* paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        filters: account.account_id,
        fetch: (window) => accounts.transactions(permit, account, window),
        idOf: (transaction) => transaction.transaction_id
      })
      return { ...page, status: "success", message: "Virtual transactions", data: page.data.map(transactionView) }
    }),
    transaction: ({ path, permit, urlParams }) =>
      Effect.map(accounts.transaction(permit, path.transaction_id, urlParams.user_id), (found) =>
        success("Virtual transaction", transactionView(found))
      ),
    withdraw: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(movements.withdraw(permit, path.account_id, payload, idempotencyKey), (debit) =>
        movementAnswer("withdraw", debit)
      ),
    transfer: ({ idempotencyKey, payload, permit }) =>
      Effect.map(movements.transfer(permit, payload, idempotencyKey), (debit) => movementAnswer("transfer", debit)),
    simulateDeposit: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(movements.simulateDeposit(permit, path.account_id, payload, idempotencyKey), (credit) =>
        movementAnswer("deposit", credit)
      ),
    freeze: ({ path, payload, permit }) =>
      Effect.map(accounts.freeze(permit, path.account_id, payload.reason ?? null), (frozen) =>
        success("Virtual account frozen", accountView(frozen))
      ),
    unfreeze: ({ path, permit }) =>
      Effect.map(accounts.unfreeze(permit, path.account_id), (account) =>
        success("Virtual account unfrozen", accountView(account))
      )
  }
  return handlers
})
