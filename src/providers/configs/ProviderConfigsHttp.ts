import { Effect, Option } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { ProviderConfigsApi } from "../../contract/api/ProviderConfigsApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { makeProviderSetups } from "../accounts/ProviderSetup.ts"
import { ProviderCredentials } from "./ProviderCredentials.ts"
import { ProviderConfigs } from "./ProviderConfigs.ts"

export const providerConfigsHandlers = Effect.gen(function* () {
  const configs = yield* ProviderConfigs
  const credentials = yield* ProviderCredentials
  const setups = yield* makeProviderSetups
  const pages = yield* makePages
  const handlers: Handlers<typeof ProviderConfigsApi> = {
    list: (request) => {
      const { permit, urlParams } = request
      const { country, direction, payment_method, provider } = urlParams
      const org_id = urlParams.org_id === undefined ? undefined : Option.getOrUndefined(permit.scope)
      const filter = { provider, country, payment_method, direction, org_id }
      return pages(request, {
        message: "Provider configurations",
        filters: filter,
        fetch: (window) => configs.list(permit, filter, window),
        idOf: (config) => config.config_id
      })
    },
    create: ({ payload, permit }) => answer("Provider configuration created", configs.create(permit, payload)),
    find: ({ path, permit }) => configs.find(permit, path),
    update: ({ path, payload, permit }) =>
      answer("Provider configuration updated", configs.update(permit, path, payload)),
    setCredentials: ({ path, payload, permit, urlParams }) =>
      Effect.map(credentials.set(permit, path, payload, { forgetReplaced: urlParams.forget_replaced }), (state) =>
        success(state.tested ? "Credentials set" : "Credentials kept, but they failed their test", state)
      ),
    setups: ({ permit }) => answer("Providers", setups.list(permit)),
    test: ({ path, permit }) => answer("Provider tested", setups.test(permit, path.provider)),
    remove: ({ path, permit }) => configs.remove(permit, path)
  }
  return handlers
})
