/** Risk rules, block and allow lists: of an organisation, and of the platform. */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { OrgId, PaymentId } from "../../domain/Ids.ts"
import { Flow, flows } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { WireDecimal } from "../../domain/Decimal.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { listSubjects, ruleActions, ruleKinds, ruleSubjects } from "../../domain/RiskRules.ts"
import {
  del,
  get,
  post,
  put,
  apiGroup,
  camelPageExample,
  examples,
  exampleTimes,
  operation,
  pageExample
} from "./Operation.ts"
import {
  CamelPageParams,
  camelPageOf,
  envelope,
  Id,
  idOf,
  optionalExact,
  pageOf,
  PageParams,
  success,
  Timestamp,
  timestamps
} from "./Envelope.ts"
import { limitAmount, optionalOrNull, text } from "./RequestFields.ts"

const oneOf = (values: ReadonlyArray<string>) => () => ({
  message: `is not one of ${values.join(", ")}`,
  override: true
})

const whole = (min: number, max: number, description: string) =>
  Schema.Int.pipe(Schema.between(min, max)).annotations({
    jsonSchema: { type: "integer", minimum: min, maximum: max, description },
    message: () => ({ message: `is not a whole number from ${min} to ${max}`, override: true })
  })

const LONGEST_WINDOW = 2_592_000

const kind = Schema.Literal(...ruleKinds).annotations({
  message: oneOf(ruleKinds),
  description:
    "`velocity`: limits by number and amount; `structuring`: payments that reach the review threshold together"
})
const subject = Schema.Literal(...ruleSubjects).annotations({
  message: oneOf(ruleSubjects),
  description:
    "Payments are counted together that have this in common. `payer`: phone, email or card; `beneficiary`: the account that is paid"
})
const action = Schema.Literal(...ruleActions).annotations({
  message: oneOf(ruleActions),
  description:
    "`refuse`: 409, the payment is `rejected`; `hold`: it waits for review; `alert`: it continues, with a comment"
})

export const Rule = Schema.Struct({
  name: Schema.String,
  org_id: Schema.NullOr(idOf(OrgId)).annotations({ description: "null: the platform's" }),
  kind,
  subject,
  direction: Schema.NullOr(Flow).annotations({ description: "null: all" }),
  max_count: Schema.NullOr(Schema.Int),
  max_amount: Schema.NullOr(WireDecimal),
  currency: Schema.NullOr(AnyCurrencyCode).annotations({ description: "Of `max_amount`" }),
  window_seconds: Schema.Int,
  action,
  is_active: Schema.Boolean,
  ...timestamps
}).annotations({ identifier: "Rule" })

export const RuleTermsBody = Schema.Struct({
  kind: Schema.optionalWith(kind, { exact: true, default: () => "velocity" as const }),
  subject,
  direction: optionalOrNull(Flow.annotations({ message: oneOf(flows), description: "Default: all" })),
  max_count: optionalOrNull(whole(0, 1_000_000, "Payments that are let through within the window")),
  max_amount: Schema.optionalWith(
    limitAmount("Their sum that is let through, converted at the base rate and rounded up"),
    { exact: true, default: () => null }
  ),
  currency: optionalOrNull(
    AnyCurrencyCode.annotations({
      description: "Of `max_amount`. Default: the organisation's; needed for the platform"
    })
  ),
  window_seconds: whole(60, LONGEST_WINDOW, "The window, until now; at most 30 days"),
  action,
  is_active: Schema.optionalWith(Schema.Boolean.annotations({ description: "Default: false. Try the rule first" }), {
    exact: true,
    default: () => false
  })
}).annotations({ identifier: "RuleTerms" })

export const RuleTrial = Schema.Struct({
  from: Timestamp,
  payments: Schema.Int.annotations({ description: "Payments that it was tried on, from the time `from` on" }),
  is_complete: Schema.Boolean.annotations({ description: "Whether these are all of the last 30 days" }),
  hits: Schema.Int.annotations({ description: "Payments that it would have stopped, or alerted about" }),
  examples: Schema.Array(
    Schema.Struct({
      payment_id: idOf(PaymentId),
      status: Schema.Literal(...paymentStatuses),
      amount: WireDecimal,
      currency: AnyCurrencyCode,
      reason: Schema.String,
      created_at: Timestamp
    })
  ).annotations({ description: "The newest of them, at most 20" })
}).annotations({ identifier: "RuleTrial" })

