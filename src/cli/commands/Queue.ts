/** `corridor queue` */
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { Payments } from "../../payments/read/Payments.ts"
import { allPages } from "../shared/AllPages.ts"
import { optional } from "../shared/Input.ts"
import { organizationNamed } from "../shared/LookUp.ts"
import { onApp } from "../shared/OnApp.ts"
import { permitFor } from "../shared/Operator.ts"
import { json } from "../shared/Report.ts"
import { minute, table } from "../shared/Table.ts"

const listAll = Effect.fn("Cli.queue")(function* (org: Option.Option<string>) {
  const payments = yield* Payments
  const scope = Option.isNone(org) ? Option.none() : Option.some((yield* organizationNamed(org.value)).org_id)
  const permit = yield* permitFor("operations", scope)
  const data = yield* allPages(
    (window) => payments.queue(permit, window),
    (item) => item.item_id
  )
  const rows = data.map((item) => [minute(item.created_at), item.kind, item.payment_id ?? item.webhook_id, item.detail])
  return { data, text: table(["SINCE", "KIND", "PAYMENT OR ENDPOINT", "WHAT"], rows, "Nothing waits for a person.") }
})

export const queue = Command.make(
  "queue",
  { org: optional("org", "ORG", "Only this organisation's."), json },
  (input) => onApp(input.json, listAll(input.org))
).pipe(
  Command.withDescription(
    "List what waits for a person: unknown outcomes, money in suspense, reviews, dead letters, disabled endpoints."
  )
)
