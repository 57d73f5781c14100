/** `corridor users list` by API. */
import { Effect, Option } from "effect"
import { ApiClient } from "../client/ApiClient.ts"
import { onServer } from "../client/RunCommand.ts"
import { type TextLayout, tableLayout, minute } from "../shared/Table.ts"
import type { OrgInput } from "../shared/CommandInput.ts"

/** Users as people read them, whichever way they came. */
interface User {
  readonly user_id: string
  readonly email: string
  readonly country: string | null
  readonly created_at: Date | string
}

export const userTable = <U extends User>(
  users: ReadonlyArray<U>,
  roleOf: (user: U) => string | null,
  nothing: string
): TextLayout =>
  tableLayout(
    ["ID", "E-MAIL", "COUNTRY", "ROLE", "CREATED"],
    users.map((user) => [user.user_id, user.email, user.country, roleOf(user), minute(user.created_at)]),
    nothing,
    ["ROLE", "CREATED", "COUNTRY"]
  )

const listAll = Effect.fnUntraced(function* (org: Option.Option<string>) {
  const { all } = yield* ApiClient
  const data = yield* all("users", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
  return { data, ...userTable(data, (user) => user.role, "No users here yet.") }
})

export const list = (input: OrgInput) => onServer(input.json, listAll(input.org))