const listSubject = Schema.Literal(...listSubjects).annotations({ message: oneOf(listSubjects) })
const list = Schema.Literal("block", "allow").annotations({ message: oneOf(["block", "allow"]) })

export const ListEntry = Schema.Struct({
  entry_id: Id,
  org_id: Schema.NullOr(idOf(OrgId)).annotations({ description: "null: the platform's" }),
  list,
  subject: listSubject,
  value: Schema.String.annotations({
    description: "As it is compared: phone numbers in E.164, addresses in lower case"
  }),
  note: Schema.NullOr(Schema.String),
  created_at: Timestamp
}).annotations({ identifier: "ListEntry" })

export const AddListEntry = Schema.Struct({
  list,
  subject: listSubject,
  value: text(
    200,
    "Of a beneficiary its `beneficiary_id`; of a card the `fingerprint` in a payment's `card_details`; else the value itself"
  ),
  note: optionalOrNull(text(500, "Reason, for colleagues"))
}).annotations({ identifier: "AddListEntry" })

const filters = { list: optionalExact(list), subject: optionalExact(listSubject) }

const ruleExample = {
  name: "five-a-day",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  kind: "velocity",
  subject: "phone",
  direction: "inbound",
  max_count: 5,
  max_amount: 50000.5,
  currency: "KES",
  window_seconds: 86400,
  action: "hold",
  is_active: false,
  ...exampleTimes
}
const platformRule = { ...ruleExample, name: "card-testing", org_id: null, subject: "ip_address", max_count: 20 }

const termsExamples = examples({
  "At most five payins a day of one phone": {
    subject: "phone",
    direction: "inbound",
    max_count: 5,
    max_amount: 50000.5,
    currency: "KES",
    window_seconds: 86400,
    action: "hold"
  },
  "Payments just under the review threshold": {
    kind: "structuring",
    subject: "payer",
    window_seconds: 86400,
    action: "hold",
    is_active: true
  }
})

const trialExample = success("Tried on the last 30 days", {
  from: "2026-02-01T08:00:00.000Z",
  payments: 1204,
  is_complete: true,
  hits: 1,
  examples: [
    {
      payment_id: "0199c2a5-0d11-7b62-8e13-2f4a5b6c7d8e",
      status: "completed",
      amount: 1500.5,
      currency: "KES",
      reason: 'the rule "trial": more than 5 payments of this phone number within 1 day.',
      created_at: "2026-02-14T10:12:00.000Z"
    }
  ]
})

const entryExample = {
  entry_id: "0199c2a6-2b40-7d10-9c20-3a4b5c6d7e8f",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  list: "block",
  subject: "phone",
  value: "+254799000222",
  note: "Charged back twice",
  created_at: "2026-03-02T09:15:00.000Z"
}
const platformEntry = { ...entryExample, org_id: null, subject: "name", value: "wanjiru kamau", list: "allow" }

const entryExamples = examples({
  "A phone number": { list: "block", subject: "phone", value: "+254799000222", note: "Charged back twice" },
  "A beneficiary that rules leave alone": {
    list: "allow",
    subject: "beneficiary",
    value: "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77"
  }
})

const setText =
  "Extension. Creates the rule of this name, or replaces it as a whole. It is off unless `is_active` is true. Payments count that were not failed, rejected or canceled, from the time of the owner's first rule. A payment over a limit is refused, held for review, or let through with a comment; the record names the rule. At most 50 rules."
const tryText =
  "Extension. Applies a rule to the payments of the last 30 days, without storing it, and answers with those that it would have stopped. Cards and IP addresses are known only since the owner has had a rule about them. Amounts are converted at today's base rate."
const addText =
  "Extension. Payments with a value on the block list are refused. A value on the allow list is not counted by rules of the list's owner. A name on the platform's allow list is not screened. An existing value keeps its id and gets the new note."

const removeText = "Extension. Payments that the rule holds still need their review."
const removeEntryText = "Extension. Takes effect with the next payment."

