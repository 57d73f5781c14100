/** Who may be asked to move money: whoever has credentials, and in sandbox mode the built-in rails. */
import { Effect, Layer } from "effect"
import { isBuiltInRail } from "../../domain/Corridor.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Providers } from "../port/Provider.ts"
import { makeRails } from "../sandbox/Rails.ts"
import { ProviderAccounts } from "./ProviderAccounts.ts"

export const ProvidersLive = Layer.effect(
  Providers,
  Effect.gen(function* () {
    const { mode } = yield* Settings
    const accounts = yield* ProviderAccounts
    const rails = Providers.fromList(mode === "sandbox" ? yield* makeRails : [])
    const nobody = Effect.succeed(undefined)
    return {
      find: (name, account) => {
        if (isBuiltInRail(name)) return account === null ? rails.find(name, null) : nobody
        return account === null ? accounts.platform(name) : accounts.own(name, account)
      }
    }
  })
)
