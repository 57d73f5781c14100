/** Manages members, their roles and permissions. Each change is audited in the same transaction. */
import { Context, Effect, Either, Layer, Option } from "effect"
import type { OrgId, UserId } from "../../domain/Ids.ts"
import { ApiKeys } from "../apiKeys/ApiKeys.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orDefect, orNotFound } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import {
  holds,
  organizationOf,
  type Permission,
  type Permit,
  type Role,
  roleAtLeast,
  roles
} from "../../domain/Access.ts"
import { Conflict, Forbidden, Invalid } from "../../domain/Failure.ts"
import type { Window } from "../../platform/database/Query.ts"
import { Users } from "../users/Users.ts"
import { InvitationStore, MemberStore, type OrgMember } from "./MemberStore.ts"
import type { MembersApi } from "../../contract/api/MembersApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages } from "../../platform/pagination/Pagination.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Manager of members: grants roles to others and changes them, never above their own role. */
interface Grantor {
  readonly role: Role | "admin"
  readonly permissions: ReadonlyArray<Permission>
}

const refuse = (message: string) => Either.left(new Forbidden({ message }))

/**
 * Uses the caller's current membership (`own`), so that a demotion or removal takes effect at once. A key has its role
 * only: permissions granted to a person do not extend to keys.
 */
export const grantorOf = (
  { actor, role }: Permit<"members">,
  own: OrgMember | undefined
): Either.Either<Grantor, Forbidden> => {
  if (role === "admin" || actor.kind === "api_key") return Either.right({ role, permissions: [] })
  if (own === undefined) return refuse("This user is no longer a member of the organisation.")
  const { permissions, role: now } = own
  return holds(now, permissions, "members")
    ? Either.right({ role: now, permissions })
    : refuse('This needs the role org-admin or the permission "members".')
}

/** Granting a role, and changing a member who has it, both require that role. */
export const mayHandleRole = (authority: Grantor, role: Role, what: string): Either.Either<void, Forbidden> =>
  authority.role === "admin" || roleAtLeast(authority.role, role)
    ? Either.void
    : refuse(`${what}: the role ${role} is above your own, ${authority.role}.`)

export const mayGrant = (authority: Grantor, wanted: ReadonlyArray<Permission>): Either.Either<void, Forbidden> => {
  const beyond = wanted.filter((permission) => !holds(authority.role, authority.permissions, permission))
  return beyond.length === 0
    ? Either.void
    : refuse(`permission: you cannot grant permissions that you do not have: ${beyond.join(", ")}.`)
}

type Manager = Permit<"members">

/** The locked member, and the caller's rights, as of the change. */
interface MemberChange {
  readonly org: OrgId
  readonly member: OrgMember
  readonly grantor: Grantor
}

