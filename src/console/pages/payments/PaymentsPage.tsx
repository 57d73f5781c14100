import { signal } from "@preact/signals"
import { holdsCardNumber } from "../../../domain/Card.ts"
import { paymentStatuses } from "../../../domain/PaymentStatus.ts"
import { showNotice } from "../../components/Dialog.tsx"
import { Field, FilterField } from "../../components/Form.tsx"
import { PagedList } from "../../components/Loading.tsx"
import { Page } from "../../components/PageFrame.tsx"
import { exactTime, labelOf } from "../../state/Display.ts"
import { route, setQuery } from "../../state/HashRouter.ts"
import { useOrgPages } from "../../state/LoadHooks.ts"
import { dayBounds, timeZone } from "../../state/LocalDays.ts"
import { useWantedSearch } from "../../state/SearchKey.ts"
import { noPayments, PaymentTable } from "./PaymentTable.tsx"
import { SavedViews } from "./SavedViews.tsx"

const any = (words: string, values: ReadonlyArray<string>) => [
  ["", words] as const,
  ...values.map((value) => [value, labelOf(value)] as const)
]

const choices = [
  ["status", "Status", any("Any status", paymentStatuses)],
  ["direction", "Kind", any("Any kind", ["inbound", "outbound", "external"])],
  ["payment_method", "Method", any("Any method", ["card", "mobile_money", "bank_transfer", "crypto", "wallet"])]
] as const

/** Raised when a card number was replaced, so that the field shows what is searched instead. */
const replaced = signal(0)

/** Card numbers never leave the field: neither to the address nor to the server. */
const searchable = (typed: string): string => {
  if (!holdsCardNumber(typed)) return typed
  replaced.value++
  showNotice("Card numbers are not sent. Searched for the last four digits.")
  return typed.replaceAll(/\D/g, "").slice(-4)
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
        empty={isPartial ? ["payments", "None found so far", "Older payments are not searched yet."] : noPayments}
        moreName={isPartial ? "Search further back" : "Show more"}
      >
        {(items) => <PaymentTable payments={items} />}
      </PagedList>
      {isPartial && <p class="muted">References and names are searched back to {exactTime(searchedTo)}.</p>}
    </Page>
  )
}
