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

/** As the statements take them: what the row's other columns say is left out, the rest is a line each. */
export const eventsOf = (types: ReadonlyArray<string>, facts: PaymentFacts, previous: string) => {
  const values = [
    facts.transaction_id,
    facts.status,
    previous,
    facts.amount,
    facts.currency,
    facts.target_amount,
    facts.target_currency,
    facts.direction,
    facts.payment_method,
    facts.provider,
    facts.client_reference
  ]
  return { ids: types.map(() => uuidv7()), types, data: values.map((value) => JSON.stringify(value)).join("\n") }
}
