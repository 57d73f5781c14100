import { Effect } from "effect"
import { success } from "../api/Envelope.ts"
import type { PaymentsApi } from "../api/Payments.ts"
import type { Handlers } from "../http/Handlers.ts"
import { paginate } from "../pagination/Page.ts"
import { Vault } from "../secrets/Vault.ts"
import { recordOf } from "./PaymentRecord.ts"
import { Payments } from "./Payments.ts"

export const paymentsHandlers = Effect.gen(function* () {
  const payments = yield* Payments
  const vault = yield* Vault
  const handlers: Handlers<typeof PaymentsApi> = {
    byTransaction: ({ path, permit }) => Effect.map(payments.findByTransaction(permit, path.transaction_id), recordOf),
    byId: ({ path, permit }) => Effect.map(payments.find(permit, path.payment_id), recordOf),
    timeline: ({ path, permit }) =>
      Effect.map(payments.timeline(permit, path.payment_id), (items) =>
        success("Timeline", { payment_id: path.payment_id, items })
      ),
    transactions: Effect.fn("PaymentsHttp.transactions")(function* ({ permit, route, urlParams }) {
      const { last_evaluated_key: _cursor, limit: _limit, org_id: _org, ...filter } = urlParams
      const page = yield* paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        filters: filter,
        fetch: (window) => payments.list(permit, filter, window),
        idOf: (payment) => payment.payment_id
      })
      return { ...page, status: "success", message: "Transactions", data: page.data.map(recordOf) }
    }),
    queue: ({ permit, route, urlParams }) =>
      paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        fetch: (window) => payments.queue(permit, window),
        idOf: (item) => item.item_id
      }).pipe(Effect.map((page) => ({ status: "success", message: "Operations queue", ...page })))
  }
  return handlers
})
