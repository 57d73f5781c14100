/** The signing secret of an endpoint: made once, shown once, kept sealed. */
import type { WebhookId } from "../domain/Identifiers.ts"
export const SECRET_BYTES = 32

const prefix = "whsec_"

export const formatSecret = (bytes: Uint8Array): string => `${prefix}${Buffer.from(bytes).toString("base64")}`

/** Where a sealed secret belongs: it opens for no other endpoint. */
export const secretContext = (webhookId: WebhookId): string => `webhook ${webhookId}`
