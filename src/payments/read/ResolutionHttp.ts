import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { DecidableItem, ResolutionsApi } from "../../contract/api/Resolutions.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { PaymentDecisions } from "./PaymentDecisions.ts"
import { recordOf } from "./PaymentRecord.ts"
import type { DecidableItem as Decidable } from "../settlement/Decisions.ts"
import { Resolution } from "../settlement/Resolution.ts"

export const shownItem = ({ decisions, money, ...item }: Decidable): typeof DecidableItem.Type => ({
  ...item,
  amount: money?.toShown() ?? null,
  currency: money?.currency ?? null,
  decisions: decisions.map(({ balance, ...decision }) => ({
    ...decision,
    account: balance?.account ?? null,
    currency: balance?.before.currency ?? null,
    before: balance?.before.toShown() ?? null,
    after: balance?.after.toShown() ?? null,
    owes: balance?.owes.toShown() ?? null
  }))
})

export const resolutionsHandlers = Effect.map(
  Effect.all([Resolution, PaymentDecisions]),
  ([resolution, decisions]): Handlers<typeof ResolutionsApi> => ({
    decisions: ({ path, permit }) =>
      Effect.map(decisions.about(permit, path.payment_id), (items) =>
        success("Decisions", { payment_id: path.payment_id, items: items.map(shownItem) })
      ),
    resolve: ({ path, payload: { item_id: item, movement_id: movementId, ...verdict }, permit }) =>
      Effect.map(resolution.resolve(permit, path.payment_id, { ...verdict, item, movementId }), recordOf),
    giveBack: ({ path, payload: { item_id: item, reason }, permit }) =>
      Effect.map(resolution.giveBack(permit, path.payment_id, { reason, item }), recordOf)
  })
)
