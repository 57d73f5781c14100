import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { VirtualAccountsApi } from "../../contract/api/VirtualAccountsApi.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { accountView, movementAnswer, transactionView } from "./VirtualAccountView.ts"
import { AccountMovements } from "./AccountMovements.ts"
import { VirtualAccounts } from "./VirtualAccounts.ts"

export const virtualAccountsHandlers = Effect.gen(function* () {
  const accounts = yield* VirtualAccounts
  const movements = yield* AccountMovements
  const pages = yield* makePages
  const handlers: Handlers<typeof VirtualAccountsApi> = {
    create: ({ payload, permit }) =>
      Effect.map(accounts.create(permit, payload), (made) => success("Virtual account created", accountView(made))),
    list: (request) => {
      const { permit, urlParams } = request
      const filter = { currency: urlParams.currency, user_id: urlParams.user_id }
      return pages(request, {
        message: "Virtual accounts",
        filters: filter,
        fetch: (window) => accounts.list(permit, filter, window),
        idOf: (account) => account.account_id,
        show: accountView
      })
    },
    get: ({ path, permit }) =>
      Effect.map(accounts.get(permit, path.account_id), (found) => success("Virtual account", accountView(found))),
    transactions: Effect.fnUntraced(function* (request) {
      const { path, permit } = request
      const account = yield* accounts.get(permit, path.account_id)
      return yield* pages(request, {
        message: "Virtual transactions",
        filters: account.account_id,
        fetch: (window) => accounts.transactions(permit, account, window),
        idOf: (transaction) => transaction.transaction_id,
        show: transactionView
      })
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
