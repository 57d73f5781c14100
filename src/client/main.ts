/** The front door of `corridor/client`: everything that another program may use of it. */
export { Corridor, type CorridorClient, makeCorridor } from "./Corridor.ts"
export { CorridorError } from "./CorridorError.ts"
export type { CorridorOptions } from "./Options.ts"
export { allPages, type PageOf } from "./Paging.ts"
export { type CallOptions, type CorridorPromises, createCorridor } from "./Promises.ts"
export { withIdempotencyKey } from "./Transport.ts"
export {
  verifyWebhook,
  type WebhookDelivery,
  verifyWebhookEffect,
  type WebhookEvent,
  WebhookRefused
} from "./VerifyWebhook.ts"
export type { Operations, Wire } from "./Wire.ts"
