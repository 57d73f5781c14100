import { type Answer, call } from "../api/Api.ts"
import { Empty } from "../parts/Empty.tsx"
import { Listing } from "../parts/Listing.tsx"
import { orgColumn } from "../parts/OrgColumn.tsx"
import { Page } from "../parts/Page.tsx"
import { Table } from "../parts/Table.tsx"
import { Time } from "../parts/Time.tsx"
import { useLoad } from "../state/Load.ts"
import { usePages } from "../state/Pages.ts"
import { ofOrg, orgId } from "../state/Session.ts"
import { nameOf, shortId } from "../state/Words.ts"

type Entry = Answer<"auditLog", "list">["data"][number]

const loadNames = async (signal: AbortSignal) => {
  const urlParams = { ...ofOrg(), limit: 100 }
  const [users, keys] = await Promise.all([
    call("users", "list", { urlParams }, { signal }),
    call("apiKeys", "list", { urlParams }, { signal })
  ])
  return [
    ...users.data.map(({ email, user_id }) => [user_id, email] as const),
    ...keys.data.map(({ api_key_id, name }) => [api_key_id, `API key “${name}”`] as const)
  ]
}

/** People by their address and keys by their name, where they are known. */
const useNames = () => new Map(useLoad(loadNames, [orgId.value]).data ?? [])

const actionOf = (action: string): string => nameOf(action.replace(".", " ")).replace(/^Api key/, "API key")

const detailOf = ({ detail }: Entry): string =>
  Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ")

export const Audit = () => {
  const names = useNames()
  const list = usePages(
    (cursor, signal) =>
      call("auditLog", "list", { urlParams: { ...ofOrg(), limit: 25, last_evaluated_key: cursor } }, { signal }),
    [orgId.value]
  )
  const who = ({ actor_id, actor_type }: Entry): string =>
    names.get(actor_id) ??
    (actor_type === "operator" ? `Operator ${actor_id}` : `${nameOf(actor_type)} ${shortId(actor_id)}`)
  return (
    <Page title="Audit log" lead="Who changed what, and when. Nobody can change it.">
      <Listing list={list} empty={<Empty icon="audit" title="Nothing was changed yet" />}>
        {(items) => (
          <Table
            caption="Audit log"
            rows={items}
            keyOf={({ audit_id }) => audit_id}
            columns={[
              { name: "What", show: ({ action }) => <strong class="nowrap">{actionOf(action)}</strong> },
              { name: "Who", show: (entry) => <span class="clipped">{who(entry)}</span> },
              ...orgColumn<Entry>(({ org_id }) => org_id),
              {
                name: "Detail",
                below: true,
                show: (entry) => detailOf(entry) !== "" && <span class="two-lines">{detailOf(entry)}</span>
              },
              { name: "When", align: "end", show: ({ created_at }) => <Time at={created_at} /> }
            ]}
          />
        )}
      </Listing>
    </Page>
  )
}
