/** Views of the payments: built-in ones, and those that the organisation shares. */
import type { Item } from "../../api/ConsoleApi.ts"
import { ActionButton } from "../../components/Dialog.tsx"
import { Field } from "../../components/Form.tsx"
import { ProblemNote } from "../../components/Loading.tsx"
import { hasAccess, orgFilter, orgId } from "../../state/ConsoleSession.ts"
import { linkTo, route } from "../../state/HashRouter.ts"
import { useLoad } from "../../state/LoadHooks.ts"

type Query = Readonly<Record<string, string>>
type SavedView = Item<"savedViews", "list">

const builtIn: ReadonlyArray<readonly [name: string, query: Query]> = [
  ["All", {}],
  ["Failed", { status: "failed" }],
  ["Waiting", { status: "pending" }],
  ["Payouts", { direction: "outbound" }]
]

const isCurrent = (query: Query): boolean => {
  const here = route.value.query
  return (
    here.size === Object.keys(query).length && Object.entries(query).every(([name, value]) => here.get(name) === value)
  )
}

const ViewLink = ({ name, query }: { readonly name: string; readonly query: Query }) => (
  <a class="chip" href={linkTo("payments", query)} aria-current={isCurrent(query) ? "true" : undefined}>
    {name}
  </a>
)

/** The open view can be renamed and deleted. */
const SharedView = ({ onDone, view }: { readonly view: SavedView; readonly onDone: () => void }) => {
  const { filters, name, view_id } = view
  const path = { view_id }
  return (
    <span class="chip-pair">
      <ViewLink name={name} query={filters as Query} />
      {isCurrent(filters as Query) && hasAccess("saved_views") && (
        <>
          <ActionButton
            name=""
            label={`Rename the view ${name}`}
            icon="edit"
            kind="ghost"
            title={`Rename the view ${name}`}
            explanation="Everybody in the organisation sees the new name."
            submit="Rename"
            done="View renamed"
            onDone={onDone}
            act={(values, send) => send("savedViews", "change", { path, payload: { name: values["name"] ?? "" } })}
          >
            <Field name="name" label="Name" value={name} required />
          </ActionButton>
          <ActionButton
            name=""
            label={`Delete the view ${name}`}
            icon="cross"
            kind="ghost"
            title={`Delete the view ${name}`}
            explanation="It is deleted for everybody in the organisation."
            submit="Delete"
            done="View deleted"
            onDone={onDone}
            act={(_, send) => send("savedViews", "remove", { path })}
          />
        </>
      )}
    </span>
  )
}

const SaveView = ({ onDone, query }: { readonly query: Query; readonly onDone: () => void }) => (
  <ActionButton
    name="Save this view"
    icon="save"
    kind="ghost"
    explanation="Saves the search and its filters for everybody in the organisation who sees payments."
    submit="Save"
    done="View saved"
    onDone={onDone}
    act={({ name = "" }, send) =>
      send("savedViews", "create", { payload: { ...orgFilter(), name, filters: query as SavedView["filters"] } })
    }
  >
    <Field name="name" label="Name" required />
  </ActionButton>
)

export const SavedViews = () => {
  const query = Object.fromEntries(route.value.query)
  const org = orgId.value
  const { data, problem, reload } = useLoad(
    async (get) => (org === undefined ? [] : (await get("savedViews", "list", { urlParams: orgFilter() })).data),
    [org]
  )
  const views = data ?? []
  const isSaved = builtIn.some(([, one]) => isCurrent(one)) || views.some((view) => isCurrent(view.filters as Query))
  return (
    <nav class="views" aria-label="Views">
      {builtIn.map(([name, one]) => (
        <ViewLink key={name} name={name} query={one} />
      ))}
      {views.map((view) => (
        <SharedView key={view.view_id} view={view} onDone={reload} />
      ))}
      {org !== undefined && !isSaved && hasAccess("saved_views") && <SaveView query={query} onDone={reload} />}
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
    </nav>
  )
}
