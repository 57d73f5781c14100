/** The signing secrets of endpoints take part in a change of the master key. */
import { Effect } from "effect"
import type { SealedPlace } from "../platform/secrets/SealedPlaces.ts"
import { secretContext } from "./Secret.ts"
import { WebhookStore } from "./WebhookStore.ts"

export const sealedEndpoints = Effect.map(WebhookStore, (store): SealedPlace => ({
  reseal: Effect.fnUntraced(function* (anew) {
    yield* store.holdSecrets
    const moved = yield* Effect.forEach(yield* store.allSealed, (row) =>
      Effect.gen(function* () {
        const { previous_secret_sealed: previous, secret_sealed: current, webhook_id } = row
        const context = secretContext(webhook_id)
        const secret_sealed = yield* anew(current, context)
        const previous_secret_sealed = previous === null ? null : yield* anew(previous, context)
        const count = Number(secret_sealed !== current) + Number(previous_secret_sealed !== previous)
        if (count > 0) yield* store.replaceSealed({ webhook_id, secret_sealed, previous_secret_sealed })
        return count
      })
    )
    return moved.reduce((sum, count) => sum + count, 0)
  })
}))
