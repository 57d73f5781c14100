/** `corridor rules` and `lists` */
import { Duration, Effect, Option, Schema } from "effect"
import { RuleName } from "../../contract/api/Operation.ts"
import { AddListEntry, RuleTermsBody } from "../../contract/api/RulesApi.ts"
import { describeWindow } from "../../domain/RiskRules.ts"
import { type Answer, call, callAll } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import {
  decimalOption,
  decodeInput,
  decodeOption,
  givenFields,
  type OrgInput,
  refuse,
  wireNumber
} from "../shared/CommandInput.ts"
import type { terms } from "../commands/RuleCommands.ts"
import type { Input } from "../shared/Command.ts"
import { framed, minute, tableLayout } from "../shared/Table.ts"

const onRules = onTarget("whole")

type Rule = Answer<"rules", "list">["data"][number]

type TermsInput = Input<typeof terms>

const limitsOf = (rule: Pick<Rule, "currency" | "kind" | "max_amount" | "max_count">): string =>
  rule.kind === "structuring"
    ? "review threshold"
    : [
        ...(rule.max_count === null ? [] : [`${rule.max_count} payments`]),
        ...(rule.max_amount === null ? [] : [`${rule.max_amount.text} ${rule.currency}`])
      ].join(", ")

const tableOf = (rules: ReadonlyArray<Rule>) =>
  tableLayout(
    ["NAME", "SUBJECT", "DIRECTION", "LIMIT", "WINDOW", "ACTION", "ON"],
    rules.map((rule) => [
      rule.name,
      rule.subject,
      rule.direction ?? "all",
      limitsOf(rule),
      describeWindow(rule.window_seconds),
      rule.action,
      rule.is_active ? "yes" : "no"
    ]),
    'No rules here: "corridor rules set" sets one.'
  )

const Whole = Schema.NumberFromString.pipe(Schema.int())

const secondsIn = (text: string) =>
  Option.match(Duration.decodeUnknown(text), {
    onNone: () => Effect.fail(refuse("--window is not a time such as 1 hour or 7 days.")),
    onSome: (window) => Effect.succeed(Duration.toSeconds(window))
  })

/** Everything is checked before the database is opened, or a server is called. */
const termsOf = Effect.fnUntraced(function* (input: TermsInput, isActive: boolean) {
  const { action, amount, count, currency, direction, kind, subject } = input
  const max_count = yield* Effect.transposeMapOption(count, (text) => decodeOption("--count", Whole, text))
  const max_amount = yield* Effect.transposeMapOption(amount, (text) =>
    decodeOption("--amount", decimalOption("50000"), text)
  )
  const window_seconds = yield* secondsIn(input.window)
  const terms = yield* decodeInput(
    RuleTermsBody,
    {
      kind,
      subject,
      action,
      window_seconds,
      is_active: isActive,
      ...givenFields({ direction, max_count, currency })
    } as typeof RuleTermsBody.Encoded,
    { window_seconds: "--window", max_count: "--count", max_amount: "--amount" }
  )
  return { ...terms, max_amount: Option.getOrNull(Option.map(max_amount, wireNumber)) }
})

export const list = onRules(
  Effect.fnUntraced(function* ({ org }: OrgInput) {
    const { data } = yield* Option.match(org, {
      onNone: () => call("rules", "platformRules", {}),
      onSome: (org_id) => call("rules", "list", { path: { org_id } })
    })
    return { data, ...tableOf(data) }
  })
)

interface WithPayload<A> {
  readonly payload: A
}

type Terms = WithPayload<Effect.Effect.Success<ReturnType<typeof termsOf>>>

const setRule = onRules(
  Effect.fnUntraced(function* ({ name, org, payload }: OrgInput & Terms & { readonly name: string }) {
    const { data } = yield* Option.match(org, {
      onNone: () => call("rules", "setPlatformRule", { path: { rule_name: name }, payload }),
      onSome: (org_id) => call("rules", "set", { path: { org_id, rule_name: name }, payload })
    })
    const counts = " It counts payments from now on; earlier ones count only if another rule was on then."
    return { data, text: `Rule ${name} is set and ${data.is_active ? `on.${counts}` : "off."}` }
  })
)

