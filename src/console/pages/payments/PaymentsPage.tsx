import { useOrgPages } from "../../state/LoadHooks.ts"
import { noPayments, PaymentTable } from "./PaymentTable.tsx"
import { PagedList } from "../../components/Loading.tsx"
import { Page } from "../../components/PageFrame.tsx"
import { route, setQuery, linkTo } from "../../state/HashRouter.ts"
import { paymentStatuses } from "../../../domain/PaymentStatus.ts"
import { Field, FilterField } from "../../components/Form.tsx"
import { labelOf } from "../../state/Display.ts"
import { Icon } from "../../components/Button.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { signal } from "@preact/signals"

const any = (words: string, values: ReadonlyArray<string>) => [
  ["", words] as const,
  ...values.map((value) => [value, labelOf(value)] as const)
]

const choices = [
  ["status", "Status", any("Any status", paymentStatuses)],
  ["direction", "Kind", any("Any kind", ["inbound", "outbound", "external"])],
  ["payment_method", "Method", any("Any method", ["card", "mobile_money", "bank_transfer", "crypto", "wallet"])]
] as const

const Filters = () => {
  const query = Object.fromEntries(route.value.query)
  const set = (name: string) => (value: string) => setQuery({ ...query, [name]: value })
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <Field
        key={`search-${query["search"] ?? ""}`}
        name="search"
        label="Search"
        kind="search"
        value={query["search"] ?? ""}
        placeholder="Any id, reference, phone or e-mail"
        onChange={set("search")}
      />
      {choices.map(([name, label, options]) => (
        <FilterField key={name} name={name} label={label} options={options} />
      ))}
      <Field name="from" label="From" kind="date" value={query["from"] ?? ""} onInput={set("from")} />
      <Field name="to" label="To" kind="date" value={query["to"] ?? ""} onInput={set("to")} />
    </form>
  )
}

/** Saved searches, kept in this browser. */
interface View {
  readonly name: string
  readonly query: Readonly<Record<string, string>>
}

const VIEWS_KEY = "corridor.views"

const isView = (value: unknown): value is View =>
  typeof value === "object" && value !== null && typeof (value as View).name === "string" && "query" in value

const readViews = (): ReadonlyArray<View> => {
  const text = localStorage.getItem(VIEWS_KEY)
  if (text === null) return []
  try {
    const found: unknown = JSON.parse(text)
    return Array.isArray(found) ? found.filter(isView) : []
  } catch (error) {
    console.warn("The saved views cannot be read", error)
    return []
  }
}

const views = signal(readViews())

const storeViews = (all: ReadonlyArray<View>): void => {
  views.value = all
  localStorage.setItem(VIEWS_KEY, JSON.stringify(all))
}

/** Replaces a view of the same name. */
const saveView = (view: View): void => storeViews([...views.value.filter(({ name }) => name !== view.name), view])

const deleteView = (name: string): void => storeViews(views.value.filter((view) => view.name !== name))

const builtIn: ReadonlyArray<View> = [
  { name: "All", query: {} },
  { name: "Failed", query: { status: "failed" } },
  { name: "Waiting", query: { status: "pending" } },
  { name: "Payouts", query: { direction: "outbound" } }
]

const isCurrent = (query: Readonly<Record<string, string>>): boolean => {
  const here = route.value.query
  return (
    here.size === Object.keys(query).length && Object.entries(query).every(([name, value]) => here.get(name) === value)
  )
}

const ViewLink = ({ view: { name, query } }: { readonly view: View }) => (
  <a class="chip" href={linkTo("payments", query)} aria-current={isCurrent(query) ? "true" : undefined}>
    {name}
  </a>
)

const SavedViews = () => {
  const query = Object.fromEntries(route.value.query)
  const isSaved = [...builtIn, ...views.value].some((view) => isCurrent(view.query))
  return (
    <nav class="views" aria-label="Views">
      {builtIn.map((view) => (
        <ViewLink key={view.name} view={view} />
      ))}
      {views.value.map((view) => (
        <span key={view.name} class="chip-pair">
          <ViewLink view={view} />
          <button
            class="copy"
            type="button"
            aria-label={`Delete the view ${view.name}`}
            onClick={() => deleteView(view.name)}
          >
            <Icon name="cross" />
          </button>
        </span>
      ))}
      {!isSaved && (
        <ActionButton
          name="Save this view"
          icon="save"
          kind="ghost"
          explanation="Saves the search and its filters in this browser."
          submit="Save"
          done="View saved"
          act={async ({ name = "" }) => saveView({ name, query })}
        >
          <Field name="name" label="Name" required />
        </ActionButton>
      )}
    </nav>
  )
}

const isPhone = /^\+?[\d ()-]{7,20}$/

/** Chooses the API parameter: e-mail addresses and phone numbers search customers. */
const searchParams = (text: string) => {
  const search = text.trim()
  if (search === "") return {}
  return search.includes("@") || isPhone.test(search) ? { customer: search } : { reference: search }
}

export const PaymentsPage = () => {
  const { search = "", ...filters } = Object.fromEntries(route.value.query)
  const list = useOrgPages("payments", "transactions", { ...filters, ...searchParams(search) })
  return (
    <Page title="Payments">
      <SavedViews />
      <Filters />
      <PagedList list={list} empty={noPayments}>
        {(items) => <PaymentTable payments={items} />}
      </PagedList>
    </Page>
  )
}
