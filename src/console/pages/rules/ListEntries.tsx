import type { Item, Request } from "../../api/ConsoleApi.ts"
import { Badge } from "../../components/Badge.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { Field, FilterField } from "../../components/Form.tsx"
import { PagedTable } from "../../components/Loading.tsx"
import { Time } from "../../components/Values.tsx"
import { labelOf, optionsOf } from "../../state/Display.ts"
import { route } from "../../state/HashRouter.ts"
import { usePages } from "../../state/LoadHooks.ts"

type Entry = Item<"rules", "entries">
type NewEntry = Request<"rules", "addEntry">["payload"]

/** Undefined: the platform's lists. */
type Owner = string | undefined

const lists = [
  ["block", "Block list"],
  ["allow", "Allow list"]
] as const

const subjects = ["phone", "email", "card", "ip_address", "wallet_address", "beneficiary", "name"]

const AddEntry = ({ onDone, org }: { readonly onDone: () => void; readonly org: Owner }) => (
  <ActionButton
    name="Add to a list"
    icon="plus"
    kind="primary"
    title="Add a value to a list"
    explanation="Payments with a value on the block list are refused. A value on the allow list is not counted by these rules."
    done="Value added"
    onDone={onDone}
    act={({ list, note = "", subject, value = "" }, send) => {
      const payload: NewEntry = {
        list: list as Entry["list"],
        subject: subject as Entry["subject"],
        value,
        ...(note === "" ? {} : { note })
      }
      return org === undefined
        ? send("rules", "addPlatformEntry", { payload })
        : send("rules", "addEntry", { path: { org_id: org }, payload })
    }}
  >
    <Field name="list" label="List" options={lists} />
    <Field name="subject" label="Kind of value" options={optionsOf(subjects)} />
    <Field
      name="value"
      label="Value"
      hint="Of a beneficiary its id; of a card the fingerprint on a payment's page."
      required
    />
    <Field name="note" label="Reason" hint="For colleagues" required={false} />
  </ActionButton>
)

const RemoveEntry = ({ entry, org }: { readonly entry: Entry; readonly org: Owner }) => (
  <ActionButton
    name="Remove"
    label={`Remove ${entry.value}`}
    title="Remove the value"
    kind="danger"
    explanation={`“${entry.value}” leaves the list with the next payment.`}
    submit="Remove the value"
    done="Value removed"
    act={(_, send) =>
      org === undefined
        ? send("rules", "removePlatformEntry", { path: { platform_entry_id: entry.entry_id } })
        : send("rules", "removeEntry", { path: { org_id: org, entry_id: entry.entry_id } })
    }
  />
)

export const ListEntries = ({ org }: { readonly org: Owner }) => {
  const chosen = route.value.query.get("list") ?? ""
  const filter = chosen === "" ? {} : { list: chosen as Entry["list"] }
  const list = usePages<Entry>(
    (get, cursor) => {
      const urlParams = { ...filter, limit: 25, ...cursor }
      return org === undefined
        ? get("rules", "platformEntries", { urlParams })
        : get("rules", "entries", { path: { org_id: org }, urlParams })
    },
    [org, chosen]
  )
  return (
    <>
      <div class="filters">
        <FilterField name="list" label="List" options={[["", "Both"], ...lists]} />
        <AddEntry org={org} onDone={list.reload} />
      </div>
      <PagedTable
        list={list}
        empty={["rules", "Nothing on the lists"]}
        caption="Values on lists, newest first"
        keyOf={({ entry_id }) => entry_id}
        columns={[
          { name: "Value", show: ({ value }) => <strong class="clipped">{value}</strong> },
          { name: "Kind", show: ({ subject }) => labelOf(subject) },
          {
            name: "List",
            show: (entry) => (
              <Badge
                status={entry.list}
                tone={entry.list === "block" ? "bad" : "good"}
                words={entry.list === "block" ? "Block" : "Allow"}
              />
            )
          },
          { name: "Reason", below: true, show: ({ note }) => note },
          { name: "Added", align: "end", wide: true, show: ({ created_at }) => <Time at={created_at} /> }
        ]}
        actions={(entry) => <RemoveEntry entry={entry} org={org} />}
      />
    </>
  )
}