export const set = Effect.fnUntraced(function* ({
  json,
  name,
  on,
  org,
  ...input
}: TermsInput & { readonly name: string; readonly on: boolean }) {
  const payload = yield* termsOf({ ...input, json, org }, on)
  yield* decodeOption("NAME", RuleName, name)
  yield* setRule({ json, org, name, payload })
})

export const remove = onRules(
  Effect.fnUntraced(function* ({ name, org }: OrgInput & { readonly name: string }) {
    yield* Option.match(org, {
      onNone: () => call("rules", "removePlatformRule", { path: { rule_name: name } }),
      onSome: (org_id) => call("rules", "remove", { path: { org_id, rule_name: name } })
    })
    return { data: { name }, text: `Rule ${name} is removed.` }
  })
)

const tryRule = onRules(
  Effect.fnUntraced(function* ({ org, payload }: OrgInput & Terms) {
    const { data } = yield* Option.match(org, {
      onNone: () => call("rules", "tryPlatformRule", { payload }),
      onSome: (org_id) => call("rules", "try", { path: { org_id }, payload })
    })
    const table = tableLayout(
      ["PAYMENT", "CREATED", "STATUS", "AMOUNT", "REASON"],
      data.examples.map((one) => [
        one.payment_id,
        minute(one.created_at),
        one.status,
        `${one.amount.text} ${one.currency}`,
        one.reason
      ]),
      "It would have stopped none of them."
    )
    const partial = data.is_complete ? "" : ", the newest of the last 30 days"
    return { data, ...framed(`Tried on ${data.payments} payments${partial}: ${data.hits} hits.\n`, table) }
  })
)

export const attempt = Effect.fnUntraced(function* ({ json, org, ...input }: TermsInput) {
  yield* tryRule({ json, org, payload: yield* termsOf({ ...input, json, org }, false) })
})

export const listEntries = onRules(
  Effect.fnUntraced(function* ({ org }: OrgInput) {
    const data = yield* Option.match(org, {
      onNone: () => callAll("rules", "platformEntries", { urlParams: {} }),
      onSome: (org_id) => callAll("rules", "entries", { path: { org_id }, urlParams: {} })
    })
    const rows = data.map((entry) => [
      entry.entry_id,
      entry.list,
      entry.subject,
      entry.value,
      entry.note,
      minute(entry.created_at)
    ])
    return {
      data,
      ...tableLayout(["ID", "LIST", "SUBJECT", "VALUE", "NOTE", "CREATED"], rows, "The lists are empty.")
    }
  })
)

const putEntry = onRules(
  Effect.fnUntraced(function* ({ org, payload }: OrgInput & WithPayload<typeof AddListEntry.Type>) {
    const { data } = yield* Option.match(org, {
      onNone: () => call("rules", "addPlatformEntry", { payload }),
      onSome: (org_id) => call("rules", "addEntry", { path: { org_id }, payload })
    })
    return { data, text: `${data.value} is on the ${data.list} list (${data.entry_id}).` }
  })
)

interface EntryInput extends OrgInput {
  readonly list: string
  readonly subject: string
  readonly value: string
  readonly note: Option.Option<string>
}

export const addEntry = Effect.fnUntraced(function* ({ json, note, org, ...entry }: EntryInput) {
  const payload = yield* decodeInput(AddListEntry, { ...entry, note: Option.getOrNull(note) })
  yield* putEntry({ json, org, payload })
})

export const removeEntry = onRules(
  Effect.fnUntraced(function* ({ id, org }: OrgInput & { readonly id: string }) {
    yield* Option.match(org, {
      onNone: () => call("rules", "removePlatformEntry", { path: { platform_entry_id: id } }),
      onSome: (org_id) => call("rules", "removeEntry", { path: { org_id, entry_id: id } })
    })
    return { data: { entry_id: id }, text: "The entry is removed." }
  })
)
