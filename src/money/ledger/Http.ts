import { Effect } from "effect"
import type { Balance, BalancesApi } from "../../contract/api/Balances.ts"
import { kindOf } from "../../domain/Ledger.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import type { StoredBalance } from "./Books.ts"
import { Ledger } from "./Ledger.ts"

const shown = ({ account, balance, floor }: StoredBalance): typeof Balance.Type => ({
  account,
  // A balance is kept only for these.
  kind: kindOf(account) as (typeof Balance.Type)["kind"],
  currency: balance.currency,
  balance: balance.toShown(),
  floor: floor === null ? null : floor.toShown()
})

export const balancesHandlers = Effect.map(Ledger, (ledger): Handlers<typeof BalancesApi> => ({
  list: ({ permit }) =>
    Effect.map(ledger.balancesOf(permit), (all) => ({
      status: "success",
      message: "Balances",
      data: all.map(shown),
      count: all.length
    }))
}))
