import { Effect } from "effect"
import { success } from "../api/Envelope.ts"
import type { NetworksApi } from "../api/Networks.ts"
import { networksOfCountry } from "../domain/MobileNetwork.ts"
import type { Handlers } from "../http/Handlers.ts"

export const networksHandlers: Handlers<typeof NetworksApi> = {
  list: ({ payload }) => Effect.succeed(success("Mobile money networks", networksOfCountry(payload.country)))
}
