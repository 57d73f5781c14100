import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { PaymentsInitApi } from "../../contract/api/PaymentsInit.ts"
import { type Failure, Invalid } from "../../domain/Failure.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { Actions } from "../actions/Actions.ts"
import { Initiation, type Payin, type Payout } from "./Initiation.ts"
import { initiationResponse } from "./InitiationResponse.ts"
import type { Payment } from "../store/Payment.ts"
import type { Request } from "./PaymentPlan.ts"

const isPayout = (request: Request): request is Payout => request.direction === "payout"

export const paymentsInitHandlers = Effect.gen(function* () {
  const initiation = yield* Initiation
  const actions = yield* Actions
  const handlers: Handlers<typeof PaymentsInitApi> = {
    initiate: ({ elevate, idempotencyKey, payload, permit }) =>
      Effect.map(
        isPayout(payload)
          ? Effect.flatMap(elevate("payouts"), (allowed) => initiation.payout(allowed, payload, idempotencyKey))
          : initiation.payin(permit, payload as Payin, idempotencyKey),
        initiationResponse
      ),
    action: ({ elevate, idempotencyKey: key, path, payload, permit }) => {
      const { payment_id } = path
      const { accept_rate, action, amount, otp, reason } = payload
      const done = (): Effect.Effect<Payment, Failure> => {
        switch (action) {
          case "submit_otp":
            return otp === undefined
              ? Effect.fail(new Invalid({ message: "otp: is needed for submit_otp." }))
              : actions.submitOtp(permit, payment_id, otp, key)
          case "resend_otp":
            return actions.resendOtp(permit, payment_id, key)
          case "cancel":
            return actions.cancel(permit, payment_id, reason, key)
          case "refund":
            return Effect.flatMap(elevate("refunds"), (allowed) =>
              actions.refund(allowed, payment_id, { amount, reason, key })
            )
          case "review":
            return Effect.flatMap(elevate("reviews"), (allowed) =>
              actions.review(allowed, payment_id, accept_rate, key)
            )
          case "reject":
            return Effect.flatMap(elevate("reviews"), (allowed) => actions.reject(allowed, payment_id, reason, key))
        }
      }
      return Effect.map(done(), initiationResponse)
    },
    preview: ({ payload: { platform_only = false, ...request }, permit }) =>
      Effect.map(initiation.preview(permit, request, platform_only), (route) => success("Route preview", route))
  }
  return handlers
})
