/** Signing secrets of endpoints: shown once, stored encrypted. */
import type { WebhookId } from "../domain/Ids.ts"
import { Effect } from "effect"
import type { RotatableSecret } from "../platform/secrets/Secrets.ts"
import { WebhookStore } from "./WebhookStore.ts"

export const SECRET_BYTES = 32

const prefix = "whsec_"

export const formatSecret = (bytes: Uint8Array): string => `${prefix}${Buffer.from(bytes).toString("base64")}`

/** Encryption context: a secret decrypts for its own endpoint only. */
export const secretContext = (webhookId: WebhookId): string => `webhook ${webhookId}`

/** Re-encrypts the signing secrets when the master key changes. */
export const rotatableWebhookSecrets = Effect.map(WebhookStore, (store): RotatableSecret => ({
  reseal: Effect.fnUntraced(function* (reencrypt) {
    yield* store.lockSecrets
    const counts = yield* Effect.forEach(yield* store.allSealed, (row) =>
      Effect.gen(function* () {
        const { previous_secret_sealed: previous, secret_sealed: current, webhook_id } = row
        const context = secretContext(webhook_id)
        const secret_sealed = yield* reencrypt(current, context)
        const previous_secret_sealed = previous === null ? null : yield* reencrypt(previous, context)
        const count = Number(secret_sealed !== current) + Number(previous_secret_sealed !== previous)
        if (count > 0) yield* store.replaceSealed({ webhook_id, secret_sealed, previous_secret_sealed })
        return count
      })
    )
    return counts.reduce((sum, count) => sum + count, 0)
  })
}))
