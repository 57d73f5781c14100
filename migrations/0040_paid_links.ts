import { indexes } from "../src/platform/database/Migration.ts"

/** When a link was first paid is found among its first payments, however many there have been since. */
export default indexes({
  besidePrevious: true,
  create: { payment_link_payments_first: "on payment_link_payments (link_id, payment_id)" }
})
