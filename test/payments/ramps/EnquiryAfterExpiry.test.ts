/** Ramps that expired and that their provider does not close: they are polled in their turn. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { Ids } from "../../../src/domain/Ids.ts"
import { payinExpiry } from "../../../src/domain/policies/PaymentPolicies.ts"
import { Report } from "../../../src/domain/Outcome.ts"
import { openAttempt } from "../../../src/payments/store/Change.ts"
import { decideRampChange } from "../../../src/payments/settlement/PaymentSignalRules.ts"
import type { SignalContext } from "../../../src/payments/settlement/SignalContext.ts"
import type { RampPayment } from "../../../src/payments/route/RampPayout.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { makeAttempt, makePayment, shillings } from "../support/NewPayment.ts"
import { reports } from "../support/ScriptedProvider.ts"

const end = new Date("2026-03-02T09:30:00.000Z")

/** Reversal of a part of a collection that was never reported. */
const disputed = new Report({
  ...reports("returned"),
  movements: [{ kind: "reversal", id: "a dispute", amount: shillings(1n), state: "settled" }]
})

const ruled = (
  said: "pending" | "processing" | "disputed",
  afterEnd: number,
  enquireIn: Option.Option<Duration.Duration>,
  about: Pick<SignalContext, "callback" | "hinted"> & { readonly next_enquiry_at?: Date } = {}
) =>
  Effect.gen(function* () {
    const made = yield* makePayment(
      { org_id: yield* nextId, user_id: yield* nextId },
      {
        status: "pending",
        direction: "external",
        expires_at: end,
        ramp: {
          direction: "on_ramp",
          network: "POLYGON",
          wallet_address: "0x52908400098527886E0F7030069857D2E4169EE7",
          collection: "bank_transfer",
          settlement: "crypto",
          rate: "0.00774",
          client_rate: "0.00774",
          customer_type: "retail",
          business_id: null,
          business_name: null,
          collected: null
        }
      }
    )
    const payment = made as RampPayment
    const attempt = {
      ...openAttempt(payment, yield* makeAttempt({ leg: "collection" })),
      outcome: "accepted" as const,
      next_enquiry_at: about.next_enquiry_at ?? null
    }
    const shared = new Date(end.getTime() + afterEnd * 1000)
    const { next_enquiry_at: _, ...reported } = about
    const signal = said === "disputed" ? disputed : reports(said)
    const moment = { at: shared, shared, payinExpiry, newId: () => "an id", enquireIn }
    const known = { payment, attempt, movements: [], allocations: [] }
    const { after, change } = decideRampChange(known, signal, { cause: "asked", ...reported }, moment, undefined)
    return {
      status: after.status,
      enquireIn: change.attempt?.enquire_in,
      items: change.openItems?.map(({ kind }) => kind)
    }
  }).pipe(Effect.provide(Ids.layer))

describe("a ramp after its end", () => {
  it.effect("is polled at its end though it was polled often enough before, as nothing else would end it", () =>
    Effect.gen(function* () {
      expect(yield* ruled("processing", -600, Option.none())).toMatchObject({ enquireIn: 601, items: [] })
      expect(yield* ruled("pending", -600, Option.none())).toMatchObject({ enquireIn: 601 })
      expect(yield* ruled("processing", 1, Option.none())).toMatchObject({
        enquireIn: null,
        items: ["unknown_outcome"]
      })
    })
  )

  it.effect("is asked about at its end after a hint too, where there was no plan any more to ask", () =>
    Effect.gen(function* () {
      const hinted = { hinted: true }
      expect(yield* ruled("processing", -600, Option.none(), hinted)).toMatchObject({ enquireIn: 601 })
      const planned = { ...hinted, next_enquiry_at: end }
      expect(yield* ruled("processing", -600, Option.none(), planned)).toMatchObject({ enquireIn: "as planned" })
      expect(yield* ruled("processing", 1, Option.none(), hinted)).toMatchObject({ items: ["unknown_outcome"] })
    })
  )

  it.effect("is polled at its end after a dispute about a part, from a callback or an enquiry", () =>
    Effect.gen(function* () {
      expect(yield* ruled("disputed", -600, Option.none())).toMatchObject({ status: "pending", enquireIn: 601 })
      expect(yield* ruled("disputed", -600, Option.some(Duration.hours(2)))).toMatchObject({ enquireIn: 601 })
      const callback = { provider: "stripe", key: "a dispute" } as const
      expect(yield* ruled("disputed", -600, Option.none(), { callback })).toMatchObject({ enquireIn: 601 })
      const planned = { callback, next_enquiry_at: end }
      expect((yield* ruled("disputed", -600, Option.none(), planned)).enquireIn, "once it is over").toBe(601)
      const items = ["unknown_outcome"]
      expect(yield* ruled("disputed", 1, Option.none())).toMatchObject({ enquireIn: null, items })
      expect(yield* ruled("disputed", 1, Option.none(), planned)).toMatchObject({ items: [] })
    })
  )

  it.effect("is asked about at its end, and then in its turn", () =>
    Effect.gen(function* () {
      const inTwoHours = Option.some(Duration.hours(2))
      expect(yield* ruled("processing", -600, inTwoHours)).toMatchObject({ status: "pending", enquireIn: 601 })
      expect(yield* ruled("processing", 1, inTwoHours)).toMatchObject({ status: "pending", enquireIn: 7200 })
      expect(yield* ruled("processing", 4000, inTwoHours)).toMatchObject({ status: "pending", enquireIn: 7200 })
    })
  )

  it.effect("waits for an operator once it is not polled any more", () =>
    Effect.gen(function* () {
      expect(yield* ruled("processing", 4000, Option.none())).toMatchObject({ items: ["unknown_outcome"] })
      expect(yield* ruled("pending", 4000, Option.none())).toMatchObject({ status: "canceled", items: [] })
    })
  )
})
