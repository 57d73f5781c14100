/** Reading payments. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { TimelineItem } from "../api/Payments.ts"
import { InitiationResult } from "../api/PaymentsInit.ts"
import type { Permit } from "../domain/Access.ts"
import { stringifyWire } from "../domain/Decimal.ts"
import { type NotFound, notFound } from "../domain/Failure.ts"
import type { Window } from "../pagination/Page.ts"
import { initiationResponse } from "./InitiationResponse.ts"
import type { OperatorItem, Payment } from "./Payment.ts"
import { type PaymentFilter, PaymentStore } from "./PaymentStore.ts"
import { timelineOf } from "./Timeline.ts"

const encodeResult = Schema.encodeSync(InitiationResult)

export class Payments extends Context.Tag("corridor/Payments")<
  Payments,
  {
    readonly find: (permit: Permit<"any">, paymentId: string) => Effect.Effect<Payment, NotFound>
    readonly findByTransaction: (permit: Permit<"any">, transactionId: string) => Effect.Effect<Payment, NotFound>
    /** The initiation's answer as it would be now, for a caller whose own was lost in a crash. */
    readonly answerTo: (orgId: string, paymentId: string) => Effect.Effect<string>
    readonly timeline: (
      permit: Permit<"any">,
      paymentId: string
    ) => Effect.Effect<ReadonlyArray<typeof TimelineItem.Type>, NotFound>
    readonly list: (
      permit: Permit<"transactions">,
      filter: PaymentFilter,
      window: Window
    ) => Effect.Effect<ReadonlyArray<Payment>>
    readonly queue: (permit: Permit<"operations">, window: Window) => Effect.Effect<ReadonlyArray<OperatorItem>>
  }
>() {
  static readonly layer = Layer.effect(
    Payments,
    Effect.gen(function* () {
      const store = yield* PaymentStore

      const orNotFound = Effect.flatMap(
        Option.match({
          onNone: () => Effect.fail(notFound("payment")),
          onSome: (payment: Payment) => Effect.succeed(payment)
        })
      )
      const find = (permit: Permit<"any">, id: string) => orNotFound(store.find(permit.scope, id))

      return {
        find,
        findByTransaction: (permit, id) => orNotFound(store.findByTransaction(permit.scope, id)),
        answerTo: (orgId, id) =>
          Effect.map(Effect.orDie(orNotFound(store.find(Option.some(orgId), id))), (payment) =>
            stringifyWire(encodeResult(initiationResponse(payment)))
          ),
        timeline: (permit, id) =>
          Effect.flatMap(find(permit, id), (payment) => Effect.map(store.story(payment), timelineOf)),
        list: (permit, filter, window) => store.list(permit.scope, filter, window),
        queue: (permit, window) => store.openItems(permit.scope, window)
      }
    })
  )
}
