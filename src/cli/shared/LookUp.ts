/** From what an operator names to the row that is meant. */
import { Effect, Option } from "effect"
import { uuidOrNil } from "../../domain/Ids.ts"
import { OrganizationStore } from "../../people/organizations/OrganizationStore.ts"
import { UserStore } from "../../people/users/UserStore.ts"
import { found } from "./Input.ts"

export const organizationNamed = Effect.fn("Cli.organizationNamed")(function* (id: string) {
  const store = yield* OrganizationStore
  return yield* found(
    yield* store.find(Option.none(), uuidOrNil(id)),
    `--org: there is no organisation with the id ${id} ("corridor orgs list" shows them).`
  )
})

/** By id, or by e-mail address. */
export const userNamed = Effect.fn("Cli.userNamed")(function* (idOrEmail: string) {
  const store = yield* UserStore
  return yield* found(
    yield* idOrEmail.includes("@") ? store.findByEmail(idOrEmail) : store.find(uuidOrNil(idOrEmail)),
    `--user: there is no user with the id or e-mail address ${idOrEmail} ("corridor users list" shows them).`
  )
})
