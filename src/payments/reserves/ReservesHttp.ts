import { Effect, Either } from "effect"
import type { Reserve, ReservesApi } from "../../contract/api/ReservesApi.ts"
import { success } from "../../contract/api/Envelope.ts"
import { organizationOf } from "../../domain/Access.ts"
import { Invalid } from "../../domain/Failure.ts"
import { minimumOf, reserveRule, type ReserveRule } from "../../domain/Reserve.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { ReserveStore } from "./ReserveStore.ts"

const shown = (rule: ReserveRule): typeof Reserve.Type => ({
  ...rule,
  minimum_amount: minimumOf(rule)?.toShown() ?? null
})

export const reservesHandlers = Effect.map(
  Effect.all([Organizations, ReserveStore]),
  ([organizations, store]): Handlers<typeof ReservesApi> => ({
    get: Effect.fn("ReservesHttp.get")(function* ({ permit }) {
      const orgId = yield* organizationOf(permit)
      const { reserves } = yield* organizations.reservesOf(permit)
      const releases = yield* store.upcoming(orgId)
      return success("Reserves", {
        rules: reserves.map(shown),
        releases: releases.map(({ amount, date }) => ({ date, currency: amount.currency, amount: amount.toShown() }))
      })
    }),
    set: Effect.fn("ReservesHttp.set")(function* ({ payload, permit }) {
      const orgId = yield* organizationOf(permit)
      const rule = yield* Either.mapLeft(reserveRule(payload), (message) => new Invalid({ message }))
      const { after } = yield* organizations.setReserve(permit, orgId, rule)
      return success(after === null ? "Reserve removed" : "Reserve set", after === null ? null : shown(after))
    })
  })
)
