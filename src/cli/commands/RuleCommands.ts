/** `corridor rules` and `lists`. */
import { Duration, Effect, Option, Schema } from "effect"
import type { RuleTermsBody } from "../../contract/api/RulesApi.ts"
import { flows } from "../../domain/Corridor.ts"
import { describeWindow, listSubjects, ruleActions, ruleKinds, ruleSubjects } from "../../domain/RiskRules.ts"
import { type Answer, call, callAll } from "../shared/ApiClient.ts"
import {
  argument,
  choice,
  commandOn,
  flag,
  type Input,
  maybe,
  option,
  optional,
  withDefault
} from "../shared/Command.ts"
import { decimalOption, decodeInput, decodeOption, givenFields, refuse, wireNumber } from "../shared/CommandInput.ts"
import { framed, minute, tableOf } from "../shared/Table.ts"

const command = commandOn("whole")

/** Loaded when a rule or an entry is checked: a help text does not wait for the contract. */
const rulesApi = Effect.promise(() => import("../../contract/api/RulesApi.ts"))

type Rule = Answer<"rules", "list">["data"][number]

const limitsOf = (rule: Rule): string =>
  rule.kind === "structuring"
    ? "review threshold"
    : [
        ...(rule.max_count === null ? [] : [`${rule.max_count} payments`]),
        ...(rule.max_amount === null ? [] : [`${rule.max_amount.text} ${rule.currency}`])
      ].join(", ")

const ruleTable = tableOf<Rule>(
  {
    NAME: "name",
    SUBJECT: "subject",
    DIRECTION: (rule) => rule.direction ?? "all",
    LIMIT: limitsOf,
    WINDOW: (rule) => describeWindow(rule.window_seconds),
    ACTION: "action",
    ON: (rule) => (rule.is_active ? "yes" : "no")
  },
  'No rules here: "corridor rules set" sets one.'
)

const hitTable = tableOf<Answer<"rules", "try">["data"]["examples"][number]>(
  {
    PAYMENT: "payment_id",
    CREATED: (one) => minute(one.created_at),
    STATUS: "status",
    AMOUNT: (one) => `${one.amount.text} ${one.currency}`,
    REASON: "reason"
  },
  "It would have stopped none of them."
)

const entryTable = tableOf<Answer<"rules", "entries">["data"][number]>(
  {
    ID: "entry_id",
    LIST: "list",
    SUBJECT: "subject",
    VALUE: "value",
    NOTE: "note",
    CREATED: (entry) => minute(entry.created_at)
  },
  "The lists are empty."
)

const org = optional("org", "ORG", "Id of the organisation; the platform's by default.")
const name = argument("NAME", "Name of the rule: lower-case letters, digits and dashes.")

const terms = {
  kind: withDefault(
    "velocity" as const,
    choice("kind", ruleKinds, "Limits (velocity, the default), or sums that reach the review threshold (structuring).")
  ),
  subject: choice("subject", ruleSubjects, "Property that the counted payments share."),
  direction: maybe(choice("direction", flows, "Only payins, payouts or ramps; all by default.")),
  count: optional("count", "N", "Payments that are let through within the window."),
  amount: optional("amount", "AMOUNT", "Their sum that is let through, such as 50000."),
  currency: optional("currency", "CUR", "Currency of AMOUNT; the organisation's by default."),
  window: option("window", "TIME", "The window, such as 1 hour or 7 days; at most 30 days."),
  action: choice("action", ruleActions, "Effect on a payment over the limit."),
  org
}

const Whole = Schema.NumberFromString.pipe(Schema.int())

const termsOf = Effect.fnUntraced(function* (input: Input<typeof terms>, is_active: boolean) {
  const { action, amount, count, currency, direction, kind, subject } = input
  const max_count = yield* Effect.transposeMapOption(count, (text) => decodeOption("--count", Whole, text))
  const max_amount = yield* Effect.transposeMapOption(amount, (text) =>
    decodeOption("--amount", decimalOption("50000"), text)
  )
  const window = Duration.decodeUnknown(input.window)
  if (Option.isNone(window)) return yield* refuse("--window is not a time such as 1 hour or 7 days.")
  const window_seconds = Duration.toSeconds(window.value)
  const given = { kind, subject, action, window_seconds, is_active, ...givenFields({ direction, max_count, currency }) }
  const decoded = yield* decodeInput((yield* rulesApi).RuleTermsBody, given as typeof RuleTermsBody.Encoded, {
    window_seconds: "--window",
    max_count: "--count",
    max_amount: "--amount"
  })
  return { ...decoded, max_amount: Option.getOrNull(Option.map(max_amount, wireNumber)) }
})

