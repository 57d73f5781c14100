/** The events of a change of state as the exact text that would be delivered. */
import { uuidv7 } from "./Uuid.ts"

export interface PaymentFacts {
  readonly payment_id: string
  readonly transaction_id: string
  readonly org_id: string
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly target_amount: number
  readonly target_currency: string
  readonly direction: string
  readonly payment_method: string
  readonly provider: string | null
  readonly client_reference: string | null
}

/** As the three arrays that the statements take. */
export const eventsOf = (types: ReadonlyArray<string>, facts: PaymentFacts, previous: string, at: Date) => {
  const { org_id, ...payment } = facts
  const created_at = at.toISOString()
  const data = { ...payment, previous_status: previous, updated_at: created_at }
  const ids = types.map(() => uuidv7())
  const payloads = types.map((event_type, index) =>
    JSON.stringify({ event_id: ids[index], event_type, org_id, created_at, data })
  )
  return { ids, types, payloads }
}
