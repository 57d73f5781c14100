import { expect, it } from "@effect/vitest"
import { Effect, Either, FiberRef } from "effect"
import { Ids, nilUuid } from "../../../src/domain/Ids.ts"
import { Absent, Report, Unknown } from "../../../src/domain/Outcome.ts"
import { NotIssued } from "../../../src/providers/port/AccountIssuer.ts"
import { Proof, VerifiedReport } from "../../../src/providers/port/Callback.ts"
import { wireReference, wrapProvider } from "../../../src/providers/port/ProviderWrappers.ts"
import { caller, type Caller } from "../../../src/providers/client/ConcurrencyLimit.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { attemptAt, calledBack, newOrder } from "../sandbox/SimulatorOrders.ts"

it.effect("every call says for what and for whom it is made", () =>
  Effect.gen(function* () {
    const seen: Array<Caller> = []
    const noted = <A>(answer: A) => Effect.map(FiberRef.get(caller), (who) => (seen.push(who), answer))
    const provider: Required<Provider> = {
      name: "stripe",
      honoursReference: true,
      refundsHonourReference: true,
      provesAbsence: true,
      takesCardNumbers: true,
      needsPayerEmail: true,
      givesUpId: () => false,
      since: new Date(),
      supports: () => Either.void,
      digits: () => undefined,
      initiate: () => noted(new Unknown({ reason: "" })),
      enquire: () => noted(new Absent()),
      callback: () => noted({ events: [] }),
      otp: { submit: () => noted("accepted"), resend: () => noted(true) },
      cancel: () => noted("canceled"),
      refund: () => noted(new Unknown({ reason: "" })),
      resume: () => noted(new Absent()),
      register: () => Effect.succeed(Either.left("")),
      accounts: {
        currencies: [],
        issue: () => noted(new NotIssued({ reason: "" })),
        incoming: () => noted([])
      },
      test: noted(Either.right({}))
    }
    const fair = wrapProvider(provider)
    const order = yield* newOrder()
    const attempt = attemptAt(order.reference)
    const refund = { attempt, reference: order.reference, collectionId: null, money: order.money, reason: null }
    yield* fair.initiate(order)
    yield* fair.otp!.submit(attempt, "123456")
    yield* fair.otp!.resend(attempt)
    yield* fair.cancel!(attempt)
    yield* fair.refund!(refund)
    expect(seen.splice(0)).toEqual([
      { purpose: "order", orgId: order.orgId },
      ...Array.from({ length: 4 }, () => ({ purpose: "order", orgId: attempt.orgId }))
    ])
    yield* fair.enquire(attempt)
    yield* fair.resume!(attempt, {})
    yield* fair.callback(calledBack("stripe", { headers: {}, body: Buffer.from("{}") }))
    yield* fair.accounts!.issue({
      ...{ reference: "", currency: order.money.currency, country: "" },
      holder: { name: "", email: "", phone: null }
    })
    yield* fair.accounts!.incoming!(new Date())
    yield* fair.test!
    expect(seen).toEqual([
      { purpose: "question", orgId: attempt.orgId },
      { purpose: "question", orgId: attempt.orgId },
      { purpose: "proof", orgId: null },
      { purpose: "order", orgId: null },
      { purpose: "question", orgId: null },
      { purpose: "question", orgId: null }
    ])
  }).pipe(Effect.provide(Ids.layer))
)

it.effect("a refund of ours that a report lists has its own id, and one by hand has none", () =>
  Effect.gen(function* () {
    const order = yield* newOrder()
    const attempt = attemptAt(order.reference)
    const amount = order.money
    const listed = (refund: string) => ({ kind: "refund", id: "re_1", amount, state: "settled", refund }) as const
    const report = new Report({
      ...{ state: "completed", reason: null, providerPaymentId: "pi_1", providerStatus: null },
      movements: [
        { kind: "collection", id: "ch_1", amount, state: "settled" },
        listed(wireReference(order.reference)),
        listed("by hand")
      ]
    })
    const proof = yield* Proof.lookedUp({ status: 200 })
    const event = new VerifiedReport({
      key: "k",
      attempt: { reference: null, providerPaymentId: "pi_1" },
      report,
      proof
    })
    const provider = {
      name: "stripe",
      enquire: () => Effect.succeed(report),
      resume: () => Effect.succeed(report),
      callback: () => Effect.succeed({ events: [event] })
    } as unknown as Required<Provider>
    const wrapped = wrapProvider(provider)
    const { events } = yield* wrapped.callback(calledBack("stripe", { headers: {}, body: Buffer.from("{}") }))
    const reported = [
      yield* wrapped.enquire(attempt),
      yield* wrapped.resume!(attempt, {}),
      (events[0] as VerifiedReport).report
    ]
    for (const one of reported) {
      const { movements = [] } = one as Report
      expect(movements.map(({ refund }) => refund)).toEqual([undefined, order.reference, nilUuid])
    }
  }).pipe(Effect.provide(Ids.layer))
)
