import { Effect } from "effect"
import type { VerificationApi } from "../../contract/api/VerificationApi.ts"
import { answer, type Handlers, Reply } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { Verification } from "./Verification.ts"

const PARTIAL_SUCCESS = 207

export const verificationHandlers = Effect.map(
  Effect.all([Verification, makePages]),
  ([verification, pages]): Handlers<typeof VerificationApi> => ({
    request: Effect.fn("VerificationHttp.request")(function* ({ elevate, payload, permit }) {
      const result = yield* verification.request(permit, yield* elevate("any"), payload)
      return result.all_success ? result : new Reply(PARTIAL_SUCCESS, result)
    }),
    list: (request) => {
      const { status, transaction_id } = request.urlParams
      return pages(request, {
        message: "Verification requests",
        filters: { status, transaction_id },
        fetch: (window) => verification.list(request.permit, { status, transaction_id }, window),
        idOf: ({ request_id }) => request_id
      })
    },
    get: ({ path, permit }) => answer("Verification request", verification.get(permit, path.request_id)),
    close: ({ path, payload, permit }) =>
      answer("Verification request closed", verification.close(permit, path.request_id, payload.status))
  })
)
