/** Limits what a manager of members may grant, and whom they may change: never above their own role. */
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
