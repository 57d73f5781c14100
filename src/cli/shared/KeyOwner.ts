/** Whose key it will be: a member, whose own role is the most that the key can do. */
import { Effect, Option } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import { type Role, roleAtLeast } from "../../domain/Access.ts"
import { Users } from "../../people/users/Users.ts"
import { found, refuse } from "./Input.ts"
import { userNamed } from "./LookUp.ts"

export const keyOwner = Effect.fn("Cli.keyOwner")(function* (orgId: OrgId, role: Role, named: Option.Option<string>) {
  const users = yield* Users
  if (Option.isNone(named)) {
    return yield* found(
      yield* users.oldestOrgAdmin(orgId),
      "--user: this organisation has no org-admin to make the key for; name a member, or create one with " +
        `"corridor users create --email ADDRESS --org ${orgId} --role org-admin".`
    )
  }
  const user = yield* userNamed(named.value)
  if (user.is_admin) return user.user_id
  const own = (yield* users.placesOf(user.user_id)).find((membership) => membership.org_id === orgId)
  if (own === undefined) return yield* refuse(`--user: ${user.email} is not a member of this organisation.`)
  if (!roleAtLeast(own.role, role)) {
    return yield* refuse(`--role: ${user.email} is ${own.role} here, and a key cannot be more than that.`)
  }
  return user.user_id
})