const make = Effect.gen(function* () {
  const store = yield* MemberStore
  const invitations = yield* InvitationStore
  const users = yield* Users
  const keys = yield* ApiKeys
  const audit = yield* AuditLog
  const { atomically } = yield* Transactor

  const find = (org: OrgId, userId: UserId) => orNotFound("member")(store.find(org, userId))

  /** Locks the member and checks that the caller is not below them. */
  const lockForChange = Effect.fnUntraced(function* (permit: Manager, userId: UserId) {
    const org = yield* organizationOf(permit)
    yield* store.lock(org, userId)
    const { userId: actor } = permit.actor
    const own = Option.isNone(actor) ? Option.none() : yield* store.find(org, actor.value)
    const grantor = yield* grantorOf(permit, Option.getOrUndefined(own))
    const member = yield* find(org, userId)
    yield* mayHandleRole(grantor, member.role, "user_id")
    return { org, member, grantor } satisfies MemberChange
  })

  const requireOtherOrgAdmin = Effect.fnUntraced(function* ({ member, org }: MemberChange, what: string) {
    if (member.role === "org-admin" && (yield* store.countOrgAdmins(org)) <= 1) {
      return yield* new Conflict({
        message: `The last org-admin of an organisation cannot be ${what}. Make another member org-admin first.`
      })
    }
  })

  const record = (
    permit: Manager | Permit<"platform">,
    action: string,
    { org_id, user_id }: OrgMember,
    detail: Readonly<Record<string, unknown>>
  ) => audit.record(permit, { action, org: org_id, subject: ["user", user_id], detail })

  /** Withdraws a member's open invitations to roles that they may no longer grant. */
  const withdrawInvitations = (permit: Manager, { org_id, user_id }: OrgMember, above: ReadonlyArray<Role>) =>
    Effect.flatMap(
      invitations.withdrawAllBy(org_id, user_id, above),
      Effect.forEach(
        (id) => audit.record(permit, { action: "invitation.withdrawn", org: org_id, subject: ["invitation", id] }),
        { discard: true }
      )
    )

  const setPermissions = Effect.fnUntraced(function* (
    permit: Manager,
    userId: UserId,
    next: (now: ReadonlyArray<Permission>) => ReadonlyArray<Permission>
  ) {
    const { grantor, member, org } = yield* lockForChange(permit, userId)
    const wanted = Array.from(new Set(next(member.permissions))).sort()
    const granted = wanted.filter((permission) => !member.permissions.includes(permission))
    const revoked = member.permissions.filter((permission) => !wanted.includes(permission))
    yield* mayGrant(grantor, granted)
    if (granted.length === 0 && revoked.length === 0) return member
    yield* store.setPermissions(org, userId, wanted, permit.actor.id)
    yield* record(permit, "member.permissions_changed", member, { granted, revoked })
    return yield* find(org, userId)
  })

  return {
    /** Permissions of the caller beyond their role; none for an API key. */
    grantedTo: traced("Members.grantedTo")(function* ({ actor, scope }: Permit<"any">) {
      if (actor.kind !== "user" || Option.isNone(actor.userId) || Option.isNone(scope)) return []
      const own = yield* store.find(scope.value, actor.userId.value)
      return Option.match(own, { onNone: () => [], onSome: ({ permissions }) => permissions })
    }),
    list: (permit: Permit<"member_list">, window: Window) =>
      Option.match(permit.scope, { onNone: () => Effect.succeed([]), onSome: (org) => store.list(org, window) }),
    /** Adds an existing user without an invitation, for operators. */
    add: traced("Members.add")(function* (permit: Permit<"platform">, userId: UserId, role: Role) {
      const org = yield* organizationOf(permit)
      return yield* atomically(
        Effect.gen(function* () {
          if (Option.isNone(yield* users.find(userId))) {
            return yield* new Invalid({ message: "user_id: user not found." })
          }
          if (!(yield* store.add(org, userId, role))) {
            return yield* new Conflict({ message: "This user is already a member of the organisation." })
          }
          const member = yield* orDefect(find(org, userId))
          yield* record(permit, "member.added", member, { role })
          return member
        })
      )
    }),
    changeRole: traced("Members.changeRole")(function* (permit: Manager, userId: UserId, role: Role) {
      const change = yield* lockForChange(permit, userId)
      const { grantor, member, org } = change
      yield* mayHandleRole(grantor, role, "role")
      if (member.role === role) return member
      if (!roleAtLeast(role, member.role)) yield* requireOtherOrgAdmin(change, "demoted")
      yield* store.setRole(org, userId, role)
      const above = roles.filter((one) => !roleAtLeast(role, one))
      yield* withdrawInvitations(permit, member, above)
      yield* record(permit, "member.role_changed", member, { old: member.role, new: role })
      return yield* find(org, userId)
    }, atomically),
    remove: traced("Members.remove")(function* (permit: Manager, userId: UserId) {
      const change = yield* lockForChange(permit, userId)
      const { member, org } = change
      yield* requireOtherOrgAdmin(change, "removed")
      yield* store.remove(org, userId)
      yield* keys.revokeAllOf(permit, org, userId)
      yield* withdrawInvitations(permit, member, roles)
      yield* record(permit, "member.removed", member, { role: member.role })
    }, atomically),
    grant: traced("Members.grant")((permit: Manager, userId: UserId, permission: Permission) =>
      atomically(setPermissions(permit, userId, (now) => [...now, permission]))
    ),
    revoke: traced("Members.revoke")((permit: Manager, userId: UserId, permission: Permission) =>
      atomically(setPermissions(permit, userId, (now) => now.filter((one) => one !== permission)))
    ),
    replacePermissions: traced("Members.replacePermissions")(
      (permit: Manager, userId: UserId, permissions: ReadonlyArray<Permission>) =>
        atomically(setPermissions(permit, userId, () => permissions))
    ),
    /** True if the member has the permission, by role or grant. */
    check: traced("Members.check")(function* (permit: Manager, userId: UserId, permission: Permission) {
      const member = yield* find(yield* organizationOf(permit), userId)
      const user = Option.getOrThrow(yield* users.find(userId))
      return holds(user.is_admin ? "admin" : member.role, member.permissions, permission)
    })
  }
})

export class Members extends Context.Tag("corridor/Members")<Members, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Members, make)
}

export const membersHandlers = Effect.map(
  Effect.all([Members, makeCamelPages]),
  ([members, pages]): Handlers<typeof MembersApi> => ({
    list: (request) =>
      pages(request, {
        message: "Members",
        fetch: (window) => members.list(request.permit, window),
        idOf: (member) => member.user_id
      }),
    change: ({ path, payload, permit }) =>
      answer("Member changed", members.changeRole(permit, path.user_id, payload.role)),
    remove: ({ path, permit }) => members.remove(permit, path.user_id),
    grant: ({ path, payload, permit }) =>
      answer("Permission granted", members.grant(permit, path.user_id, payload.permission)),
    replace: ({ path, payload, permit }) =>
      answer("Permissions replaced", members.replacePermissions(permit, path.user_id, payload.permissions)),
    revoke: ({ path, permit }) => Effect.asVoid(members.revoke(permit, path.user_id, path.permission)),
    check: ({ path, permit, urlParams }) =>
      answer("Permission checked", members.check(permit, path.user_id, urlParams.permission), (allowed) => ({
        allowed
      }))
  })
)
