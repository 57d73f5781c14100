/** `corridor queue` beside the database. */
import { Effect, Option } from "effect"
import { Payments } from "../../payments/read/Payments.ts"
import { allPages, permitFor } from "../shared/LocalDatabase.ts"
import { findOrganization } from "../shared/LookUp.ts"
import { onPaymentRecords } from "../shared/OnPaymentRecords.ts"
import { queueTable } from "../shown/Payments.ts"

const listAll = Effect.fn("Cli.queue")(function* (org: Option.Option<string>) {
  const payments = yield* Payments
  const scope = Option.isNone(org) ? Option.none() : Option.some((yield* findOrganization(org.value)).org_id)
  const permit = yield* permitFor("operations", scope)
  const data = yield* allPages(
    (window) => payments.queue(permit, window),
    (item) => item.item_id
  )
  return { data, ...queueTable(data) }
})

export const list = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onPaymentRecords(input.json, listAll(input.org))
