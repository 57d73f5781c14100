/** Grants never exceed the granter's rights: rules that must hold for every mix of roles and grants. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import * as fc from "fast-check"
import { KeyId, nilUuid } from "../../../src/domain/Ids.ts"
import {
  accessTable,
  authorize,
  type Access,
  type Caller,
  holds,
  type Permission,
  permissions,
  type Permit,
  roleAtLeast,
  roles
} from "../../../src/domain/Access.ts"
import { grantorOf, mayGrant, mayHandleRole } from "../../../src/people/members/Members.ts"
import type { OrgMember } from "../../../src/people/members/MemberStore.ts"
import { idFrom } from "../../support/AnyId.ts"

const ORG = idFrom("0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f")
const USER = idFrom("0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c")

const role = fc.constantFrom(...roles)
const granted = fc.uniqueArray(fc.constantFrom(...permissions))
const somebody = fc.record({ role, granted, byKey: fc.boolean() })
type Somebody = typeof somebody extends fc.Arbitrary<infer A> ? A : never

const callerOf = ({ byKey, granted: held, role: own }: Somebody): Caller => ({
  id: USER,
  userId: Option.some(USER),
  apiKeyId: byKey ? Option.some(KeyId.make("key")) : Option.none(),
  admin: false,
  organization: Option.some({
    orgId: ORG,
    role: own,
    features: new Set(["escrow"]),
    permissions: new Set(byKey ? [] : held)
  })
})

const memberOf = ({ granted: held, role: own }: Somebody): OrgMember => ({
  ...{ org_id: ORG, user_id: USER, email: "a@b.example", role: own, permissions: held },
  created_at: new Date(0),
  updated_at: new Date(0)
})

const permitOf = <A extends Access>(who: Somebody, access: A) => authorize(callerOf(who), access, Option.none())

const authorityFor = (who: Somebody) =>
  Either.flatMap(permitOf(who, "members"), (permit) => grantorOf(permit, memberOf(who)))

const rows = Object.entries(accessTable) as ReadonlyArray<
  readonly [Access, { readonly role: string; readonly permission?: Permission; readonly alsoBy?: Permission }]
>

const accessesWith = (permission: Permission) =>
  Object.values(accessTable).filter((needed) => "permission" in needed && needed.permission === permission)

describe("Permissions", () => {
  it("are held by exactly the roles that need no grant for their operations", () => {
    for (const permission of permissions) {
      const needed = accessesWith(permission).map((access) => access.role)
      const enough = roles.filter((one) => needed.every((least) => roleAtLeast(one, least as (typeof roles)[number])))
      if (needed.length === 0) continue
      expect(
        roles.filter((one) => holds(one, [], permission)),
        permission
      ).toEqual(enough)
    }
  })

  it("open their operations exactly to holders by role or by grant", () =>
    fc.assert(
      fc.property(somebody, fc.constantFrom(...permissions), (who, permission) => {
        fc.pre(accessesWith(permission).length > 0)
        const given = who.byKey ? [] : who.granted
        const needed = rows.filter(([, one]) => one.permission === permission)
        const also = needed.every(([, { alsoBy }]) => alsoBy !== undefined && given.includes(alsoBy))
        const open = needed.every(([access]) => Either.isRight(permitOf(who, access)))
        expect(open).toBe(holds(who.role, given, permission) || also)
      })
    ))

  it("open what only a grant opens to no role", () =>
    fc.assert(
      fc.property(somebody, (who) => {
        const given = who.byKey ? [] : who.granted
        expect(Either.isRight(permitOf(who, "trends"))).toBe(given.includes("reports"))
      })
    ))

  it("only grow with a grant or a higher role", () =>
    fc.assert(
      fc.property(role, role, granted, granted, fc.constantFrom(...permissions), (a, b, few, more, permission) => {
        const [low, high] = roleAtLeast(a, b) ? [b, a] : [a, b]
        if (holds(low, few, permission)) expect(holds(high, [...few, ...more], permission)).toBe(true)
      })
    ))
})

describe("A caller who changes members", () => {
  it("can grant what they hold, and nothing else", () =>
    fc.assert(
      fc.property(somebody, granted, (who, wanted) => {
        const authority = authorityFor(who)
        fc.pre(Either.isRight(authority))
        const own = who.byKey ? [] : who.granted
        const allowed = Either.isRight(mayGrant(Either.getOrThrow(authority), wanted))
        expect(allowed).toBe(wanted.every((permission) => holds(who.role, own, permission)))
      })
    ))

  it("can hand out, and touch, no role above their own", () =>
    fc.assert(
      fc.property(somebody, role, (who, wanted) => {
        const authority = authorityFor(who)
        fc.pre(Either.isRight(authority))
        const allowed = Either.isRight(mayHandleRole(Either.getOrThrow(authority), wanted, "role"))
        expect(allowed).toBe(roleAtLeast(who.role, wanted))
      })
    ))

  it("never exceeds the granted permissions, along any chain of grants", () =>
    fc.assert(
      fc.property(
        fc.array(somebody, { minLength: 2, maxLength: 5 }),
        fc.array(fc.record({ by: fc.nat(4), to: fc.nat(4), permission: fc.constantFrom(...permissions) })),
        (people, grants) => {
          const all = people.map((one) => ({ ...one, byKey: false }))
          const reach = new Set(permissions.filter((one) => all.some((who) => holds(who.role, who.granted, one))))
          for (const { by, permission, to } of grants) {
            const [giver, taker] = [all[by % all.length]!, all[to % all.length]!]
            const authority = authorityFor(giver)
            const may = Either.flatMap(authority, (held) => mayGrant(held, [permission]))
            if (Either.isRight(may)) all[to % all.length] = { ...taker, granted: [...taker.granted, permission] }
          }
          for (const who of all) {
            for (const one of permissions) if (holds(who.role, who.granted, one)) expect(reach.has(one)).toBe(true)
          }
        }
      )
    ))

  it("acts on what they are now, not on what they were when their request came in", () => {
    const was: Somebody = { role: "org-admin", granted: [], byKey: false }
    const permit: Permit<"members"> = Either.getOrThrow(permitOf(was, "members"))
    expect(Either.isLeft(grantorOf(permit, undefined)), "removed").toBe(true)
    expect(Either.isLeft(grantorOf(permit, memberOf({ ...was, role: "staff" }))), "demoted").toBe(true)
    const kept = grantorOf(permit, memberOf({ ...was, role: "staff", granted: ["members"] }))
    expect(Either.getOrThrow(kept)).toEqual({ role: "staff", permissions: ["members"] })
  })
})

describe("A person who need not be a member", () => {
  const identity = { subject: "idp|x", email: Option.none() }

  it("needs a token, and gets a permit to no organisation, whatever they are elsewhere", () => {
    for (const admin of [false, true]) {
      const caller: Caller = { ...callerOf({ role: "org-admin", granted: [], byKey: false }), admin, identity }
      const permit = Either.getOrThrow(authorize(caller, "person", Option.some(ORG)))
      expect(permit.scope).toEqual(Option.some(nilUuid))
      expect([permit.role, permit.actor.userId]).toEqual(["member", Option.none()])
    }
    expect(Either.isLeft(permitOf({ role: "org-admin", granted: [], byKey: true }, "person"))).toBe(true)
  })

  it("may nothing else", () => {
    const stranger: Caller = {
      ...{ id: "idp|x", userId: Option.none(), apiKeyId: Option.none(), admin: false, organization: Option.none() },
      identity
    }
    const open = (Object.keys(accessTable) as ReadonlyArray<Access>).filter((access) =>
      Either.isRight(authorize(stranger, access, Option.none()))
    )
    expect(open).toEqual(["person"])
  })
})
