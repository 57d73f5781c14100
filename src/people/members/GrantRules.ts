/** What someone who changes members may hand out, and whom they may change: never more, or others, than their own. */
import { Either } from "effect"
import { holds, type Permission, type Permit, type Role, roleAtLeast } from "../../domain/Access.ts"
import { Forbidden } from "../../domain/Failure.ts"
import type { OrgMember } from "./MemberStore.ts"

export interface Grantor {
  readonly role: Role | "admin"
  readonly permissions: ReadonlyArray<Permission>
}

const refuse = (message: string) => Either.left(new Forbidden({ message }))

/**
 * `own` is the caller's membership as it is now: a person who was demoted or removed since their request came in does
 * not act on what they were. What is granted to a person stays with the person, so a key brings its role alone.
 */
export const grantorOf = (
  { actor, role }: Permit<"members">,
  own: OrgMember | undefined
): Either.Either<Grantor, Forbidden> => {
  if (role === "admin" || actor.kind === "api_key") return Either.right({ role, permissions: [] })
  if (own === undefined) return refuse("This user is not a member of the organisation any more.")
  const { permissions, role: now } = own
  return holds(now, permissions, "members")
    ? Either.right({ role: now, permissions })
    : refuse('This needs the role org-admin or the permission "members".')
}

/** Handing out a role, and touching whoever has it, both take that role. */
export const mayHandleRole = (authority: Grantor, role: Role, what: string): Either.Either<void, Forbidden> =>
  authority.role === "admin" || roleAtLeast(authority.role, role)
    ? Either.void
    : refuse(`${what}: the role ${role} is above your own, ${authority.role}.`)

export const mayGrant = (authority: Grantor, wanted: ReadonlyArray<Permission>): Either.Either<void, Forbidden> => {
  const beyond = wanted.filter((permission) => !holds(authority.role, authority.permissions, permission))
  return beyond.length === 0
    ? Either.void
    : refuse(`permission: you cannot grant what you do not hold yourself: ${beyond.join(", ")}.`)
}
