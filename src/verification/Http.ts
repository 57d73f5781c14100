import { Effect } from "effect"
import { success } from "../api/Envelope.ts"
import type { VerificationApi } from "../api/Verification.ts"
import { type Handlers, Reply } from "../http/Handlers.ts"
import { paginate } from "../pagination/Page.ts"
import { Vault } from "../secrets/Vault.ts"
import { Verification } from "./Verification.ts"

const PARTIAL_SUCCESS = 207

export const verificationHandlers = Effect.gen(function* () {
  const verification = yield* Verification
  const vault = yield* Vault
  const handlers: Handlers<typeof VerificationApi> = {
    request: Effect.fn("VerificationHttp.request")(function* ({ elevate, payload, permit }) {
      const answer = yield* verification.request(permit, yield* elevate("any"), payload)
      return answer.all_success ? answer : new Reply(PARTIAL_SUCCESS, answer)
    }),
    list: ({ permit, route, urlParams }) => {
      const filters = { status: urlParams.status, transaction_id: urlParams.transaction_id }
      return paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        filters,
        fetch: (window) => verification.list(permit, filters, window),
        idOf: (request) => request.request_id
      }).pipe(Effect.map((page) => ({ status: "success", message: "Verification requests", ...page })))
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
