import { useState } from "preact/hooks"
import { amountText, optionalAmount } from "../../api/Amount.ts"
import type { BoundCall, Item, Request } from "../../api/ConsoleApi.ts"
import { Badge } from "../../components/Badge.tsx"
import { Button } from "../../components/Button.tsx"
import { Table } from "../../components/DataTable.tsx"
import { ActionButton, Dialog } from "../../components/Dialog.tsx"
import { Field, type Values } from "../../components/Form.tsx"
import { Loading } from "../../components/Loading.tsx"
import { Page, Tabs } from "../../components/PageFrame.tsx"
import { Money, Time } from "../../components/Values.tsx"
import { orgId } from "../../state/ConsoleSession.ts"
import { durationText, labelOf, optionsOf, shortId } from "../../state/Display.ts"
import { linkTo } from "../../state/HashRouter.ts"
import { useLoad } from "../../state/LoadHooks.ts"
import { ListEntries } from "./ListEntries.tsx"

type Rule = Item<"rules", "list">
type Terms = Request<"rules", "set">["payload"]

/** Undefined: the platform's rules, which apply to every organisation. */
type Owner = string | undefined

const subjects = ["phone", "email", "card", "ip_address", "wallet_address", "beneficiary", "payer"] as const

const units = [
  ["60", "minutes"],
  ["3600", "hours"],
  ["86400", "days"]
] as const

const set = (send: BoundCall, org: Owner, rule_name: string, payload: Terms) =>
  org === undefined
    ? send("rules", "setPlatformRule", { path: { rule_name }, payload })
    : send("rules", "set", { path: { org_id: org, rule_name }, payload })

/** Without the fields that are null. */
const given = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    readonly [Name in keyof A]?: NonNullable<A[Name]>
  }

const termsOf = (rule: Omit<Rule, "created_at" | "name" | "org_id" | "updated_at">): Terms => {
  const { action, currency, direction, is_active, kind, max_amount, max_count, subject, window_seconds } = rule
  const limits = given({ currency, direction, max_amount, max_count })
  return { kind, subject, action, window_seconds, is_active, ...limits }
}

const typedTerms = (values: Values): Terms => {
  const { action, currency = "", direction = "", kind, max_amount = "", max_count = "", subject } = values
  const amount = optionalAmount(max_amount) ?? null
  return termsOf({
    kind: kind as Rule["kind"],
    subject: subject as Rule["subject"],
    action: action as Rule["action"],
    direction: direction === "" ? null : (direction as Rule["direction"]),
    max_count: max_count === "" ? null : Number(max_count),
    max_amount: amount,
    currency: amount === null || currency === "" ? null : (currency.toUpperCase() as Rule["currency"]),
    window_seconds: Number(values["window"]) * Number(values["unit"]),
    is_active: false
  })
}

const limitText = ({ currency, kind, max_amount, max_count }: Rule): string => {
  if (kind === "structuring") return "The review threshold"
  const limits = [
    ...(max_count === null ? [] : [`${max_count} payment${max_count === 1 ? "" : "s"}`]),
    ...(max_amount === null ? [] : [`${amountText(max_amount)} ${currency}`])
  ]
  return limits.join(", ")
}

const NewRule = ({ org }: { readonly org: Owner }) => {
  const [kind, setKind] = useState("velocity")
  return (
    <ActionButton
      name="Create rule"
      icon="plus"
      kind="primary"
      title="Create a rule"
      explanation="The rule is off at first. Try it on the payments of the last 30 days, then switch it on. A rule of the same name is replaced."
      done="Rule created"
      act={(values, send) => set(send, org, values["name"] ?? "", typedTerms(values))}
    >
      <Field name="name" label="Name" placeholder="five-a-day" hint="Lower-case letters, digits and dashes" required />
      <Field
        name="kind"
        label="Kind"
        options={[
          ["velocity", "Limit by number and amount"],
          ["structuring", "Reach the review threshold together"]
        ]}
        value={kind}
        onInput={setKind}
      />
      <Field name="subject" label="Payments with the same" options={optionsOf(subjects)} />
      <Field
        name="direction"
        label="Direction"
        options={[["", "All"], ...optionsOf(["inbound", "outbound", "external"])]}
      />
      {kind === "velocity" && (
        <>
          <Field name="max_count" label="Most payments" inputMode="numeric" required={false} />
          <div class="pair">
            <Field name="max_amount" label="Largest sum" inputMode="decimal" required={false} />
            <Field name="currency" label="Currency" hint="Default: the organisation's" required={false} />
          </div>
        </>
      )}
      <div class="pair">
        <Field name="window" label="Within" inputMode="numeric" value="1" required />
        <Field name="unit" label="Unit" options={units} value="86400" />
      </div>
      <Field
        name="action"
        label="Action"
        options={[
          ["hold", "Hold for review"],
          ["refuse", "Refuse"],
          ["alert", "Let through with an alert"]
        ]}
      />
    </ActionButton>
  )
}

