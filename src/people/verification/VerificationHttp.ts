import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { VerificationApi } from "../../contract/api/VerificationApi.ts"
import { type Handlers, Reply } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { Verification } from "./Verification.ts"

const PARTIAL_SUCCESS = 207

export const verificationHandlers = Effect.gen(function* () {
  const verification = yield* Verification
  const pages = yield* makePages
  const handlers: Handlers<typeof VerificationApi> = {
    request: Effect.fn("VerificationHttp.request")(function* ({ elevate, payload, permit }) {
      const answer = yield* verification.request(permit, yield* elevate("any"), payload)
      return answer.all_success ? answer : new Reply(PARTIAL_SUCCESS, answer)
    }),
    list: (request) => {
      const { permit, urlParams } = request
      const filters = { status: urlParams.status, transaction_id: urlParams.transaction_id }
      return pages(request, {
        message: "Verification requests",
        filters,
        fetch: (window) => verification.list(permit, filters, window),
        idOf: ({ request_id }) => request_id
      })
    },
    get: ({ path, permit }) =>
      Effect.map(verification.get(permit, path.request_id), (request) => success("Verification request", request)),
    close: ({ path, payload, permit }) =>
      Effect.map(verification.close(permit, path.request_id, payload.status), (request) =>
        success("Verification request closed", request)
      )
  }
  return handlers
})
