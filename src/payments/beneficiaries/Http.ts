import { Effect, Option } from "effect"
import type { BeneficiariesApi } from "../../contract/api/Beneficiaries.ts"
import { success } from "../../contract/api/Envelope.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Page.ts"
import { Beneficiaries } from "./Beneficiaries.ts"

export const beneficiariesHandlers = Effect.gen(function* () {
  const beneficiaries = yield* Beneficiaries
  const pages = yield* makePages
  const handlers: Handlers<typeof BeneficiariesApi> = {
    list: (request) => {
      const { permit, urlParams } = request
      return pages(request, {
        message: "Beneficiaries",
        filters: urlParams.user_id,
        fetch: (window) => beneficiaries.list(permit, Option.fromNullable(urlParams.user_id), window),
        idOf: (beneficiary) => beneficiary.beneficiary_id
      })
    },
    create: ({ payload, permit }) =>
      Effect.map(beneficiaries.create(permit, payload), (made) => success("Beneficiary created", made)),
    get: ({ path, permit }) =>
      Effect.map(beneficiaries.get(permit, path.beneficiary_id), (found) => success("Beneficiary", found)),
    change: ({ path, payload, permit }) =>
      Effect.map(beneficiaries.change(permit, path.beneficiary_id, payload), (changed) =>
        success("Beneficiary changed", changed)
      ),
    remove: ({ path, permit }) => beneficiaries.remove(permit, path.beneficiary_id)
  }
  return handlers
})
