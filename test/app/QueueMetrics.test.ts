/** Queue metrics on PostgreSQL: counts and ages, read once for all instances. */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Clock, Duration, Effect, Option } from "effect"
import { QueueMetricsStore } from "../../src/app/QueueMetrics.ts"
import type { ProviderName } from "../../src/domain/Corridor.ts"
import { AttemptId, type OrgId, PaymentId } from "../../src/domain/Ids.ts"
import { LedgerAccount, move } from "../../src/domain/Ledger.ts"
import { Money } from "../../src/domain/Money.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { Report } from "../../src/domain/Outcome.ts"
import { PaymentStore } from "../../src/payments/store/PaymentStore.ts"
import { LedgerStore } from "../../src/money/ledger/LedgerStore.ts"
import { onPaymentServer } from "../payments/support/PaymentServer.ts"
import { byPhone } from "../payments/support/Requests.ts"
import { people } from "../support/TestCredentials.ts"
import { post } from "../support/Send.ts"
import { onServer } from "../support/TestServer.ts"

const KES = CurrencyCode.make("KES")

const moved = (to: LedgerAccount, kind: "clearing" | "transfer", minor: bigint, org_id: OrgId | null) =>
  Effect.flatMap(LedgerStore, ({ post: write }) =>
    write([
      {
        entry_id: randomUUID(),
        org_id,
        kind,
        payment_id: null,
        reference: null,
        postings: move(LedgerAccount.provider("fiat", KES), to, new Money({ currency: KES, minor }))
      }
    ])
  )

/** Came for a payment that has no use for it. */
const inClearing = (minor: bigint) =>
  Effect.flatMap(people, ({ acme }) => {
    const of = LedgerAccount.clearing(PaymentId.make(randomUUID()), AttemptId.make(randomUUID()), KES)
    return moved(of, "clearing", minor, acme.org_id)
  })
const exchanged = (minor: bigint) => moved(LedgerAccount.fx(KES), "transfer", minor, null)

/** Verified callback about an unknown payment. */
const unmatchedCallback = (provider: ProviderName, age: Duration.Duration) =>
  Effect.gen(function* () {
    const { storeCallback } = yield* PaymentStore
    yield* storeCallback({
      callback_id: randomUUID(),
      provider,
      event_key: randomUUID(),
      payment_id: null,
      attempt_id: null,
      org_id: null,
      report: "completed",
      effect: "unknown payment",
      received_at: new Date((yield* Clock.currentTimeMillis) - Duration.toMillis(age)),
      provider_payment_id: randomUUID(),
      account: null,
      signal: new Report({ state: "completed", reason: null, providerPaymentId: null, providerStatus: null })
    })
  })

onServer("Queue metrics", "PostgreSQL", { variables: { PROVIDER_TIMEOUT: "200 millis" } }, (it) => {
  it.effect("count what waits, and for how long", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const store = yield* QueueMetricsStore
      yield* post(
        "/v1/public/webhooks",
        { ...acme.token("org-admin") },
        { endpoint_url: "http://127.0.0.1:9/", events: ["*"] }
      )
      for (const phone of ["+254712340003", "+254712340003", "+254712345678"]) {
        yield* post("/v1/payments-init/initiate", { ...acme.key }, byPhone(phone))
      }
      yield* inClearing(1250n)
      yield* inClearing(50n)
      yield* exchanged(1000n)
      yield* exchanged(450n)
      yield* Effect.forEach(["1 minute", "1 hour", "2 hours", "40 days"] as const, (age) =>
        unmatchedCallback("stripe", Duration.decode(age))
      )
      yield* Effect.sleep("50 millis")
      const { fx, queue, suspense, unknown, unmatched } = yield* store.current
      expect(unknown).toEqual([{ provider: "fiat", count: 2, oldest: expect.any(Number) }])
      expect(unknown[0]!.oldest).toBeGreaterThan(0.2)
      expect(unmatched).toEqual([{ provider: "stripe", count: 2, oldest: expect.any(Number) }])
      expect(Math.floor(unmatched![0]!.oldest / 60)).toBe(120)
      expect(queue.count).toBeGreaterThanOrEqual(3)
      expect(queue.oldest).toBeGreaterThanOrEqual(0.05)
      expect(queue.overdue).toBeGreaterThanOrEqual(0.05)
      expect(suspense).toEqual([{ currency: "KES", amount: expect.stringMatching(/^13(\.0+)?$/) }])
      expect(fx).toEqual([{ currency: "KES", amount: expect.stringMatching(/^14\.50*$/) }])
    })
  )
})

onPaymentServer("FX metrics", "PostgreSQL", {}, (it) => {
  it.effect("stay the same when what is older than an hour is summed up", () =>
    Effect.gen(function* () {
      const store = yield* QueueMetricsStore
      const sql = Option.getOrThrow(yield* Effect.serviceOption(SqlClient.SqlClient))
      const rested = sql`update figures set taken_at = '-infinity'`
      const fx = Effect.zipRight(
        rested,
        Effect.map(store.current, (read) => read.fx)
      )
      yield* exchanged(1000n)
      const ten = [{ currency: "KES", amount: "10.00" }]
      expect(yield* fx).toEqual(ten)
      yield* sql`alter table ledger_postings disable trigger user`
      yield* sql`update ledger_postings set created_at = created_at - interval '3 hours' where account like 'fx/%'`
      yield* sql`alter table ledger_postings enable trigger user`
      expect(yield* fx).toEqual(ten)
      expect(yield* sql`select account, amount::text as amount from fx_totals`).toEqual([
        { account: "fx/KES", amount: "10.00" }
      ])
      expect(yield* fx).toEqual(ten)
      yield* exchanged(300n)
      expect(yield* fx).toEqual([{ currency: "KES", amount: "13.00" }])
    })
  )
})

onServer("Queue metrics", "PostgreSQL", {}, (it) => {
  it.effect("are read anew after their rest alone, whichever instance asks", () =>
    Effect.gen(function* () {
      const store = yield* QueueMetricsStore
      const before = yield* store.current
      yield* inClearing(100n)
      expect(yield* store.current).toEqual(before)
      expect(before.suspense).toEqual([])
    })
  )
})
