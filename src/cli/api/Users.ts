/** `corridor users list` by API. */
import { Effect, Option } from "effect"
import { laidTable, minute } from "../shared/Table.ts"
import { Calls } from "./Calls.ts"
import { onApi } from "./OnApi.ts"

const listAll = Effect.fnUntraced(function* (org: Option.Option<string>) {
  const { all } = yield* Calls
  const data = yield* all("users", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
  const rows = data.map((user) => [user.user_id, user.email, user.country, user.role, minute(user.created_at)])
  return { data, ...laidTable(["ID", "E-MAIL", "COUNTRY", "ROLE", "CREATED"], rows, "No users here yet.") }
})

export const list = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onApi(input.json, listAll(input.org))