export const ruleCommands = [
  command("rules list", "List the rules of an organisation or of the platform.", {
    examples: ["corridor rules list --org ORG"],
    takes: { org },
    *run({ org }) {
      const { data } = yield* Option.isNone(org)
        ? call("rules", "platformRules", {})
        : call("rules", "list", { path: { org_id: org.value } })
      return { data, ...ruleTable(data) }
    }
  }),
  command("rules set", "Set a rule as a whole. It is off unless --on is given.", {
    examples: ["corridor rules set five-a-day --org ORG --subject phone --count 5 --window '1 day' --action hold --on"],
    takes: { name, ...terms, on: flag("on", "Switch it on.") },
    check: (input) =>
      Effect.gen(function* () {
        const payload = yield* termsOf(input, input.on)
        const { RuleName } = yield* Effect.promise(() => import("../../contract/api/Operation.ts"))
        yield* decodeOption("NAME", RuleName, input.name)
        return payload
      }),
    *run({ name, org }, payload) {
      const { data } = yield* Option.isNone(org)
        ? call("rules", "setPlatformRule", { path: { rule_name: name }, payload })
        : call("rules", "set", { path: { org_id: org.value, rule_name: name }, payload })
      const counts = " It counts payments from now on; earlier ones count only if another rule was on then."
      return { data, text: `Rule ${name} is set and ${data.is_active ? `on.${counts}` : "off."}` }
    }
  }),
  command("rules remove", "Remove a rule.", {
    examples: ["corridor rules remove five-a-day --org ORG"],
    takes: { name, org },
    *run({ name, org }) {
      yield* Option.isNone(org)
        ? call("rules", "removePlatformRule", { path: { rule_name: name } })
        : call("rules", "remove", { path: { org_id: org.value, rule_name: name } })
      return { data: { name }, text: `Rule ${name} is removed.` }
    }
  }),
  command("rules try", "Apply a rule to the payments of the last 30 days, without setting it.", {
    examples: ["corridor rules try --org ORG --subject phone --count 5 --window '1 day' --action hold"],
    takes: terms,
    check: (input) => termsOf(input, false),
    *run({ org }, payload) {
      const { data } = yield* Option.isNone(org)
        ? call("rules", "tryPlatformRule", { payload })
        : call("rules", "try", { path: { org_id: org.value }, payload })
      const partial = data.is_complete ? "" : ", the newest of the last 30 days"
      const said = `Tried on ${data.payments} payments${partial}: ${data.hits} hits.\n`
      return { data, ...framed(said, hitTable(data.examples)) }
    }
  }),
  command("lists list", "List the entries of the block and allow lists, newest first.", {
    examples: ["corridor lists list --org ORG"],
    takes: { org },
    *run({ org }) {
      const data = yield* Option.isNone(org)
        ? callAll("rules", "platformEntries", { urlParams: {} })
        : callAll("rules", "entries", { path: { org_id: org.value }, urlParams: {} })
      return { data, ...entryTable(data) }
    }
  }),
  command("lists add", "Put a value on a list.", {
    examples: ["corridor lists add --org ORG --list block --subject phone --value +254712345678"],
    takes: {
      list: choice("list", ["block", "allow"], "Refuse payments with the value, or leave it uncounted by rules."),
      subject: choice("subject", listSubjects, "Kind of value."),
      value: option("value", "VALUE", "The value; a beneficiary's id, a card's fingerprint."),
      note: optional("note", "TEXT", "Reason, for colleagues."),
      org
    },
    check: (input) =>
      Effect.flatMap(rulesApi, ({ AddListEntry }) =>
        decodeInput(AddListEntry, { ...input, note: Option.getOrNull(input.note) })
      ),
    *run({ org }, payload) {
      const { data } = yield* Option.isNone(org)
        ? call("rules", "addPlatformEntry", { payload })
        : call("rules", "addEntry", { path: { org_id: org.value }, payload })
      return { data, text: `${data.value} is on the ${data.list} list (${data.entry_id}).` }
    }
  }),
  command("lists remove", "Remove a value from its list.", {
    examples: ["corridor lists remove ENTRY_ID --org ORG"],
    takes: { id: argument("ID", 'Id of the entry; "corridor lists list" shows them.'), org },
    *run({ id, org }) {
      yield* Option.isNone(org)
        ? call("rules", "removePlatformEntry", { path: { platform_entry_id: id } })
        : call("rules", "removeEntry", { path: { org_id: org.value, entry_id: id } })
      return { data: { entry_id: id }, text: "The entry is removed." }
    }
  })
]
