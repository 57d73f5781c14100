/** `corridor queue` by API. */
import { Effect, Option } from "effect"
import { queueTable } from "../shown/Payments.ts"
import { Calls } from "./Calls.ts"
import { onApi } from "./OnApi.ts"

const listAll = Effect.fnUntraced(function* (org: Option.Option<string>) {
  const { all } = yield* Calls
  const data = yield* all("payments", "queue", { urlParams: { org_id: Option.getOrUndefined(org) } })
  return { data, ...queueTable(data) }
})

export const list = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onApi(input.json, listAll(input.org))
