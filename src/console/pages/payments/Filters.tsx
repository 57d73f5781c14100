import { paymentStatuses } from "../../../domain/PaymentStatus.ts"
import { Field } from "../../parts/Field.tsx"
import { route, setQuery } from "../../state/Router.ts"
import { nameOf } from "../../state/Words.ts"

const any = (words: string, values: ReadonlyArray<string>) => [
  ["", words] as const,
  ...values.map((value) => [value, nameOf(value)] as const)
]

const choices = [
  ["status", "Status", any("Any status", paymentStatuses)],
  ["direction", "Kind", any("Any kind", ["inbound", "outbound", "external"])],
  ["payment_method", "Method", any("Any method", ["card", "mobile_money", "bank_transfer", "crypto", "wallet"])]
] as const

export const Filters = () => {
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
        <Field key={name} name={name} label={label} options={options} value={query[name] ?? ""} onInput={set(name)} />
      ))}
      <Field name="from" label="From" kind="date" value={query["from"] ?? ""} onInput={set("from")} />
      <Field name="to" label="To" kind="date" value={query["to"] ?? ""} onInput={set("to")} />
    </form>
  )
}
