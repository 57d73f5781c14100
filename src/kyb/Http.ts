import { Effect } from "effect"
import { success } from "../api/Envelope.ts"
import type { KybApi } from "../api/Kyb.ts"
import type { Handlers } from "../http/Handlers.ts"
import { Kyb } from "./Kyb.ts"

export const kybHandlers = Effect.map(Kyb, (kyb): Handlers<typeof KybApi> => ({
  initiate: ({ path, permit }) =>
    Effect.map(kyb.initiate(permit, path.org_id), (state) => success("KYB started", state))
}))
