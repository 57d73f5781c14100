/** What a worker's run for an attempt is called in traces, and which request it refers to. */
import type { Attempt } from "./Payment.ts"

export const attemptRun = (name: string, { attempt_id, org_id, payment_id, provider, traceparent }: Attempt) => ({
  name,
  traceparent,
  attributes: {
    "corridor.org_id": org_id,
    "corridor.payment_id": payment_id,
    "corridor.attempt_id": attempt_id,
    "corridor.provider": provider
  }
})
