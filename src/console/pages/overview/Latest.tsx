import { call } from "../../api/Api.ts"
import { Card } from "../../parts/Card.tsx"
import { Listing } from "../../parts/Listing.tsx"
import { usePages } from "../../state/Pages.ts"
import { ofOrg, orgId } from "../../state/Session.ts"
import { NoPayments } from "../payments/NoPayments.tsx"
import { PaymentTable } from "../payments/PaymentTable.tsx"

const SHOWN = 6

export const Latest = () => {
  const list = usePages(
    (_cursor, signal) => call("payments", "transactions", { urlParams: { ...ofOrg(), limit: SHOWN } }, { signal }),
    [orgId.value]
  )
  return (
    <Card title="Latest payments" actions={<a href="#/payments">All payments</a>}>
      <Listing list={{ ...list, more: undefined }} empty={<NoPayments />}>
        {(items) => <PaymentTable payments={items} brief />}
      </Listing>
    </Card>
  )
}
