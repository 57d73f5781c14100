import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { ApiKeyStore } from "../../../src/people/apiKeys/ApiKeyStore.ts"
import { CallerStore } from "../../../src/people/auth/CallerStore.ts"
import { hashApiKey } from "../../../src/domain/ApiKeyFormat.ts"
import { nilId } from "../../support/AnyId.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { keyText, newKey, newMember, newOrganization } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"

const newOwner = Effect.gen(function* () {
  const { org_id } = yield* newOrganization()
  const { user_id } = yield* newMember(org_id, "org-admin")
  return { org_id, user_id, scope: Option.some(org_id), make: newKey(org_id, user_id) }
})

const isAccepted = (api_key_id: string) =>
  Effect.flatMap(CallerStore, (callers) =>
    Effect.map(callers.byApiKey(hashApiKey(keyText(api_key_id)), "test"), Option.isSome)
  )

onBothStores("ApiKeyStore", (it) => {
  it.effect("keeps a new key as active, and never gives its hash back", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { org_id, scope, user_id } = yield* newOwner
      const made = yield* newKey(org_id, user_id, { name: "Café", role: "staff", prefix: "ck_test_Zz09" })
      const about = { org_id, user_id, name: "Café", role: "staff", prefix: "ck_test_Zz09" }
      expect(made).toMatchObject({ ...about, status: "active", expires_at: null })
      expect(Object.keys(made)).not.toContain("hash")
      expect(Object.keys(made)).not.toContain("mode")
      expect(yield* store.findForUpdate(scope, made.api_key_id)).toEqual(Option.some(made))
      expect(yield* store.list(scope, everything)).toEqual([made])
    })
  )

  it.effect("shows, counts and changes only what is in scope", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const key = yield* theirs.make
      yield* store.revoke(mine.scope, key.api_key_id)
      yield* store.expire(mine.scope, key.api_key_id, 60)
      expect(yield* store.findForUpdate(mine.scope, key.api_key_id)).toEqual(Option.none())
      expect(yield* store.list(mine.scope, everything)).toEqual([])
      expect(yield* store.count(mine.scope)).toBe(0)
      expect(yield* store.findForUpdate(Option.none(), key.api_key_id)).toEqual(Option.some(key))
      expect(yield* store.count(theirs.scope)).toBe(1)
      expect(yield* store.list(Option.none(), everything)).toContainEqual(key)
      expect(yield* store.count(Option.none())).toBe((yield* store.list(Option.none(), everything)).length)
    })
  )

  it.effect("knows nothing of an id that was never made", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      expect(yield* store.findForUpdate(Option.none(), nilId)).toEqual(Option.none())
      yield* store.revoke(Option.none(), nilId)
      yield* store.expire(Option.none(), nilId, 60)
    })
  )

  it.effect("lists newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { make, scope } = yield* newOwner
      const three = Effect.replicateEffect(make, 3)
      const made = [...(yield* atOneMoment(three)), ...(yield* atOneMoment(three)), yield* make]
      yield* expectWindows(
        made,
        (window) => store.list(scope, window),
        (row) => row.api_key_id
      )
    })
  )

  it.effect("revokes for good", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { make, scope } = yield* newOwner
      const { api_key_id } = yield* make
      expect(yield* isAccepted(api_key_id)).toBe(true)
      yield* store.revoke(scope, api_key_id)
      const revoked = Option.getOrThrow(yield* store.findForUpdate(scope, api_key_id))
      expect(revoked).toMatchObject({ status: "revoked", expires_at: null })
      expect(yield* isAccepted(api_key_id)).toBe(false)
      yield* store.expire(scope, api_key_id, 60)
      yield* store.revoke(scope, api_key_id)
      expect(yield* store.findForUpdate(scope, api_key_id)).toEqual(Option.some(revoked))
    })
  )

  it.effect("accepts an expiring key until its time, and shows it as revoked afterwards", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { make, scope } = yield* newOwner
      const [within, past] = [yield* make, yield* make]
      yield* store.expire(scope, within.api_key_id, 600)
      yield* store.expire(scope, past.api_key_id, -1)
      const expiring = Option.getOrThrow(yield* store.findForUpdate(scope, within.api_key_id))
      expect(expiring.status).toBe("expiring")
      const grace = (expiring.expires_at?.getTime() ?? 0) - expiring.updated_at.getTime()
      expect(Math.abs(grace - 600_000)).toBeLessThanOrEqual(1)
      expect(yield* isAccepted(within.api_key_id)).toBe(true)
      const over = { status: "revoked", expires_at: null }
      expect(Option.getOrThrow(yield* store.findForUpdate(scope, past.api_key_id))).toMatchObject(over)
      const listed = yield* store.list(scope, everything)
      expect(listed.find((row) => row.api_key_id === past.api_key_id)).toMatchObject(over)
      expect(yield* isAccepted(past.api_key_id)).toBe(false)
    })
  )

  it.effect("does not bring a key back whose grace time is over", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { make, scope } = yield* newOwner
      const { api_key_id } = yield* make
      yield* store.expire(scope, api_key_id, -1)
      yield* store.expire(scope, api_key_id, 600)
      expect(yield* isAccepted(api_key_id)).toBe(false)
    })
  )
})
