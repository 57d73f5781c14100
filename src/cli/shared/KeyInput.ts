/** What `corridor keys rotate` was told, before it needs the service. */
import { Effect, Schema } from "effect"
import { RotateApiKey } from "../../contract/api/ApiKeys.ts"
import { refuse } from "./CommandInput.ts"

export const graceFrom = (text: string) =>
  Schema.decodeUnknown(RotateApiKey)({ grace_seconds: /^\d{1,9}$/.test(text) ? Number(text) : text }).pipe(
    Effect.mapBoth({
      onFailure: () => refuse("--grace-seconds is not a whole number from 0 to 2592000 (30 days)."),
      onSuccess: ({ grace_seconds }) => grace_seconds
    })
  )
