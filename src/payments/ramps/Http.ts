import { Effect } from "effect"
import type { RampsApi } from "../../contract/api/Ramps.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { directionOf } from "./RampPlan.ts"
import { rampResponse } from "./RampResponse.ts"
import { Ramps } from "./Ramps.ts"

export const rampsHandlers = Effect.map(Ramps, (ramps): Handlers<typeof RampsApi> => ({
  ramp: ({ elevate, idempotencyKey, payload, permit }) =>
    Effect.flatMap(directionOf(payload), (direction) =>
      direction === "on_ramp"
        ? ramps.onRamp(permit, payload, idempotencyKey)
        : Effect.flatMap(elevate("payouts"), (allowed) => ramps.offRamp(allowed, payload, idempotencyKey))
    ).pipe(Effect.map(rampResponse))
}))
