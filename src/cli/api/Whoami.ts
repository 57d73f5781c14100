/** `corridor whoami` */
import { Effect, Option } from "effect"
import { properties } from "../shared/Table.ts"
import { ApiClient } from "../client/ApiClient.ts"
import { onServer } from "../client/RunCommand.ts"

const session = Effect.fnUntraced(function* (org: Option.Option<string>) {
  const { call, root } = yield* ApiClient
  const { data } = yield* call("session", "me", { urlParams: Option.isNone(org) ? {} : { org_id: org.value } })
  const { organization } = data
  const text = properties([
    ["Server", `${root} (${data.mode})`],
    ["As", data.credential === "user" ? data.email : `an API key of ${data.email ?? data.user_id ?? "nobody"}`],
    ["Role", data.role],
    ["Organisation", organization === null ? "every one" : `${organization.name} ${organization.org_id}`],
    // What everybody may who is known at all says nothing.
    ["May", data.access.filter((right) => right !== "any").join(", ") || "only what every caller may"]
  ])
  return { data: { server: root, ...data }, text }
})

export const whoami = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onServer(input.json, session(input.org))
