/** How to reach the service, and as whom. */
import type { Duration } from "effect"

type Credential =
  | { readonly apiKey: string; readonly token?: undefined }
  /** A JWT; a function is asked before every request, so that a token which runs out can be renewed. */
  | { readonly token: string | (() => string | Promise<string>); readonly apiKey?: undefined }

export type CorridorOptions = Credential & {
  /** Where the service is, with or without `/v1`. */
  readonly url: string
  /** How often to repeat what is safe to repeat: 4 unless said otherwise; 0 repeats nothing. */
  readonly retries?: number
  /** For how long to wait for one answer: 35 seconds unless said otherwise. */
  readonly timeout?: Duration.DurationInput
}

/** The contract's paths begin with the version. */
export const rootOf = (url: string): string => url.replace(/\/+$/, "").replace(/\/v1$/, "")
