import { Effect } from "effect"
import type { ResolutionsApi } from "../../contract/api/Resolutions.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { recordOf } from "./PaymentRecord.ts"
import { Resolution } from "../settlement/Resolution.ts"

export const resolutionsHandlers = Effect.map(Resolution, (resolution): Handlers<typeof ResolutionsApi> => ({
  resolve: ({ path, payload: { item_id: item, ...verdict }, permit }) =>
    Effect.map(resolution.resolve(permit, path.payment_id, { ...verdict, item }), recordOf),
  giveBack: ({ path, payload: { item_id: item, reason }, permit }) =>
    Effect.map(resolution.giveBack(permit, path.payment_id, { reason, item }), recordOf)
}))
