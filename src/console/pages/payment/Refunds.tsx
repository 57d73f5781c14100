import { Badge } from "../../parts/Badge.tsx"
import { Card } from "../../parts/Card.tsx"
import { Money } from "../../parts/Money.tsx"
import { Table } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import type { Payment } from "../payments/PaymentTable.tsx"

export const Refunds = ({ payment }: { readonly payment: Payment }) => (
  <Card title="Refunds">
    <Table
      caption="Refunds"
      rows={payment.refunds}
      keyOf={({ refund_id }) => refund_id}
      columns={[
        {
          name: "State",
          show: ({ state }) => <Badge status={state} words={state === "open" ? "On its way" : undefined} />
        },
        { name: "Amount", align: "end", show: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
        { name: "Asked", align: "end", show: ({ created_at }) => <Time at={created_at} /> }
      ]}
    />
  </Card>
)
