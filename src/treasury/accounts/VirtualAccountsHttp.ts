import { Effect } from "effect"
import type { VirtualAccountsApi } from "../../contract/api/VirtualAccountsApi.ts"
import { success } from "../../contract/api/Envelope.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import {
  accountView,
  depositAnswer,
  transactionView,
  transferAnswer,
  transferView,
  withdrawalAnswer
} from "./VirtualAccountView.ts"
import { AccountDetails } from "./AccountDetails.ts"
import { AccountMovements } from "./AccountMovements.ts"
import { IncomingTransfers } from "./IncomingTransfers.ts"
import type { VirtualAccount } from "./VirtualAccountStore.ts"
import { VirtualAccounts } from "./VirtualAccounts.ts"

const createdMessage = ({ details_message, details_status }: VirtualAccount): string => {
  if (details_message !== null) return `Virtual account created. ${details_message}`
  return details_status === "pending"
    ? "Virtual account created. Its details follow: get the account again."
    : "Virtual account created"
}

export const virtualAccountsHandlers = Effect.map(
  Effect.all([VirtualAccounts, AccountMovements, AccountDetails, IncomingTransfers, makePages]),
  ([accounts, movements, details, transfers, pages]): Handlers<typeof VirtualAccountsApi> => ({
    create: ({ payload, permit }) =>
      Effect.map(
        accounts.create(permit, payload, (owner) => details.plan(payload, owner)),
        (account) => success(createdMessage(account), accountView(account))
      ),
    list: (request) => {
      const { currency, user_id } = request.urlParams
      return pages(request, {
        message: "Virtual accounts",
        filters: { currency, user_id },
        fetch: (window) => accounts.list(request.permit, { currency, user_id }, window),
        idOf: (account) => account.account_id,
        show: accountView
      })
    },
    get: ({ path, permit }) => answer("Virtual account", accounts.get(permit, path.account_id), accountView),
    transactions: Effect.fnUntraced(function* (request) {
      const account = yield* accounts.get(request.permit, request.path.account_id)
      return yield* pages(request, {
        message: "Virtual transactions",
        filters: account.account_id,
        fetch: (window) => accounts.transactions(request.permit, account, window),
        idOf: (transaction) => transaction.transaction_id,
        show: transactionView
      })
    }),
    transaction: ({ path, permit, urlParams }) =>
      answer(
        "Virtual transaction",
        accounts.transaction(permit, path.transaction_id, urlParams.user_id),
        transactionView
      ),
    withdraw: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(movements.withdraw(permit, path.account_id, payload, idempotencyKey), withdrawalAnswer.of),
    transfer: ({ idempotencyKey, payload, permit }) =>
      Effect.map(movements.transfer(permit, payload, idempotencyKey), transferAnswer.of),
    fund: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(movements.fund(permit, path.account_id, payload, idempotencyKey), depositAnswer.of),
    simulateDeposit: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(movements.simulateDeposit(permit, path.account_id, payload, idempotencyKey), depositAnswer.of),
    resolveTransfer: ({ path, payload, permit }) =>
      answer("Incoming transfer resolved", transfers.resolve(permit, path.transfer_id, payload), transferView),
    freeze: ({ path, payload, permit }) =>
      answer("Virtual account frozen", accounts.freeze(permit, path.account_id, payload.reason ?? null), accountView),
    unfreeze: ({ path, permit }) =>
      answer("Virtual account unfrozen", accounts.unfreeze(permit, path.account_id), accountView)
  })
)
