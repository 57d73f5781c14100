import { Effect } from "effect"
import type { Fee, FeesApi } from "../../contract/api/FeesApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { type FeeRule, Fees } from "./Fees.ts"

const shown = ({ fixed, ...rule }: FeeRule): typeof Fee.Type => ({
  ...rule,
  fixed_amount: fixed === null ? null : fixed.toShown(),
  fixed_currency: fixed === null ? null : fixed.currency
})

export const feesHandlers = Effect.map(Fees, (fees): Handlers<typeof FeesApi> => ({
  list: ({ permit }) => answer("Fees", fees.list(permit), (rules) => rules.map(shown))
}))
