/** What can be switched on for one organisation and not for another. */
import { Schema } from "effect"

export const features = ["escrow"] as const

export const Feature = Schema.Literal(...features).annotations({
  identifier: "Feature",
  message: () => ({ message: `is not a feature: use ${features.join(", ")}`, override: true })
})
