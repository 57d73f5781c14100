/** Verification status of a business. */
import { Schema } from "effect"

export const kybStatuses = ["not_started", "pending", "approved", "rejected"] as const

/** Features that are enabled per organisation. */
export const features = ["escrow"] as const

export const Feature = Schema.Literal(...features).annotations({
  identifier: "Feature",
  message: () => ({ message: `is not a feature: use ${features.join(", ")}`, override: true })
})
