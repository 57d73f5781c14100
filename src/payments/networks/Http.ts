import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { NetworksApi } from "../../contract/api/Networks.ts"
import { networksOfCountry } from "../../domain/MobileNetwork.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"

export const networksHandlers: Handlers<typeof NetworksApi> = {
  list: ({ payload }) => Effect.succeed(success("Mobile money networks", networksOfCountry(payload.country)))
}
