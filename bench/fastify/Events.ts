/** The events of a change of state, with the exact text of what they tell. */
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

/** As the statements take them. */
export const eventsOf = (types: ReadonlyArray<string>, facts: PaymentFacts, previous: string, at: Date) => {
  const { org_id: _owner, ...payment } = facts
  const data = JSON.stringify({ ...payment, previous_status: previous, updated_at: at.toISOString() })
  return { ids: types.map(() => uuidv7()), types, data }
}
