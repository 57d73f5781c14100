/** Whoever lost the answer to a withdrawal gets one that is a withdrawal's. */
import { Effect, Option } from "effect"
import type { FundingAnswer } from "../../payments/read/FundingAnswers.ts"
import { movementText } from "./AccountAnswers.ts"
import { VirtualTransactionStore } from "./VirtualTransactionStore.ts"

export const withdrawalAnswers = Effect.map(
  VirtualTransactionStore,
  (transactions): FundingAnswer =>
    ({ org_id, payment_id }) =>
      Effect.map(
        transactions.findByPayment(org_id, payment_id),
        Option.map((found) => movementText("withdraw", found))
      )
)
