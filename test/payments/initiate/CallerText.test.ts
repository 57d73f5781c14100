/** Text of callers is kept as they sent it, or refused. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { initiate, recordOf } from "../support/PaymentCalls.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { byPhone } from "../support/Requests.ts"

onPaymentServer("A caller's own words", "memory", {}, (it) => {
  it.effect("come back as they were sent, with the spaces around them", () =>
    Effect.gen(function* () {
      const own = { client_reference: " order 7 ", description: "\tfor Ada " }
      const { payment_id } = yield* initiate({ ...byPhone(), ...own })
      expect(yield* recordOf(payment_id)).toMatchObject(own)
    })
  )

  it.effect("are refused when there are none", () =>
    Effect.gen(function* () {
      const { body, status } = yield* initiate({ ...byPhone(), client_reference: "  " })
      expect([status, body["message"]]).toEqual([400, expect.stringContaining("client_reference") as unknown])
    })
  )
})
