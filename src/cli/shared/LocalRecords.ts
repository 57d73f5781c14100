/** For commands that need records of organisations, people, money and endpoints. */
import { recordServicesOn } from "../../app/RecordServices.ts"
import { ExistingLive, onDatabase, permitFor } from "./LocalDatabase.ts"
import { Effect, Option } from "effect"
import type { Access } from "../../domain/Access.ts"
import { OrgId, UserId, idOrNil } from "../../domain/Ids.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { Users } from "../../people/users/Users.ts"
import { found } from "./CommandInput.ts"

export const onRecords = onDatabase(recordServicesOn(ExistingLive))

/** Finds an organisation or a user by what the operator typed. */
export const findOrganization = Effect.fn("Cli.organizationNamed")(function* (id: string) {
  const organizations = yield* Organizations
  return yield* found(
    yield* organizations.find(idOrNil(OrgId)(id)),
    `--org: there is no organisation with the id ${id} ("corridor orgs list" shows them).`
  )
})

/** A permit for the organisation that the operator typed, or for all of them. */
export const permitIn = <A extends Access>(access: A, org: Option.Option<string>) =>
  Effect.flatMap(Effect.transposeMapOption(org, findOrganization), (found) =>
    permitFor(
      access,
      Option.map(found, ({ org_id }) => org_id)
    )
  )

/** By id, or by e-mail address. */
export const findUser = Effect.fn("Cli.userNamed")(function* (idOrEmail: string) {
  const users = yield* Users
  return yield* found(
    yield* idOrEmail.includes("@") ? users.findByEmail(idOrEmail) : users.find(idOrNil(UserId)(idOrEmail)),
    `--user: there is no user with the id or e-mail address ${idOrEmail} ("corridor users list" shows them).`
  )
})