const Trial = ({ org, rule }: { readonly org: Owner; readonly rule: Rule }) => {
  const loaded = useLoad(
    async (get) =>
      (org === undefined
        ? await get("rules", "tryPlatformRule", { payload: termsOf(rule) })
        : await get("rules", "try", { path: { org_id: org }, payload: termsOf(rule) })
      ).data,
    [org, rule.name]
  )
  return (
    <Loading loaded={loaded}>
      {({ examples, from, hits, is_complete, payments }) => (
        <>
          <p class="explanation">
            {hits} of {payments} payments would have been over the limit since <Time at={from} />.
            {!is_complete && " There were more payments; the newest were tried."} Nothing was stored.
          </p>
          {examples.length > 0 && (
            <Table
              caption="Payments over the limit, newest first"
              rows={examples}
              keyOf={({ payment_id }) => payment_id}
              columns={[
                {
                  name: "Payment",
                  show: ({ payment_id }) => <a href={linkTo(`payments/${payment_id}`)}>{shortId(payment_id)}</a>
                },
                { name: "Status", show: ({ status }) => <Badge status={status} /> },
                {
                  name: "Amount",
                  align: "end",
                  show: ({ amount, currency }) => <Money amount={amount} currency={currency} />
                }
              ]}
            />
          )}
        </>
      )}
    </Loading>
  )
}

const Try = ({ org, rule }: { readonly org: Owner; readonly rule: Rule }) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button label={`Try ${rule.name}`} onClick={() => setOpen(true)}>
        Try
      </Button>
      {open && (
        <Dialog title={`${rule.name} on the last 30 days`} onClose={() => setOpen(false)}>
          <Trial org={org} rule={rule} />
        </Dialog>
      )}
    </>
  )
}

const Switch = ({ org, rule }: { readonly org: Owner; readonly rule: Rule }) => {
  const name = rule.is_active ? "Switch off" : "Switch on"
  return (
    <ActionButton
      name={name}
      label={`${name} ${rule.name}`}
      title={`${name} ${rule.name}`}
      submit={name}
      explanation={
        rule.is_active
          ? "The rule no longer stops payments. It still counts them."
          : "The rule applies to payments from now on. Payments of its window count already."
      }
      done={rule.is_active ? "Rule switched off" : "Rule switched on"}
      act={(_, send) => set(send, org, rule.name, { ...termsOf(rule), is_active: !rule.is_active })}
    />
  )
}

const Remove = ({ org, rule }: { readonly org: Owner; readonly rule: Rule }) => (
  <ActionButton
    name="Remove"
    label={`Remove ${rule.name}`}
    title="Remove the rule"
    kind="danger"
    explanation="Payments that the rule holds still need their review."
    submit="Remove the rule"
    done="Rule removed"
    act={(_, send) =>
      org === undefined
        ? send("rules", "removePlatformRule", { path: { rule_name: rule.name } })
        : send("rules", "remove", { path: { org_id: org, rule_name: rule.name } })
    }
  />
)

const RuleTable = ({ org, rules }: { readonly org: Owner; readonly rules: ReadonlyArray<Rule> }) => (
  <Table
    caption="Rules"
    rows={rules}
    empty={["rules", "No rules", "A rule limits the payments of one phone number, card, address or beneficiary."]}
    keyOf={({ name }) => name}
    columns={[
      { name: "Name", show: ({ name }) => <strong>{name}</strong> },
      {
        name: "Status",
        show: ({ is_active }) => <Badge status={is_active ? "active" : "off"} words={is_active ? "On" : "Off"} />
      },
      {
        name: "Payments with the same",
        show: ({ direction, subject }) =>
          direction === null ? labelOf(subject) : `${labelOf(subject)}, ${labelOf(direction).toLowerCase()}`
      },
      {
        name: "Limit",
        below: true,
        show: (rule) => `${limitText(rule)} within ${durationText(rule.window_seconds * 1000)}`
      },
      { name: "Action", show: ({ action }) => labelOf(action) },
      { name: "Changed", align: "end", wide: true, show: ({ updated_at }) => <Time at={updated_at} /> }
    ]}
    actions={(rule) => (
      <>
        <Try org={org} rule={rule} />
        <Switch org={org} rule={rule} />
        <Remove org={org} rule={rule} />
      </>
    )}
  />
)

/** Of the chosen organisation; without one, a platform admin sees the platform's. */
export const RulesPage = ({ tab }: { readonly tab: string }) => {
  const org = orgId.value
  const loaded = useLoad(
    async (get): Promise<ReadonlyArray<Rule>> =>
      (org === undefined
        ? await get("rules", "platformRules", {})
        : await get("rules", "list", { path: { org_id: org } })
      ).data,
    [org]
  )
  const isLists = tab === "lists"
  return (
    <Page
      title="Rules"
      lead={
        org === undefined
          ? "Limits and lists of the platform, for every organisation."
          : "Limits on payments, block and allow lists."
      }
      reload={loaded.reload}
      actions={isLists ? undefined : <NewRule key={org} org={org} />}
    >
      <Tabs
        name="Rules"
        at="rules"
        current={isLists ? "lists" : "limits"}
        tabs={[
          ["limits", "Rules"],
          ["lists", "Block and allow lists"]
        ]}
      />
      {isLists ? (
        <ListEntries key={org} org={org} />
      ) : (
        <Loading loaded={loaded}>{(rules) => <RuleTable org={org} rules={rules} />}</Loading>
      )}
    </Page>
  )
}
