/** Public exports of `@corridor/client/effect`. */
export { Corridor, type CorridorClient, makeCorridor, verifyWebhookEffect } from "./EffectClient.ts"
export type { PageOf } from "./RequestRules.ts"
export { allPages, type CorridorOptions, withIdempotencyKey } from "./Transport.ts"
export { type WebhookDelivery, WebhookRefused } from "./VerifyWebhook.ts"
export type { WebhookEvent } from "./WireTypes.ts"
