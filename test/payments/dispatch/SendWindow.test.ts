/** An instance that is held up between the commit of an attempt and its sending: it sends nothing, however late it wakes. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, type Duration, Effect, Exit, Layer, Option, Schema } from "effect"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { Actions } from "../../../src/payments/actions/Actions.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { Initiation, type Payin } from "../../../src/payments/initiate/Initiation.ts"
import { PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import { everything } from "../../support/ListPages.ts"
import { actable } from "../support/ActionCalls.ts"
import { newOwner } from "../support/NewPayment.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import { ownersPermit, servicesIn, type World, worldOn } from "../support/RestartableServices.ts"

const decode = Schema.decodeUnknownSync(InitiatePayment)
const request = decode({ ...byCard(), country: "FR" }) as Payin

const held = (world: World, by: Duration.DurationInput, meanwhile: Effect.Effect<void>) => {
  const pause = Effect.zipRight(timePasses(world.clock, by), meanwhile).pipe(Effect.provide(world.stores))
  const slow = <A, E>(effect: Effect.Effect<A, E>) => Effect.zipLeft(effect, pause)
  return {
    ...stopAtStep(-1, "the step fails"),
    store: (store: Store): Store => ({
      ...store,
      create: (opening) => slow(store.create(opening)),
      apply: (change) => (change.nextAttempt?.leg === "refund" ? slow(store.apply(change)) : store.apply(change))
    })
  }
}

describe("an instance that is held up before it sends", () => {
  const set = Effect.gen(function* () {
    const world = yield* worldOn("PostgreSQL")
    yield* serveCountry("FR", ["stripe"]).pipe(Effect.provide(Layer.merge(world.stores, Ids.layer)))
    const owner = yield* newOwner.pipe(Effect.provide(Layer.merge(world.stores, Ids.layer)))
    const stripe = actable("stripe")
    stripe.otherwise(accepts({ state: "completed" }))
    stripe.will({ refund: accepts({ state: "completed" }) })
    const here = servicesIn(world, stopAtStep(-1, "the step fails"), [stripe])
    const others = Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(
      Effect.provide(here),
      Effect.asVoid,
      Effect.orDie
    )
    const slow = (by: Duration.DurationInput) => servicesIn(world, held(world, by, others), [stripe])
    const permit = yield* ownersPermit(owner)
    return { world, owner, stripe, here, slow, permit }
  })

  it.live("sends a payin in time, and none when others may have given it up", () =>
    Effect.gen(function* () {
      const { owner, permit, slow, stripe, world } = yield* set
      const pay = Effect.flatMap(Initiation, ({ payin }) => payin(permit, request))
      const inTime = yield* pay.pipe(Effect.provide(slow("15 seconds")))
      expect([inTime.status, stripe.orders.length]).toEqual(["completed", 1])
      const late = yield* Effect.exit(pay.pipe(Effect.provide(slow("75 seconds"))))
      expect(stripe.orders, "nothing was sent").toHaveLength(1)
      const reported = Exit.isFailure(late) ? Option.getOrThrow(Cause.failureOption(late.cause)) : undefined
      expect(reported).toMatchObject({ _tag: "AllProvidersFailed", message: expect.stringContaining("too late") })
      expect(reported?.message, "nobody refused it").not.toContain("declined")
      const store = yield* Effect.provide(PaymentStore, world.stores)
      const statuses = (yield* store.list(Option.some(owner.org_id), {}, everything)).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual(["completed", "failed"])
      const ledger = yield* Effect.provide(LedgerStore, world.stores)
      expect((yield* ledger.check).problems).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("says that nothing was sent, and not that a provider refused it", () =>
    Effect.gen(function* () {
      const { owner, permit, stripe, world } = yield* set
      const alone = servicesIn(world, held(world, "25 seconds", Effect.void), [stripe])
      const pay = Effect.flatMap(Initiation, ({ payin }) => payin(permit, request))
      const reported = yield* Effect.flip(pay.pipe(Effect.provide(alone)))
      expect(stripe.orders).toEqual([])
      const store = yield* Effect.provide(PaymentStore, world.stores)
      const [payment] = yield* store.list(Option.some(owner.org_id), {}, everything)
      expect(reported).toMatchObject({ _tag: "AllProvidersFailed", paymentId: payment?.payment_id })
      expect(reported.message).toMatch(/too late to send it to stripe.*Nothing was moved.*again/)
      expect(payment).toMatchObject({ status: "failed", failure: { code: "NOT_SENT", provider: "stripe" } })
      const { statusChanges: history } = yield* store.history(payment!)
      expect(history.at(-1)?.cause, "in its story neither").toBe(
        "not sent to stripe: it was too late to send it to stripe, so nothing was sent"
      )
    }).pipe(Effect.scoped)
  )

  it.live("sends no refund that others may have given up", () =>
    Effect.gen(function* () {
      const { here, owner, permit, slow, stripe, world } = yield* set
      const { payment_id } = yield* Effect.flatMap(Initiation, ({ payin }) => payin(permit, request)).pipe(
        Effect.provide(here)
      )
      const refunder = operatorPermit("refunds", owner.user_id)
      const refund = Effect.flatMap(Actions, (actions) =>
        actions.refund(refunder, payment_id, { amount: undefined, reason: undefined })
      )
      const late = yield* Effect.exit(refund.pipe(Effect.provide(slow("75 seconds"))))
      const reported = Exit.isFailure(late) ? Cause.pretty(late.cause) : ""
      expect(reported).toContain("too late")
      expect(reported).not.toContain("declined")
      expect(stripe.refunds).toEqual([])
      const store = yield* Effect.provide(PaymentStore, world.stores)
      const payment = Option.getOrThrow(yield* store.find(Option.none(), payment_id))
      expect(payment).toMatchObject({ status: "completed", refunds: [{ state: "failed" }] })
      expect((yield* refund.pipe(Effect.provide(here))).status, "it can be asked for again").toBe("refunded")
      expect(stripe.refunds).toHaveLength(1)
    }).pipe(Effect.scoped)
  )
})
