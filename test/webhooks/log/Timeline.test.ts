/** Deliveries of a payment's events, in its timeline. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { eventually, initiate, ofKind, timelineOf, untilStatus } from "../../payments/support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../../payments/support/PaymentServer.ts"
import { byPhone } from "../../payments/support/Requests.ts"
import { people } from "../../support/TestCredentials.ts"
import { newReceiver, withStatus } from "../delivery/Receiver.ts"
import { deliveries, registered } from "../WebhookFixtures.ts"

onDatabasePaymentServer(
  "A payment's timeline",
  () => ({}),
  (it) => {
    it.scoped("shows each delivery once, where its event is, with what came of it", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const [takes, refuses] = [yield* newReceiver(withStatus(204)), yield* newReceiver(withStatus(500))]
        const taken = yield* registered(acme.key, { endpoint_url: takes.url })
        const refused = yield* registered(acme.key, { endpoint_url: refuses.url, events: ["payment.completed"] })
        yield* registered(globex.key, { endpoint_url: takes.url })
        const { payment_id } = yield* initiate(byPhone())
        yield* initiate(byPhone())
        yield* untilStatus(payment_id, "completed")
        const items = yield* eventually(timelineOf(payment_id), (all) => {
          const notified = ofKind(all, "delivery")
          return notified.length === 5 && notified.every((item) => item["attempts"] === 1)
        })
        const notified = ofKind(items, "delivery")
        const to = (webhookId: string) => notified.filter((item) => item["webhook_id"] === webhookId)
        const types = to(taken.webhook_id).map((item) => item["event_type"])
        expect(types.slice(0, 2).toSorted()).toEqual(["payment.processing", "transaction.updated"])
        expect(types.slice(2).toSorted()).toEqual(["payment.completed", "transaction.updated"])
        for (const item of to(taken.webhook_id)) {
          expect(item).toMatchObject({ status: "delivered", attempts: 1, last_status_code: 204, last_error: null })
        }
        const [last] = to(refused.webhook_id)
        const own = yield* deliveries(acme.key, `&webhook_id=${refused.webhook_id}`)
        const { delivery_id, event_id } = own.find((one) => one.delivery_id === last?.["delivery_id"])!
        const ended = ofKind(items, "status").find((item) => item["to"] === "completed")
        expect(to(refused.webhook_id)).toEqual([
          {
            at: ended?.["at"],
            kind: "delivery",
            delivery_id,
            webhook_id: refused.webhook_id,
            event_id,
            event_type: "payment.completed",
            status: "pending",
            attempts: 1,
            last_status_code: 500,
            last_error: "answered with status 500"
          }
        ])
        const times = items.map((item) => String(item["at"]))
        expect(times).toEqual(times.toSorted())
      })
    )
  }
)
