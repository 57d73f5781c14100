import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type NewVerificationRequest, VerificationStore } from "../../../src/people/verification/VerificationStore.ts"
import { newOwner, newPayment } from "../../payments/support/NewPayment.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

const newCase = Effect.gen(function* () {
  const owner = yield* newOwner
  const { payment } = yield* newPayment(owner)
  return { org_id: owner.org_id, requested_by: owner.user_id, transaction_id: payment.transaction_id }
})

const insert = (
  about: Effect.Effect.Success<typeof newCase>,
  more: Partial<Pick<NewVerificationRequest, "status" | "target">> = {}
) =>
  Effect.gen(function* () {
    const store = yield* VerificationStore
    const request: NewVerificationRequest = {
      ...about,
      request_id: yield* nextId,
      target: "sender",
      user_id: "someone",
      verification_type: "nin",
      triggered_by: "a test",
      priority: "low",
      status: "pending",
      ...more
    }
    return { request, stored: yield* store.insert(request) }
  })

onBothStores("VerificationStore", (it) => {
  it.effect("gives a request back as it was written, within the scope", () =>
    Effect.gen(function* () {
      const store = yield* VerificationStore
      const [here, there] = yield* Effect.all([newCase, newCase])
      const { request, stored } = yield* insert(here)
      expect(stored).toEqual({ ...request, created_at: expect.any(Date), updated_at: stored.created_at })
      expect(yield* store.find(Option.some(here.org_id), request.request_id)).toEqual(Option.some(stored))
      expect(yield* store.find(Option.none(), request.request_id)).toEqual(Option.some(stored))
      expect(yield* store.find(Option.some(there.org_id), request.request_id)).toEqual(Option.none())
    })
  )

  it.effect("ends a pending request once, within the scope", () =>
    Effect.gen(function* () {
      const store = yield* VerificationStore
      const [here, there] = yield* Effect.all([newCase, newCase])
      const { request } = yield* insert(here)
      const scope = Option.some(here.org_id)
      expect(yield* store.close(Option.some(there.org_id), request.request_id, "approved")).toEqual(Option.none())
      const ended = Option.getOrThrow(yield* store.close(scope, request.request_id, "rejected"))
      expect(ended).toMatchObject({ ...request, status: "rejected" })
      expect(yield* store.find(scope, request.request_id)).toEqual(Option.some(ended))
      expect(yield* store.close(scope, request.request_id, "approved")).toEqual(Option.none())
      const failed = yield* insert(here, { status: "failed" })
      expect(yield* store.close(scope, failed.request.request_id, "approved")).toEqual(Option.none())
    })
  )

  it.effect("lists newest first, page by page, by status and transaction", () =>
    Effect.gen(function* () {
      const store = yield* VerificationStore
      const about = yield* newCase
      const scope = Option.some(about.org_id)
      const other = yield* Effect.map(newPayment({ org_id: about.org_id, user_id: about.requested_by }), (made) => ({
        ...about,
        transaction_id: made.payment.transaction_id
      }))
      yield* atOneMoment(Effect.replicateEffect(insert(about), 3))
      yield* atOneMoment(Effect.replicateEffect(insert(other), 2))
      yield* insert(about, { status: "failed" })
      const list = (window: typeof everything) => store.list(scope, {}, window)
      const kept = yield* list(everything)
      expect(kept).toHaveLength(6)
      yield* expectWindows(kept, list, (row) => row.request_id)
      expect(yield* store.list(scope, { status: "pending" }, everything)).toHaveLength(5)
      expect(yield* store.list(scope, { transaction_id: other.transaction_id }, everything)).toHaveLength(2)
    })
  )
})
