import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { PaymentLinksApi } from "../../contract/api/PaymentLinks.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { PaymentLinks } from "./PaymentLinks.ts"

export const paymentLinksHandlers = Effect.gen(function* () {
  const links = yield* PaymentLinks
  const handlers: Handlers<typeof PaymentLinksApi> = {
    list: ({ permit }) => Effect.map(links.list(permit), (data) => ({ data, count: data.length })),
    create: ({ payload, permit }) =>
      Effect.map(links.create(permit, payload), (made) => success("Payment link created", made)),
    get: ({ path, permit }) => Effect.map(links.get(permit, path.link_id), (found) => success("Payment link", found)),
    cancel: ({ path, permit }) => links.cancel(permit, path.link_id)
  }
  return handlers
})
