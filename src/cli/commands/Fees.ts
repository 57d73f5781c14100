/** `corridor fees` */
import { Command } from "@effect/cli"
import { flows, paymentMethods } from "../../domain/Corridor.ts"
import { choice, option, optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { byDatabase } from "../shared/CommandTarget.ts"

const work = byDatabase(() => import("../database/Fees.ts"))

const set = Command.make(
  "set",
  {
    org: option("org", "ORG", "Id of the organisation that is charged."),
    method: choice("method", paymentMethods, "Payment method."),
    direction: choice(
      "direction",
      flows,
      "Payins (inbound) or payouts (outbound); ramps (external) are charged no fee."
    ),
    bps: optional("bps", "N", "Share of the payment in basis points, hundredths of a percent: 0 to 10000."),
    fixed: optional("fixed", "AMOUNT", "Amount added to every payment, such as 10.50."),
    currency: optional(
      "currency",
      "CUR",
      "Currency of AMOUNT, which is left out of payments that are charged in another one."
    ),
    json
  },
  (input) => work((fees) => fees.set(input))
).pipe(Command.withDescription("Set what new payments are charged, as a whole; nothing (--bps 0) removes the rule."))

const list = Command.make(
  "list",
  { org: optional("org", "ORG", "Id of an organisation; all of them by default."), json },
  (input) => work((fees) => fees.list(input))
).pipe(Command.withDescription("List the fees that organisations are charged."))

export const fees = Command.make("fees").pipe(
  Command.withDescription("What organisations are charged for their payments: nothing, unless a rule says so."),
  Command.withSubcommands([set, list])
)
