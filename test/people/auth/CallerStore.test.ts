import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { CallerStore } from "../../../src/people/auth/CallerStore.ts"
import { hashApiKey } from "../../../src/domain/ApiKeyFormat.ts"
import type { Caller, Role } from "../../../src/domain/Access.ts"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { keyText, newKey, newMember, newOrganization, newUser } from "../../support/StoreFixtures.ts"
import { nilId } from "../../support/AnyId.ts"

const callerOfKey = (api_key_id: string, mode: "test" | "live" = "test") =>
  Effect.flatMap(CallerStore, (store) => store.byApiKey(hashApiKey(keyText(api_key_id)), mode))

/** Which version the terms of an organisation have is for others to test. */
const withoutTerms = ({ organization, ...caller }: Caller) => ({
  ...caller,
  organization: Option.map(organization, ({ terms: _, ...rest }) => rest)
})

const roleOfKey = (api_key_id: string) =>
  Effect.map(callerOfKey(api_key_id), (caller) =>
    Option.map(
      Option.flatMap(caller, (one) => one.organization),
      ({ role }) => role
    )
  )

onBothStores("CallerStore", (it) => {
  it.effect("knows a key by its hash and its mode", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newOrganization({ features: ["escrow"] })
      const { user_id } = yield* newMember(org_id, "org-admin")
      const { api_key_id, name } = yield* newKey(org_id, user_id, { role: "staff" })
      expect(Option.map(yield* callerOfKey(api_key_id), withoutTerms)).toEqual(
        Option.some({
          id: user_id,
          userId: Option.some(user_id),
          apiKeyId: Option.some(api_key_id),
          name,
          admin: false,
          organization: Option.some({
            orgId: org_id,
            role: "staff",
            features: new Set(["escrow"]),
            permissions: new Set()
          })
        })
      )
      expect(yield* callerOfKey(api_key_id, "live")).toEqual(Option.none())
      expect(yield* callerOfKey("another")).toEqual(Option.none())
    })
  )

  it.effect("never lets a key do more than its maker may do now", () =>
    Effect.gen(function* () {
      const users = yield* UserStore
      const { org_id } = yield* newOrganization()
      const { user_id } = yield* newMember(org_id, "org-admin")
      const key = yield* newKey(org_id, user_id, { role: "org-admin" })
      yield* users.grant(org_id, user_id, "api_keys", "boss")
      for (const role of ["org-admin", "staff", "member"] satisfies ReadonlyArray<Role>) {
        yield* users.putMember({ org_id, user_id, role })
        expect(yield* roleOfKey(key.api_key_id)).toEqual(Option.some(role))
        const caller = Option.getOrThrow(yield* callerOfKey(key.api_key_id))
        expect(Option.getOrThrow(caller.organization).permissions).toEqual(new Set())
      }
    })
  )

  it.effect("refuses the key of someone who is not a member, unless that is the platform's admin", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newOrganization()
      const outsider = yield* newKey(org_id, (yield* newUser()).user_id)
      const operator = yield* newKey(org_id, (yield* newUser({ is_admin: true })).user_id)
      expect(yield* callerOfKey(outsider.api_key_id)).toEqual(Option.none())
      const caller = Option.getOrThrow(yield* callerOfKey(operator.api_key_id))
      expect(caller.admin, "a key never acts as the platform").toBe(false)
      expect(Option.getOrThrow(caller.organization)).toMatchObject({ orgId: org_id, role: "org-admin" })
    })
  )

  it.effect("reads a token's role, features and permissions from the membership", () =>
    Effect.gen(function* () {
      const store = yield* CallerStore
      const { org_id } = yield* newOrganization({ features: ["escrow"] })
      const { email, subject, user_id } = yield* newMember(org_id, "member", { subject: "idp|carl" })
      yield* Effect.flatMap(UserStore, (users) => users.grant(org_id, user_id, "payouts", "boss"))
      expect(withoutTerms(yield* store.byToken(subject, Option.some(org_id)))).toEqual({
        id: user_id,
        userId: Option.some(user_id),
        apiKeyId: Option.none(),
        name: email,
        admin: false,
        organization: Option.some({
          orgId: org_id,
          role: "member",
          features: new Set(["escrow"]),
          permissions: new Set(["payouts"])
        })
      })
    })
  )

  it.effect("gives a token no organisation that its user is not a member of", () =>
    Effect.gen(function* () {
      const store = yield* CallerStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const { email, subject, user_id } = yield* newMember(here.org_id, "org-admin")
      const asked = [Option.none(), Option.some(there.org_id), Option.some(nilId), Option.some("' or true --")]
      for (const org of asked) {
        expect(yield* store.byToken(subject, org)).toEqual({
          id: user_id,
          userId: Option.some(user_id),
          apiKeyId: Option.none(),
          name: email,
          admin: false,
          organization: Option.none()
        })
      }
    })
  )

  it.effect("finds the platform admin with and without an organisation; an unknown subject has none", () =>
    Effect.gen(function* () {
      const store = yield* CallerStore
      const { org_id } = yield* newOrganization()
      const { subject } = yield* newUser({ is_admin: true })
      const admin = { admin: true, organization: Option.none() }
      expect(yield* store.byToken(subject, Option.none())).toMatchObject(admin)
      expect(yield* store.byToken(subject, Option.some(org_id))).toMatchObject(admin)
      expect(yield* store.byToken("idp|nobody", Option.some(org_id))).toEqual({
        id: "idp|nobody",
        userId: Option.none(),
        apiKeyId: Option.none(),
        admin: false,
        organization: Option.none()
      })
    })
  )

  it.effect("finds which organisations exist", () =>
    Effect.gen(function* () {
      const store = yield* CallerStore
      const { org_id } = yield* newOrganization()
      expect(yield* store.organizationExists(org_id)).toBe(true)
      expect(yield* store.organizationExists(nilId)).toBe(false)
    })
  )
})
