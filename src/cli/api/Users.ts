/** `corridor users list` by API. */
import { Effect, Option } from "effect"
import { userTable } from "../shown/Users.ts"
import { ApiClient } from "../client/ApiClient.ts"
import { onServer } from "../client/RunCommand.ts"

const listAll = Effect.fnUntraced(function* (org: Option.Option<string>) {
  const { all } = yield* ApiClient
  const data = yield* all("users", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
  return { data, ...userTable(data, (user) => user.role, "No users here yet.") }
})

export const list = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onServer(input.json, listAll(input.org))
