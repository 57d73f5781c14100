/** The signing secret of an endpoint: made once, shown once, kept sealed. */
import type { WebhookId } from "../domain/Ids.ts"
import { Effect } from "effect"
import type { RotatableSecret } from "../platform/secrets/Secrets.ts"
import { WebhookStore } from "./WebhookStore.ts"

export const SECRET_BYTES = 32

const prefix = "whsec_"

export const formatSecret = (bytes: Uint8Array): string => `${prefix}${Buffer.from(bytes).toString("base64")}`

/** Where a sealed secret belongs: it opens for no other endpoint. */
export const secretContext = (webhookId: WebhookId): string => `webhook ${webhookId}`

/** The signing secrets of endpoints take part in a change of the master key. */
export const rotatableWebhookSecrets = Effect.map(WebhookStore, (store): RotatableSecret => ({
  reseal: Effect.fnUntraced(function* (anew) {
    yield* store.lockSecrets
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
