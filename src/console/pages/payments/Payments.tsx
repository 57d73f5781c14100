import { call, type Request } from "../../api/Api.ts"
import { Listing } from "../../parts/Listing.tsx"
import { Page } from "../../parts/Page.tsx"
import { usePages } from "../../state/Pages.ts"
import { route } from "../../state/Router.ts"
import { ofOrg, orgId } from "../../state/Session.ts"
import { Filters } from "./Filters.tsx"
import { NoPayments } from "./NoPayments.tsx"
import { PaymentTable } from "./PaymentTable.tsx"
import { SavedViews } from "./SavedViews.tsx"

type Wanted = NonNullable<Request<"payments", "transactions">["urlParams"]>

const PAGE = 25

const isPhone = /^\+?[\d ()-]{7,20}$/

/** Ids and references have their own place in the API, people theirs. */
const soughtBy = (text: string): Wanted => {
  const search = text.trim()
  if (search === "") return {}
  return search.includes("@") || isPhone.test(search) ? { customer: search } : { reference: search }
}

/** The last day is meant as a whole, as the API reads a day without a time. */
const wantedBy = ({ search = "", ...filters }: Readonly<Record<string, string>>): Wanted =>
  ({ ...filters, ...soughtBy(search), limit: PAGE, ...ofOrg() }) as Wanted

export const Payments = () => {
  const query = Object.fromEntries(route.value.query)
  const list = usePages(
    (cursor, signal) =>
      call("payments", "transactions", { urlParams: { ...wantedBy(query), last_evaluated_key: cursor } }, { signal }),
    [query, orgId.value]
  )
  return (
    <Page title="Payments">
      <SavedViews />
      <Filters />
      <Listing list={list} empty={<NoPayments />}>
        {(items) => <PaymentTable payments={items} />}
      </Listing>
    </Page>
  )
}
