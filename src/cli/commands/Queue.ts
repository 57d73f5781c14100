/** `corridor queue` */
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { Payments } from "../../payments/read/Payments.ts"
import { allPages } from "../AllPages.ts"
import { optional } from "../Input.ts"
import { organizationNamed } from "../LookUp.ts"
import { onApp } from "../OnApp.ts"
import { permitFor } from "../Operator.ts"
import { json } from "../Report.ts"
import { minute, table } from "../Table.ts"

const listAll = Effect.fn("Cli.queue")(function* (org: Option.Option<string>) {
  const payments = yield* Payments
  const scope = Option.isNone(org) ? org : Option.some((yield* organizationNamed(org.value)).org_id)
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
