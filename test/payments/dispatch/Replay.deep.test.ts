/** One seed is one run: the same payments, attempts, history and events, byte for byte. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Random, Schema, TestClock, TestContext } from "effect"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import { startWorkers } from "../../../src/app/BackgroundWorkers.ts"
import { MemoryDatabase, openTables } from "../../../src/platform/database/MemoryDatabase.ts"
import { paymentTables } from "../../../src/payments/store/AttemptQueueMemory.ts"
import { webhookTables } from "../../../src/webhooks/EventMemory.ts"
import { authorize } from "../../../src/domain/Access.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { Initiation, type Payin } from "../../../src/payments/initiate/Initiation.ts"
import { testSettings, TestVault } from "../../support/TestSettings.ts"
import { newOwner } from "../support/NewPayment.ts"
import { openStoresOn, quiet, servicesWithSimulators } from "../support/PaymentServices.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { byBank, byCard, byPhone } from "../support/Requests.ts"
import { declines, isLost, scripted } from "../support/ScriptedProvider.ts"

const decode = Schema.decodeUnknownSync(InitiatePayment)

const requests = [
  byPhone(),
  byCard("4000000000000002"),
  byBank(),
  byPhone("+254712340004"),
  byPhone("+254712340006"),
  byPhone("+254712340009"),
  { ...byCard(), country: "FR", description: "declined, then taken" },
  { ...byCard(), country: "FR", description: "lost" }
]

/** Without fingerprints of cards: their key is new in every database. */
const asText = (rows: Iterable<unknown>): string =>
  JSON.stringify(Array.from(rows), (name, value: unknown) =>
    name === "fingerprint" ? "" : typeof value === "bigint" ? value.toString() : value
  )

/** A morning at the till, from its seed alone. */
const run = (seed: string) => {
  const stripe = scripted("stripe")
  stripe.on("declined, then taken", declines())
  stripe.on("lost", isLost())
  const services = servicesWithSimulators([stripe]).pipe(
    Layer.provideMerge(openStoresOn("memory")),
    Layer.provideMerge(Layer.mergeAll(MemoryDatabase.layer, TestVault, Ids.layerSeeded, testSettings(), quiet))
  )
  return Effect.gen(function* () {
    yield* TestClock.setTime(new Date("2026-03-02T09:00:00Z"))
    yield* serveCountry("KE", ["fiat"], "card")
    yield* serveCountry("KE", ["fiat"], "mobile_money")
    yield* serveCountry("KE", ["fiat"], "bank_transfer")
    yield* serveCountry("FR", ["stripe", "fiat"])
    const { org_id, user_id } = yield* newOwner
    const organization = {
      orgId: org_id,
      role: "staff" as const,
      features: new Set<string>(),
      permissions: new Set<never>()
    }
    const person = { id: user_id, userId: Option.some(user_id), apiKeyId: Option.none() }
    const caller = { ...person, organization: Option.some(organization), admin: false }
    const permit = yield* authorize(caller, "any", Option.none())
    const { payin } = yield* Initiation
    for (const request of requests) {
      const asked = yield* Effect.fork(Effect.either(payin(permit, decode(request) as Payin)))
      yield* TestClock.adjust("2 seconds")
      yield* asked
    }
    yield* Effect.scoped(Effect.zipRight(startWorkers, TestClock.adjust("3 seconds")))
    const { runOnce } = yield* StatusPoller
    for (const wait of ["10 seconds", "30 seconds", "2 minutes"] as const) {
      yield* TestClock.adjust(wait)
      yield* runOnce
    }
    const { attempts, callbacks, events, history, payments } = yield* openTables({ ...paymentTables, ...webhookTables })
    return {
      transcript: asText(Array.from(history.values(), (row) => [row.from_status, row.to_status, row.cause, row.at])),
      payments: asText(payments.values()),
      attempts: asText(attempts.values()),
      history: asText(history.values()),
      callbacks: asText(callbacks.values()),
      events: Array.from(events.values(), (event) => event.payload).join("\n"),
      statuses: Array.from(payments.values(), (payment) => payment.status)
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(services),
    Effect.provide(TestContext.TestContext),
    Effect.withRandom(Random.make(seed))
  )
}

describe("a run from a seed", () => {
  it.live("is the same every time, and another seed has the same events with other ids", () =>
    Effect.gen(function* () {
      const first = yield* run("one")
      expect(first.statuses).toEqual([
        "completed",
        "failed",
        "completed",
        "failed",
        "completed",
        "completed",
        "completed",
        "failed"
      ])
      expect(first.events.split("\n").length).toBeGreaterThan(20)
      expect(yield* run("one")).toEqual(first)
      const second = yield* run("two")
      expect(second.statuses).toEqual(first.statuses)
      expect(second.transcript).toBe(first.transcript)
      for (const part of ["payments", "attempts", "history", "events"] as const)
        expect(second[part]).not.toBe(first[part])
    })
  )
})
