/** Reading payments. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { OrgId, PaymentId, TransactionId } from "../../domain/Identifiers.ts"
import type { OperatorItem, TimelineItem } from "../../contract/api/Payments.ts"
import { InitiationResult } from "../../contract/api/PaymentsInit.ts"
import { RampResult } from "../../contract/api/Ramps.ts"
import type { Permit } from "../../domain/Access.ts"
import { isCountryCode } from "../../domain/Country.ts"
import { kindOf } from "../../domain/Ledger.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import { type NotFound, notFound } from "../../domain/Failure.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { orDefect, type Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Window } from "../../platform/database/Window.ts"
import { rampResponse } from "../ramps/RampResponse.ts"
import { WebhookLog } from "../../webhooks/WebhookLog.ts"
import { initiationResponse } from "../initiate/InitiationResponse.ts"
import { ReplayedAnswers } from "./FundingAnswers.ts"
import { OtherItems, queueOf } from "./OperationsQueue.ts"
import type { Payment } from "../store/Payment.ts"
import { type PaymentFilter, PaymentStore } from "../store/PaymentStore.ts"
import { isRamp } from "../route/LegOrder.ts"
import { eventTimesOf, timelineOf } from "./Timeline.ts"

const encodeResult = Schema.encodeSync(InitiationResult)
const encodeRamp = Schema.encodeSync(RampResult)

export class Payments extends Context.Tag("corridor/Payments")<
  Payments,
  {
    readonly find: (permit: Permit<"any">, paymentId: PaymentId) => Stored<Payment, NotFound>
    readonly findByTransaction: (permit: Permit<"any">, transactionId: TransactionId) => Stored<Payment, NotFound>
    /** The answer to whoever asked for it, or acted on it, as it would be now, for whom a crash has cost their own. */
    readonly answerTo: (orgId: OrgId, paymentId: PaymentId, operation: string) => Stored<string>
    readonly timeline: (
      permit: Permit<"any">,
      paymentId: PaymentId
    ) => Stored<ReadonlyArray<typeof TimelineItem.Type>, NotFound>
    readonly list: (
      permit: Permit<"transactions">,
      filter: PaymentFilter,
      window: Window
    ) => Stored<ReadonlyArray<Payment>>
    /** Whatever waits for a person, endpoints of webhooks included. */
    readonly queue: (permit: Permit<"operations">, window: Window) => Stored<ReadonlyArray<typeof OperatorItem.Type>>
  }
>() {
  static readonly layer = Layer.effect(
    Payments,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const organizations = yield* Organizations
      const webhooks = yield* WebhookLog
      const answers = yield* ReplayedAnswers
      const otherItems = yield* OtherItems

      const orNotFound = Effect.flatMap(
        Option.match({
          onNone: () => Effect.fail(notFound("payment")),
          onSome: (payment: Payment) => Effect.succeed(payment)
        })
      )
      const find = (permit: Permit<"any">, id: PaymentId) => orNotFound(store.find(permit.scope, id))

      /** Where a phone number that is looked for may be from. */
      const homeOf = Option.match({
        onNone: () => Effect.succeed(undefined),
        onSome: (orgId: OrgId) =>
          Effect.map(organizations.find(orgId), (found) => {
            const country = Option.getOrUndefined(found)?.country
            return isCountryCode(country) ? country : undefined
          })
      })

      return {
        find,
        findByTransaction: (permit, id) => orNotFound(store.findByTransaction(permit.scope, id)),
        answerTo: Effect.fnUntraced(function* (orgId, id, operation) {
          const payment = yield* orDefect(orNotFound(store.find(Option.some(orgId), id)))
          // Whatever an action is done to, it is answered alike; only what made it has words of its own.
          const isAction = operation.endsWith(`/${id}/action`)
          if (isRamp(payment) && !isAction) return stringifyWire(encodeRamp(rampResponse(payment)))
          const own = payment.funding === null || isAction ? undefined : answers[kindOf(payment.funding)]
          const answer = own === undefined ? Option.none() : yield* own(payment)
          return Option.getOrElse(answer, () => stringifyWire(encodeResult(initiationResponse(payment))))
        }),
        timeline: Effect.fn("Payments.timeline")(function* (permit, id) {
          const payment = yield* find(permit, id)
          const story = yield* store.history(payment)
          return timelineOf(payment, story, yield* webhooks.deliveriesOf(permit, payment, eventTimesOf(payment, story)))
        }),
        list: ({ scope }, filter, window) =>
          filter.customer === undefined
            ? store.list(scope, filter, window)
            : Effect.flatMap(homeOf(scope), (home) => store.list(scope, { ...filter, home }, window)),
        queue: Effect.fn("Payments.queue")(function* (permit, window) {
          const items = yield* store.openItems(permit.scope, window)
          const others = yield* otherItems(permit.scope, window)
          return queueOf(items, yield* webhooks.troubles(permit, window), others, window.take)
        })
      }
    })
  )
}
