import { Empty } from "../../parts/Empty.tsx"

export const NoPayments = () => (
  <Empty icon="payments" title="No payments">
    Nothing is here yet, or nothing fits what you look for.
  </Empty>
)
