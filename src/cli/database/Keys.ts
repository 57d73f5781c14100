/** `corridor keys create` next to the database. */
import { Effect, Option } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import { ApiKeys } from "../../people/apiKeys/ApiKeys.ts"
import { type Role, roleAtLeast } from "../../domain/Roles.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { found, refuse } from "../shared/CommandInput.ts"
import { findOrganization, findUser } from "../shared/LookUp.ts"
import type { CommandResult } from "../shared/CommandResult.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { Users } from "../../people/users/Users.ts"

/** Whose key it will be: a member, whose own role is the most that the key can do. */
export const keyOwner = Effect.fn("Cli.keyOwner")(function* (orgId: OrgId, role: Role, named: Option.Option<string>) {
  const users = yield* Users
  if (Option.isNone(named)) {
    return yield* found(
      yield* users.oldestOrgAdmin(orgId),
      "--user: this organisation has no org-admin to make the key for; name a member, or create one with " +
        `"corridor users create --email ADDRESS --org ${orgId} --role org-admin".`
    )
  }
  const user = yield* findUser(named.value)
  if (user.is_admin) return user.user_id
  const own = (yield* users.membershipsOf(user.user_id)).find((membership) => membership.org_id === orgId)
  if (own === undefined) return yield* refuse(`--user: ${user.email} is not a member of this organisation.`)
  if (!roleAtLeast(own.role, role)) {
    return yield* refuse(`--role: ${user.email} is ${own.role} here, and a key cannot be more than that.`)
  }
  return user.user_id
})

const createOne = Effect.fn("Cli.createKey")(function* (
  orgId: string,
  user: Option.Option<string>,
  name: string,
  role: Role
) {
  const { org_id } = yield* findOrganization(orgId)
  const userId = yield* keyOwner(org_id, role, user)
  const keys = yield* ApiKeys
  return yield* keys.create(yield* permitFor("api_keys", Option.some(org_id)), { name, role, userId })
})

type NewKey = Effect.Effect.Success<ReturnType<typeof createOne>>

export const createForMember = (
  input: {
    readonly org: string
    readonly name: string
    readonly role: Role
    readonly user: Option.Option<string>
    readonly json: boolean
  },
  resultOf: (key: NewKey) => CommandResult
) => onRecords(input.json, Effect.map(createOne(input.org, input.user, input.name, input.role), resultOf))