/** The same for an organisation and for the platform. */
const setting = { description: setText, request: termsExamples }
const trying = { lists: true, description: tryText, request: termsExamples, response: trialExample } as const
const adding = { description: addText, request: entryExamples }

export const RulesApi = apiGroup("rules", "Rules and lists", "Limits on payments, block and allow lists.", [
  operation({
    endpoint: get("list", "/organizations/:org_id/rules").addSuccess(envelope(Schema.Array(Rule))),
    access: "organization",
    lists: true,
    summary: "List rules",
    description: "Extension. Rules of the organisation, by name.",
    response: success("Rules", [ruleExample])
  }),
  operation({
    endpoint: put("set", "/organizations/:org_id/rules/:rule_name")
      .setPayload(RuleTermsBody)
      .addSuccess(envelope(Rule)),
    access: "organization",
    summary: "Set a rule",
    ...setting,
    response: success("Rule set", ruleExample)
  }),
  operation({
    endpoint: del("remove", "/organizations/:org_id/rules/:rule_name").addSuccess(HttpApiSchema.NoContent),
    access: "organization",
    summary: "Remove a rule",
    description: removeText
  }),
  operation({
    endpoint: post("try", "/organizations/:org_id/rules/try").setPayload(RuleTermsBody).addSuccess(envelope(RuleTrial)),
    access: "organization",
    summary: "Try a rule",
    ...trying
  }),
  operation({
    endpoint: get("entries", "/organizations/:org_id/lists", { ...filters, ...CamelPageParams }).addSuccess(
      camelPageOf(ListEntry)
    ),
    access: "organization",
    lists: true,
    summary: "List entries of block and allow lists",
    description: "Extension. Newest first.",
    response: camelPageExample("List entries", [entryExample])
  }),
  operation({
    endpoint: post("addEntry", "/organizations/:org_id/lists")
      .setPayload(AddListEntry)
      .addSuccess(envelope(ListEntry), { status: 201 }),
    access: "organization",
    summary: "Put a value on a list",
    ...adding,
    response: success("Added to the list", entryExample)
  }),
  operation({
    endpoint: del("removeEntry", "/organizations/:org_id/lists/:entry_id").addSuccess(HttpApiSchema.NoContent),
    access: "organization",
    summary: "Remove a value from a list",
    description: removeEntryText
  }),
  operation({
    endpoint: get("platformRules", "/rules").addSuccess(envelope(Schema.Array(Rule))),
    access: "platform",
    lists: true,
    summary: "List the platform's rules",
    description: "Extension. They apply to every organisation, and count payments of all of them together.",
    response: success("Rules", [platformRule])
  }),
  operation({
    endpoint: put("setPlatformRule", "/rules/:rule_name").setPayload(RuleTermsBody).addSuccess(envelope(Rule)),
    access: "platform",
    summary: "Set a rule of the platform",
    ...setting,
    response: success("Rule set", platformRule)
  }),
  operation({
    endpoint: del("removePlatformRule", "/rules/:rule_name").addSuccess(HttpApiSchema.NoContent),
    access: "platform",
    summary: "Remove a rule of the platform",
    description: removeText
  }),
  operation({
    endpoint: post("tryPlatformRule", "/rules/try").setPayload(RuleTermsBody).addSuccess(envelope(RuleTrial)),
    access: "platform",
    summary: "Try a rule of the platform",
    ...trying
  }),
  operation({
    endpoint: get("platformEntries", "/lists", { ...filters, ...PageParams }).addSuccess(pageOf(ListEntry)),
    access: "platform",
    lists: true,
    summary: "List entries of the platform's lists",
    description: "Extension. Newest first. They apply to every organisation.",
    response: pageExample("List entries", [platformEntry])
  }),
  operation({
    endpoint: post("addPlatformEntry", "/lists")
      .setPayload(AddListEntry)
      .addSuccess(envelope(ListEntry), { status: 201 }),
    access: "platform",
    summary: "Put a value on a list of the platform",
    ...adding,
    response: success("Added to the list", platformEntry)
  }),
  operation({
    endpoint: del("removePlatformEntry", "/lists/:platform_entry_id").addSuccess(HttpApiSchema.NoContent),
    access: "platform",
    summary: "Remove a value from a list of the platform",
    description: removeEntryText
  })
])
