/** Handlers of the endpoints that initiate, act on, read and resolve payments and ramps. */
import { Effect, Option } from "effect"
import { success } from "../contract/api/Envelope.ts"
import type { PaymentsApi } from "../contract/api/PaymentsApi.ts"
import { answer, type Handlers } from "../platform/http/Handlers.ts"
import { makePages, makeSearchPages } from "../platform/pagination/Pagination.ts"
import { recordOf } from "./read/PaymentRecord.ts"
import { Payments, positionOf, searchedTo } from "./read/Payments.ts"
import { searchTerms } from "./store/SearchTerms.ts"
import type { ResolutionsApi } from "../contract/api/ResolutionsApi.ts"
import { PaymentDecisions, shownItem } from "./read/PaymentDecisions.ts"
import { Resolution } from "./settlement/Resolution.ts"
import type { RampsApi } from "../contract/api/RampsApi.ts"
import { directionOf } from "./ramps/RampPlan.ts"
import { rampResponse, initiationResponse } from "./initiate/InitiationResponse.ts"
import { Ramps } from "./ramps/Ramps.ts"
import type { PaymentsInitApi } from "../contract/api/PaymentsInitApi.ts"
import { type Failure, Invalid } from "../domain/Failure.ts"
import { Actions } from "./actions/Actions.ts"
import { Initiation, type Payin, type Payout } from "./initiate/Initiation.ts"
import type { Payment } from "./store/Payment.ts"
import type { Request } from "./initiate/PaymentPlan.ts"

/** One reference should name one payment; where it does not, those that it may mean are listed. */
const ambiguity = (found: ReadonlyArray<unknown>) =>
  found.length > 1 ? { message: "Several transactions share this reference: these are the newest" } : {}

export const paymentsHandlers = Effect.gen(function* () {
  const payments = yield* Payments
  const pages = yield* makePages
  const searchPages = yield* makeSearchPages
  const handlers: Handlers<typeof PaymentsApi> = {
    byTransaction: ({ path, permit }) => Effect.map(payments.findByTransaction(permit, path.transaction_id), recordOf),
    byId: ({ path, permit }) => Effect.map(payments.find(permit, path.payment_id), recordOf),
    timeline: ({ path, permit }) =>
      Effect.map(payments.timeline(permit, path.payment_id), (items) =>
        success("Timeline", { payment_id: path.payment_id, items })
      ),
    transactions: (request) => {
      const { permit, urlParams } = request
      const { last_evaluated_key: _cursor, limit: _limit, org_id: _org, search, ...filter } = urlParams
      if (search !== undefined) {
        const terms = searchTerms(search)
        return searchPages(request, {
          filters: { ...filter, search: terms.text },
          fetch: (from, take) => payments.search(permit, { ...filter, search: terms }, from, take),
          positionOf
        }).pipe(
          Effect.map(({ items, last_evaluated_key, meta, next }) => ({
            status: "success" as const,
            message: "Transactions",
            data: items.map(({ payment }) => recordOf(payment)),
            meta: { ...meta, searched_to: Option.getOrNull(Option.flatMap(next, searchedTo)) },
            last_evaluated_key
          }))
        )
      }
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

export const resolutionsHandlers = Effect.map(
  Effect.all([Resolution, PaymentDecisions]),
  ([resolution, decisions]): Handlers<typeof ResolutionsApi> => ({
    decisions: ({ path, permit }) =>
      Effect.map(decisions.about(permit, path.payment_id), (items) =>
        success("Decisions", { payment_id: path.payment_id, items: items.map(shownItem) })
      ),
    resolve: ({ path, payload: { item_id: item, movement_id: movementId, ...verdict }, permit }) =>
      Effect.map(resolution.resolve(permit, path.payment_id, { ...verdict, item, movementId }), recordOf),
    giveBack: ({ path, payload: { item_id: item, reason }, permit }) =>
      Effect.map(resolution.giveBack(permit, path.payment_id, { reason, item }), recordOf)
  })
)

export const rampsHandlers = Effect.map(Ramps, (ramps): Handlers<typeof RampsApi> => ({
  ramp: ({ elevate, idempotencyKey, payload, permit }) =>
    Effect.flatMap(directionOf(payload), (direction) =>
      direction === "on_ramp"
        ? ramps.onRamp(permit, payload, idempotencyKey)
        : Effect.flatMap(elevate("payouts"), (allowed) => ramps.offRamp(allowed, payload, idempotencyKey))
    ).pipe(Effect.map(rampResponse))
}))

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
      answer("Route preview", initiation.preview(permit, request, platform_only))
  }
  return handlers
})
