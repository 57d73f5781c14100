/** Payouts to escrow parties that could not be sent, as items of the operations queue. Reads the store alone. */
import { Effect, Layer } from "effect"
import { OtherItems, type OtherItem, type OtherItemsOf } from "../../payments/read/OperationsQueue.ts"
import type { BlockedPayout } from "./EscrowPayout.ts"
import { EscrowPayoutStore } from "./EscrowPayoutStore.ts"

const detailOf = ({ amount, escrow_name, party_name, reason }: BlockedPayout): string =>
  `The payout of ${amount.toString()} to ${party_name} of the escrow ${escrow_name} was not made: ${reason ?? "no reason is known."} The money is on the party's account.`

const itemOf = (blocked: BlockedPayout): OtherItem => {
  const { created_at, escrow_id, org_id, party_id, payout_id } = blocked
  return {
    item_id: payout_id,
    kind: "escrow_payout",
    org_id,
    escrow_id,
    party_id,
    detail: detailOf(blocked),
    created_at
  }
}

const blockedPayoutItems = Effect.map(
  EscrowPayoutStore,
  (store): OtherItemsOf =>
    (scope, window) =>
      Effect.map(store.blocked(scope, window), (rows) => rows.map(itemOf))
)

/** Handed to the queue, which names what it needs. */
export const OtherItemsLive = Layer.effect(OtherItems, blockedPayoutItems)
