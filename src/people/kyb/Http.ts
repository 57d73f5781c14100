import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { KybApi } from "../../contract/api/Kyb.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { Kyb } from "./Kyb.ts"

export const kybHandlers = Effect.map(Kyb, (kyb): Handlers<typeof KybApi> => ({
  initiate: ({ path, permit }) =>
    Effect.map(kyb.initiate(permit, path.org_id), (state) => success("KYB started", state))
}))
