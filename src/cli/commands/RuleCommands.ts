/** `corridor rules` and `lists`. */
import { flows } from "../../domain/Corridor.ts"
import { listSubjects, ruleActions, ruleKinds, ruleSubjects } from "../../domain/RiskRules.ts"
import { argument, choice, eitherCommand, flag, maybe, option, optional, withDefault } from "../shared/Command.ts"

const ruleActionsOf = () => import("../actions/RuleActions.ts")

const org = optional("org", "ORG", "Id of the organisation; the platform's by default.")
const name = argument("NAME", "Name of the rule: lower-case letters, digits and dashes.")

export const terms = {
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

export const ruleCommands = [
  eitherCommand("rules list", "List the rules of an organisation or of the platform.", {
    examples: ["corridor rules list --org ORG"],
    takes: { org },
    run: (input) => ruleActionsOf().then(({ list }) => list(input))
  }),
  eitherCommand("rules set", "Set a rule as a whole. It is off unless --on is given.", {
    examples: ["corridor rules set five-a-day --org ORG --subject phone --count 5 --window '1 day' --action hold --on"],
    takes: { name, ...terms, on: flag("on", "Switch it on.") },
    run: (input) => ruleActionsOf().then(({ set }) => set(input))
  }),
  eitherCommand("rules remove", "Remove a rule.", {
    examples: ["corridor rules remove five-a-day --org ORG"],
    takes: { name, org },
    run: (input) => ruleActionsOf().then(({ remove }) => remove(input))
  }),
  eitherCommand("rules try", "Apply a rule to the payments of the last 30 days, without setting it.", {
    examples: ["corridor rules try --org ORG --subject phone --count 5 --window '1 day' --action hold"],
    takes: terms,
    run: (input) => ruleActionsOf().then(({ attempt }) => attempt(input))
  }),
  eitherCommand("lists list", "List the entries of the block and allow lists, newest first.", {
    examples: ["corridor lists list --org ORG"],
    takes: { org },
    run: (input) => ruleActionsOf().then(({ listEntries }) => listEntries(input))
  }),
  eitherCommand("lists add", "Put a value on a list.", {
    examples: ["corridor lists add --org ORG --list block --subject phone --value +254712345678"],
    takes: {
      list: choice("list", ["block", "allow"], "Refuse payments with the value, or leave it uncounted by rules."),
      subject: choice("subject", listSubjects, "Kind of value."),
      value: option("value", "VALUE", "The value; a beneficiary's id, a card's fingerprint."),
      note: optional("note", "TEXT", "Reason, for colleagues."),
      org
    },
    run: (input) => ruleActionsOf().then(({ addEntry }) => addEntry(input))
  }),
  eitherCommand("lists remove", "Remove a value from its list.", {
    examples: ["corridor lists remove ENTRY_ID --org ORG"],
    takes: { id: argument("ID", 'Id of the entry; "corridor lists list" shows them.'), org },
    run: (input) => ruleActionsOf().then(({ removeEntry }) => removeEntry(input))
  })
]
