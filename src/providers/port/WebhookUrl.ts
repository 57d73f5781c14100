/** Where a provider is told to send its callbacks: nothing secret may travel in the clear, except to a sandbox itself. */
import { Either } from "effect"
import type { Mode } from "../../platform/config/Settings.ts"

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export const checkWebhookUrl = (text: string, mode: Mode): Either.Either<void, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return Either.left("is not an absolute URL such as https://example.com/callbacks")
  if (url.username !== "" || url.password !== "") return Either.left("must not hold a user name or password")
  if (url.protocol === "https:") return Either.void
  return url.protocol === "http:" && mode === "sandbox" && loopback.test(url.hostname)
    ? Either.void
    : Either.left("must start with https://")
}
