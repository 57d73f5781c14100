import { Effect, Option } from "effect"
import type { BeneficiariesApi } from "../api/Beneficiaries.ts"
import { success } from "../api/Envelope.ts"
import type { Handlers } from "../http/Handlers.ts"
import { paginate } from "../pagination/Page.ts"
import { Vault } from "../secrets/Vault.ts"
import { Beneficiaries } from "./Beneficiaries.ts"

export const beneficiariesHandlers = Effect.gen(function* () {
  const beneficiaries = yield* Beneficiaries
  const vault = yield* Vault
  const handlers: Handlers<typeof BeneficiariesApi> = {
    list: ({ permit, route, urlParams }) =>
      paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        filters: urlParams.user_id,
        fetch: (window) => beneficiaries.list(permit, Option.fromNullable(urlParams.user_id), window),
        idOf: (beneficiary) => beneficiary.beneficiary_id
      }).pipe(Effect.map((page) => ({ status: "success", message: "Beneficiaries", ...page }))),
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
