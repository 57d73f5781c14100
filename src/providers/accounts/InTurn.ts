/** A provider whose calls say for what and for whom they are made, so that they share its room fairly. */
import { Effect } from "effect"
import { caller, type Purpose } from "../client/CallsUnderWay.ts"
import type { OrgId } from "../../domain/Identifiers.ts"
import type { Provider } from "../port/Provider.ts"

const asking =
  (purpose: Purpose, orgId: OrgId | null) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.locally(effect, caller, { purpose, orgId })

export const inTurn = (provider: Provider): Provider => {
  const { cancel, otp, refund, resume } = provider
  return {
    ...provider,
    initiate: (order) => asking("order", order.orgId)(provider.initiate(order)),
    enquire: (attempt) => asking("question", attempt.orgId)(provider.enquire(attempt)),
    callback: (request) => asking("proof", null)(provider.callback(request)),
    ...(otp === undefined
      ? {}
      : {
          otp: {
            submit: (attempt, password) => asking("order", attempt.orgId)(otp.submit(attempt, password)),
            resend: (attempt) => asking("order", attempt.orgId)(otp.resend(attempt))
          }
        }),
    ...(cancel === undefined ? {} : { cancel: (attempt) => asking("order", attempt.orgId)(cancel(attempt)) }),
    ...(refund === undefined ? {} : { refund: (order) => asking("order", order.attempt.orgId)(refund(order)) }),
    ...(resume === undefined
      ? {}
      : { resume: (attempt, query) => asking("question", attempt.orgId)(resume(attempt, query)) })
  }
}
