/** `corridor fees` */
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { paymentMethods } from "../../domain/Corridor.ts"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import type { FeeTerms } from "../../domain/Fee.ts"
import type { FeeRule } from "../../money/fees/FeeRuleStore.ts"
import { Fees } from "../../money/fees/Fees.ts"
import { type WantedFee, wantedFee } from "../shared/FeeInput.ts"
import { option, optional } from "../shared/Input.ts"
import { organizationNamed } from "../shared/LookUp.ts"
import { permitFor } from "../shared/Operator.ts"
import { onApp } from "../shared/OnApp.ts"
import { json } from "../shared/Report.ts"
import { minute, table } from "../shared/Table.ts"

const shown = ({ fixed, ...rule }: FeeRule) => ({
  ...rule,
  fixed_amount: fixed === null ? null : new WireNumber(toWireText(fixed.toDecimal())),
  fixed_currency: fixed === null ? null : fixed.currency
})

const words = ({ basis_points, fixed }: FeeTerms): string =>
  [...(basis_points === 0 ? [] : [`${basis_points} basis points`]), ...(fixed === null ? [] : [fixed.toString()])].join(
    " plus "
  )

const wordsOr = (rule: Option.Option<FeeRule>, none: string): string =>
  Option.match(rule, { onNone: () => none, onSome: words })

export const setOne = Effect.fn("Cli.setFee")(function* (org: string, subject: WantedFee["subject"], terms: FeeTerms) {
  const fees = yield* Fees
  const { org_id } = yield* organizationNamed(org)
  const { after, before } = yield* fees.set(yield* permitFor("platform"), { ...subject, org_id }, terms)
  const what = `${subject.direction} ${subject.payment_method} payments`
  return {
    data: {
      rule: Option.getOrNull(Option.map(after, shown)),
      previous: Option.getOrNull(Option.map(before, shown))
    },
    text: `${what}: ${wordsOr(after, "no fee")} (before: ${wordsOr(before, "no fee")}).`
  }
})

const set = Command.make(
  "set",
  {
    org: option("org", "ORG", "Id of the organisation that is charged."),
    method: option("method", "METHOD", `Payment method: ${paymentMethods.join(", ")}.`),
    direction: option("direction", "DIRECTION", "inbound (payins) or outbound (payouts); ramps are charged no fee."),
    bps: optional("bps", "N", "Share of the payment in basis points, hundredths of a percent: 0 to 10000."),
    fixed: optional("fixed", "AMOUNT", "Amount added to every payment, such as 10.50."),
    currency: optional(
      "currency",
      "CUR",
      "Currency of AMOUNT, which is left out of payments that are charged in another one."
    ),
    json
  },
  ({ json: asJson, org, ...input }) =>
    Effect.gen(function* () {
      const { subject, terms } = yield* wantedFee(input)
      yield* onApp(asJson, setOne(org, subject, terms))
    })
).pipe(Command.withDescription("Set what new payments are charged, as a whole; nothing (--bps 0) removes the rule."))

export const listAll = Effect.fn("Cli.listFees")(function* (org: Option.Option<string>) {
  const fees = yield* Fees
  const scope = yield* Effect.transposeMapOption(org, (id) => Effect.map(organizationNamed(id), ({ org_id }) => org_id))
  const rules = yield* fees.list(yield* permitFor("platform", scope))
  const rows = rules.map((rule) => [
    rule.org_id,
    rule.payment_method,
    rule.direction,
    String(rule.basis_points),
    rule.fixed === null ? null : rule.fixed.toString(),
    minute(rule.updated_at)
  ])
  const titles = ["ORGANISATION", "METHOD", "DIRECTION", "BASIS POINTS", "FIXED", "SET"]
  return { data: rules.map(shown), text: table(titles, rows, 'No fees here: "corridor fees set" sets one.') }
})

const list = Command.make(
  "list",
  { org: optional("org", "ORG", "Id of an organisation; all of them by default."), json },
  (input) => onApp(input.json, listAll(input.org))
).pipe(Command.withDescription("List the fees that organisations are charged."))

export const fees = Command.make("fees").pipe(
  Command.withDescription("What organisations are charged for their payments: nothing, unless a rule says so."),
  Command.withSubcommands([set, list])
)
