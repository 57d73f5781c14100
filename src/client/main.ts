/** Public exports of `@corridor/client`. */
export {
  type CallOptions,
  CorridorError,
  type CorridorOptions,
  type CorridorPromises,
  createCorridor
} from "./PromiseClient.ts"
export type { PageOf } from "./RequestRules.ts"
export { verifyWebhook, type WebhookDelivery, WebhookRefused } from "./VerifyWebhook.ts"
export type { Operations, WebhookEvent } from "./WireTypes.ts"
