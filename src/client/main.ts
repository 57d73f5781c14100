/** Public exports of `corridor/client`. */
export { Corridor, type CorridorClient, makeCorridor } from "./EffectClient.ts"
export { CorridorError } from "./PromiseClient.ts"
export type { CorridorOptions } from "./Transport.ts"
export { allPages, type PageOf } from "./Transport.ts"
export { type CallOptions, type CorridorPromises, createCorridor } from "./PromiseClient.ts"
export { withIdempotencyKey } from "./Transport.ts"
export {
  verifyWebhook,
  type WebhookDelivery,
  verifyWebhookEffect,
  type WebhookEvent,
  WebhookRefused
} from "./VerifyWebhook.ts"
export type { Operations, Wire } from "./WireTypes.ts"
