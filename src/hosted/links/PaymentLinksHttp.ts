import { Effect, Option } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { PaymentLinksApi } from "../../contract/api/PaymentLinksApi.ts"
import { type Handlers, WholeList } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { PaymentLinks } from "./PaymentLinks.ts"

export const paymentLinksHandlers = Effect.gen(function* () {
  const links = yield* PaymentLinks
  const pages = yield* makePages
  const handlers: Handlers<typeof PaymentLinksApi> = {
    list: ({ permit, route, urlParams }) => {
      const { last_evaluated_key, limit = last_evaluated_key === undefined ? undefined : 10 } = urlParams
      if (limit === undefined) {
        return Effect.succeed(
          new WholeList({}, (last, take) =>
            links.list(permit, {
              after: Option.map(Option.fromNullable(last), (link) => [link.created_at.toISOString(), link.link_id]),
              take
            })
          )
        )
      }
      const page = pages(
        { permit, route, urlParams: { limit, last_evaluated_key } },
        { message: "", fetch: (window) => links.list(permit, window), idOf: ({ link_id }) => link_id }
      )
      return Effect.map(page, ({ data, last_evaluated_key, meta }) => ({
        data,
        count: data.length,
        meta,
        last_evaluated_key
      }))
    },
    create: ({ payload, permit }) =>
      Effect.map(links.create(permit, payload), (made) => success("Payment link created", made)),
    get: ({ path, permit }) => Effect.map(links.get(permit, path.link_id), (found) => success("Payment link", found)),
    cancel: ({ path, permit }) => links.cancel(permit, path.link_id)
  }
  return handlers
})
