/** List of payments: search, filters, and the views that the organisation shares. */
import { signal } from "@preact/signals"
import { cardNumbersIn } from "../../../domain/Card.ts"
import { paymentStatuses } from "../../../domain/PaymentStatus.ts"
import { showNotice, ActionButton } from "../../components/Dialog.tsx"
import { Field, FilterField } from "../../components/Form.tsx"
import { PagedList, ProblemNote } from "../../components/Loading.tsx"
import { Page } from "../../components/PageFrame.tsx"
import { exactTime, optionsOf, dayBounds, timeZone } from "../../state/Display.ts"
import { route, setQuery, linkTo } from "../../state/HashRouter.ts"
import { useOrgPages, useLoad } from "../../state/LoadHooks.ts"
import { useWantedSearch } from "../../state/SearchKey.ts"
import { noPayments, noPaymentsYet, PaymentTable } from "./PaymentTable.tsx"
import type { Item } from "../../api/ConsoleApi.ts"
import { hasAccess, orgFilter, orgId } from "../../state/ConsoleSession.ts"
import { isolatedName } from "../../../domain/IsolatedName.ts"

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
            title={`Rename the view ${isolatedName(name)}`}
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
            title={`Delete the view ${isolatedName(name)}`}
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

const SavedViews = () => {
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

const any = (words: string, codes: ReadonlyArray<string>) => [["", words] as const, ...optionsOf(codes)]

const choices = [
  ["status", "Status", any("Any status", paymentStatuses)],
  ["direction", "Kind", any("Any kind", ["inbound", "outbound", "external"])],
  ["payment_method", "Method", any("Any method", ["card", "mobile_money", "bank_transfer", "crypto", "wallet"])]
] as const

/** Raised when a card number was replaced, so that the field shows what is searched instead. */
const replaced = signal(0)

/** Card numbers never leave the field: neither to the address nor to the server. */
const searchable = (typed: string): string => {
  const [number] = cardNumbersIn(typed)
  if (number === undefined) return typed
  replaced.value++
  showNotice("Card numbers are not sent. Searched for the last four digits.")
  return number.slice(-4)
}

const Filters = () => {
  useWantedSearch("search")
  const query = Object.fromEntries(route.value.query)
  const set = (name: string) => (value: string) => setQuery({ ...query, [name]: value })
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <Field
        key={`search-${replaced.value}-${query["search"] ?? ""}`}
        name="search"
        label="Search"
        kind="search"
        value={query["search"] ?? ""}
        placeholder="Amount, name, last four digits, reference, id, e-mail or phone"
        hint="The key / opens this search from any page."
        onChange={(typed) => set("search")(searchable(typed).trim())}
      />
      {choices.map(([name, label, options]) => (
        <FilterField key={name} name={name} label={label} options={options} />
      ))}
      <Field name="from" label="From" kind="date" value={query["from"] ?? ""} onInput={set("from")} />
      <Field name="to" label="To" kind="date" value={query["to"] ?? ""} onInput={set("to")} />
    </form>
  )
}

/** Days and the time zone that they are of. */
const DaysNote = () => {
  const { query } = route.value
  return query.has("from") || query.has("to") ? <p class="muted">Days in your time zone, {timeZone()}.</p> : null
}

const partly = ["payments", "None found so far", "Older payments are not searched yet."] as const

export const PaymentsPage = () => {
  const { from, to, ...filters } = Object.fromEntries(route.value.query)
  const list = useOrgPages("payments", "transactions", { ...filters, ...dayBounds({ from, to }) })
  const { more, searchedTo } = list
  const isPartial = more !== undefined && searchedTo !== undefined
  return (
    <Page title="Payments">
      <SavedViews />
      <Filters />
      <DaysNote />
      <PagedList
        list={list}
        empty={isPartial ? partly : route.value.query.size === 0 ? noPaymentsYet : noPayments}
        moreName={isPartial ? "Search further back" : "Show more"}
      >
        {(items) => <PaymentTable payments={items} />}
      </PagedList>
      {isPartial && <p class="muted">References and names are searched back to {exactTime(searchedTo)}.</p>}
    </Page>
  )
}
