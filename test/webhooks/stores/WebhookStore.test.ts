import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import type { Webhook } from "../../../src/webhooks/Webhook.ts"
import { type NewWebhook, WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { nilId } from "../../support/AnyId.ts"
import { claimDue } from "../delivery/ClaimFixtures.ts"
import { newEvents } from "../delivery/DeliveryFixtures.ts"

const newWebhook = (org_id: OrgId, about: Partial<NewWebhook> = {}) =>
  Effect.gen(function* () {
    const store = yield* WebhookStore
    const webhook_id = yield* nextId
    const webhook = { webhook_id, org_id, endpoint_url: "https://shop.example/", events: ["*"], secret_sealed: "s1" }
    return yield* store.insert({ ...webhook, ...about })
  })

const newOwner = Effect.map(newOrganization(), ({ org_id }) => ({
  org_id,
  scope: Option.some(org_id),
  make: newWebhook(org_id)
}))

/** Secrets that the delivery of a new event gets. The endpoint has to be active. */
const sealedOf = ({ org_id, webhook_id }: Pick<Webhook, "org_id" | "webhook_id">) =>
  Effect.gen(function* () {
    yield* newEvents(org_id, 1, { test: true })
    const { deliveries } = yield* claimDue()
    const claimed = deliveries.findLast((one) => one.webhook_id === webhook_id)
    return claimed && [claimed.secret_sealed, claimed.previous_secret_sealed]
  })

onBothStores("WebhookStore", (it) => {
  it.effect("keeps a new endpoint as active, and never gives its secret back with it", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const { org_id, scope } = yield* newOwner
      const made = yield* newWebhook(org_id, { events: ["payment.*", "kyb.approved"] })
      expect(made).toEqual({
        webhook_id: made.webhook_id,
        org_id,
        endpoint_url: "https://shop.example/",
        events: ["payment.*", "kyb.approved"],
        status: "active",
        disabled_reason: null,
        created_at: expect.any(Date),
        updated_at: made.created_at
      })
      expect(yield* store.find(scope, made.webhook_id)).toEqual(Option.some(made))
      expect(yield* store.findForUpdate(scope, made.webhook_id)).toEqual(Option.some(made))
      expect(yield* store.list(scope, everything)).toEqual([made])
    })
  )

  it.effect("shows and changes only what is in scope", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const made = yield* theirs.make
      const id = made.webhook_id
      expect(yield* store.find(mine.scope, id)).toEqual(Option.none())
      expect(yield* store.findForUpdate(mine.scope, id)).toEqual(Option.none())
      expect(yield* store.update(mine.scope, id, { status: "disabled" })).toEqual(Option.none())
      expect(yield* store.replaceSecret(mine.scope, id, "s2", true)).toEqual(Option.none())
      yield* store.remove(mine.scope, id)
      expect(yield* store.list(mine.scope, everything)).toEqual([])
      expect(yield* store.find(theirs.scope, id)).toEqual(Option.some(made))
      expect(yield* sealedOf(made)).toEqual(["s1", null])
      expect(yield* store.list(Option.none(), everything)).toContainEqual(made)
    })
  )

  it.effect("lists newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const { make, scope } = yield* newOwner
      const three = Effect.replicateEffect(make, 3)
      const made = [...(yield* atOneMoment(three)), ...(yield* atOneMoment(three)), yield* make]
      yield* expectWindows(
        made,
        (window) => store.list(scope, window),
        (row) => row.webhook_id
      )
    })
  )

  it.effect("changes only what is given", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const { make, scope } = yield* newOwner
      const made = yield* make
      const update = (patch: Parameters<typeof store.update>[2]) =>
        Effect.map(store.update(scope, made.webhook_id, patch), Option.getOrThrow)
      const untouched = { ...made, updated_at: expect.any(Date) }
      expect(yield* update({})).toEqual(untouched)
      const disabled = { ...untouched, status: "disabled", disabled_reason: "gone" }
      expect(yield* update({ status: "disabled", disabled_reason: "gone" })).toEqual(disabled)
      const moved = { ...disabled, endpoint_url: "http://127.0.0.1/", events: ["kyc.*"] }
      expect(yield* update({ endpoint_url: "http://127.0.0.1/", events: ["kyc.*"] })).toEqual(moved)
      expect(yield* update({ disabled_reason: null, failing_since: null })).toEqual({ ...moved, disabled_reason: null })
      yield* update({ status: "active" })
      expect(yield* sealedOf(made)).toEqual(["s1", null])
    })
  )

  it.effect("moves the secret along, or drops it at once", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const { make, scope } = yield* newOwner
      const made = yield* make
      expect(yield* sealedOf(made)).toEqual(["s1", null])
      yield* store.replaceSecret(scope, made.webhook_id, "s2", false)
      expect(yield* sealedOf(made)).toEqual(["s2", "s1"])
      yield* store.replaceSecret(scope, made.webhook_id, "s3", false)
      expect(yield* sealedOf(made)).toEqual(["s3", "s2"])
      yield* store.replaceSecret(scope, made.webhook_id, "s4", true)
      expect(yield* sealedOf(made)).toEqual(["s4", null])
    })
  )

  it.effect("knows nothing of an id that was never made, or is gone", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const { make, scope } = yield* newOwner
      const { webhook_id } = yield* make
      yield* store.remove(scope, webhook_id)
      for (const id of [webhook_id, nilId]) {
        expect(yield* store.find(Option.none(), id)).toEqual(Option.none())
        expect(yield* store.update(Option.none(), id, { status: "active" })).toEqual(Option.none())
        yield* store.remove(Option.none(), id)
      }
    })
  )
})
