/** Where a provider is told to send its callbacks: nothing secret may travel in the clear, except to a sandbox itself. */
import { Either } from "effect"
import { givenUrl } from "../../domain/GivenUrl.ts"
import type { Mode } from "../../platform/config/Settings.ts"

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export const checkWebhookUrl = (text: string, mode: Mode): Either.Either<void, string> =>
  Either.flatMap(givenUrl(text, "https://example.com/callbacks"), ({ hostname, protocol }) => {
    const local = protocol === "http:" && mode === "sandbox" && loopback.test(hostname)
    return protocol === "https:" || local ? Either.void : Either.left("must start with https://")
  })
