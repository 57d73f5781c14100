import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { PaymentsApi } from "../../contract/api/Payments.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Page.ts"
import { recordOf } from "./PaymentRecord.ts"
import { Payments } from "./Payments.ts"

/** One reference should name one payment; where it does not, those that it may mean are listed. */
const ambiguity = (found: ReadonlyArray<unknown>) =>
  found.length > 1 ? { message: "Several transactions share this reference: these are the newest" } : {}

export const paymentsHandlers = Effect.gen(function* () {
  const payments = yield* Payments
  const pages = yield* makePages
  const handlers: Handlers<typeof PaymentsApi> = {
    byTransaction: ({ path, permit }) => Effect.map(payments.findByTransaction(permit, path.transaction_id), recordOf),
    byId: ({ path, permit }) => Effect.map(payments.find(permit, path.payment_id), recordOf),
    timeline: ({ path, permit }) =>
      Effect.map(payments.timeline(permit, path.payment_id), (items) =>
        success("Timeline", { payment_id: path.payment_id, items })
      ),
    transactions: (request) => {
      const { permit, urlParams } = request
      const { last_evaluated_key: _cursor, limit: _limit, org_id: _org, ...filter } = urlParams
      const page = pages(request, {
        message: "Transactions",
        filters: filter,
        fetch: (window) => payments.list(permit, filter, window),
        idOf: (payment) => payment.payment_id,
        show: recordOf
      })
      return filter.reference === undefined
        ? page
        : Effect.map(page, (found) => ({ ...found, ...ambiguity(found.data) }))
    },
    queue: (request) => {
      const { permit } = request
      return pages(request, {
        message: "Operations queue",
        fetch: (window) => payments.queue(permit, window),
        idOf: (item) => item.item_id
      })
    }
  }
  return handlers
})
