/** Signing secrets of endpoints: shown once, stored encrypted. */
import type { RotatableTable } from "../platform/secrets/Secrets.ts"

export const SECRET_BYTES = 32

const prefix = "whsec_"

export const formatSecret = (bytes: Uint8Array): string => `${prefix}${Buffer.from(bytes).toString("base64")}`

/** Encryption context: a secret decrypts for its own endpoint only. */
export const secretContext = (webhookId: string): string => `webhook ${webhookId}`

export const rotatableWebhookSecrets: RotatableTable = {
  table: "webhooks",
  key: ["webhook_id"],
  columns: ["secret_sealed", "previous_secret_sealed"],
  context: secretContext
}
