import type { Item } from "../api/ConsoleApi.ts"
import { Field } from "../components/Form.tsx"
import { PagedTable } from "../components/Loading.tsx"
import { orgColumn } from "../components/DataTable.tsx"
import { Page } from "../components/PageFrame.tsx"
import { Time } from "../components/Values.tsx"
import { linkTo, route, setQuery } from "../state/HashRouter.ts"
import { useOrgPages } from "../state/LoadHooks.ts"
import { dayBounds, labelOf, shortId } from "../state/Display.ts"
import { isolatedName } from "../../domain/IsolatedName.ts"

type Entry = Item<"auditLog", "list">

const actionOf = (action: string): string => labelOf(action.replace(".", " ")).replace(/^Api key/, "API key")

const detailOf = ({ detail }: Entry): string =>
  Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ")

const whoOf = ({ actor_id, actor_name, actor_type }: Entry): string => {
  if (actor_name === null)
    return actor_type === "operator" ? `Operator ${actor_id}` : `${labelOf(actor_type)} ${shortId(actor_id)}`
  if (actor_type === "user") return actor_name
  return actor_type === "operator" ? `Operator ${actor_name}` : `API key “${isolatedName(actor_name)}”`
}

const pages: Readonly<Record<string, string>> = {
  payment: "payments",
  beneficiary: "beneficiaries",
  virtual_account: "accounts",
  escrow: "escrow",
  webhook: "webhooks/endpoints",
  delivery: "webhooks/deliveries"
}

/** Changed object, with its page if it has one. The action names its type. */
const Subject = ({ entry: { subject_id, subject_type } }: { readonly entry: Entry }) => {
  const page = pages[subject_type]
  const text = subject_id.length > 20 ? shortId(subject_id) : subject_id
  return page === undefined ? (
    <span class="muted nowrap" title={subject_id}>
      {text}
    </span>
  ) : (
    <a
      class="nowrap"
      href={linkTo(`${page}/${subject_id}`)}
      title={subject_id}
      aria-label={`${labelOf(subject_type)} ${text}`}
    >
      {text}
    </a>
  )
}

type Query = Readonly<Record<string, string>>

interface OnlyProps {
  readonly words: string
  readonly name: string
  /** Placeholder without this filter. */
  readonly instead: string
  /** Parameters of the filter. */
  readonly of: ReadonlyArray<string>
  readonly query: Query
}

/** The chip leaves the page, so the focus goes to the heading. */
const Only = ({ instead, name, of, query, words }: OnlyProps) => (
  <button
    class="chip"
    type="button"
    onClick={({ currentTarget }) => {
      currentTarget.closest("main")?.querySelector("h1")?.focus()
      setQuery(Object.fromEntries(Object.entries(query).filter(([param]) => !of.includes(param))))
    }}
  >
    {words} <bdi>{name}</bdi> ×<span class="unseen"> {instead}</span>
  </button>
)

export const AuditPage = () => {
  const query = Object.fromEntries(route.value.query)
  const { actor_id, from, person, subject, subject_id, to } = query
  const set = (name: string) => (day: string) => setQuery({ ...query, [name]: day })
  const list = useOrgPages("auditLog", "list", { actor_id, subject_id, ...dayBounds({ from, to }) })
  return (
    <Page title="Audit log" lead="Who changed what, and when. Entries cannot be changed.">
      <div class="filters">
        <Field name="from" label="From" kind="date" value={from ?? ""} onChange={set("from")} />
        <Field name="to" label="Until" kind="date" value={to ?? ""} onChange={set("to")} />
        {actor_id !== undefined && (
          <Only
            words="Only"
            name={person ?? shortId(actor_id)}
            instead="Show everyone"
            of={["actor_id", "person"]}
            query={query}
          />
        )}
        {subject_id !== undefined && (
          <Only
            words="Only changes of"
            name={subject ?? shortId(subject_id)}
            instead="Show all changes"
            of={["subject_id", "subject"]}
            query={query}
          />
        )}
      </div>
      <PagedTable
        list={list}
        empty={["audit", "No changes", "No changes match these filters."]}
        caption="Audit log"
        keyOf={({ audit_id }) => audit_id}
        columns={[
          { name: "What", show: ({ action }) => <strong class="nowrap">{actionOf(action)}</strong> },
          { name: "Of", below: true, show: (entry) => <Subject entry={entry} /> },
          {
            name: "Who",
            show: (entry) => (
              <a class="clipped" href={linkTo("audit", { ...query, actor_id: entry.actor_id, person: whoOf(entry) })}>
                {whoOf(entry)}
              </a>
            )
          },
          ...orgColumn<Entry>(({ org_id }) => org_id),
          {
            name: "Detail",
            below: true,
            show: (entry) => detailOf(entry) !== "" && <span class="two-lines">{detailOf(entry)}</span>
          },
          { name: "When", align: "end", show: ({ created_at }) => <Time at={created_at} /> }
        ]}
      />
    </Page>
  )
}
