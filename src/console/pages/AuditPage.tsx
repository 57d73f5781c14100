import type { Item } from "../api/ConsoleApi.ts"
import { PagedTable } from "../components/Loading.tsx"
import { orgColumn } from "../components/DataTable.tsx"
import { Page } from "../components/PageFrame.tsx"
import { Time } from "../components/Values.tsx"
import { useOrgPages } from "../state/LoadHooks.ts"
import { labelOf, shortId } from "../state/Display.ts"

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
  return actor_type === "operator" ? `Operator ${actor_name}` : `API key “${actor_name}”`
}

export const AuditPage = () => {
  const list = useOrgPages("auditLog", "list")
  return (
    <Page title="Audit log" lead="Who changed what, and when. Entries cannot be changed.">
      <PagedTable
        list={list}
        empty={["audit", "No changes yet"]}
        caption="Audit log"
        keyOf={({ audit_id }) => audit_id}
        columns={[
          { name: "What", show: ({ action }) => <strong class="nowrap">{actionOf(action)}</strong> },
          { name: "Who", show: (entry) => <span class="clipped">{whoOf(entry)}</span> },
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
