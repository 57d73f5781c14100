/** What can be said about an endpoint's URL before its name is looked up. */
import { Either } from "effect"
import { givenUrl } from "../../domain/GivenUrl.ts"
import type { Mode } from "../../platform/config/Settings.ts"

const longest = 2000

/** Ports on which somebody who receives webhooks listens, and hardly anything else. */
const livePorts = new Set(["", "443", "8443"])

export const parseEndpointUrl = (text: string, mode: Mode): Either.Either<URL, string> =>
  Either.gen(function* () {
    if (text.length > longest) return yield* Either.left(`is longer than ${longest} characters`)
    const url = yield* givenUrl(text, "https://example.com/webhooks")
    if (text.includes("#")) return yield* Either.left("must not hold a fragment")
    if (url.protocol !== "https:" && !(url.protocol === "http:" && mode === "sandbox")) {
      return yield* Either.left("must start with https://")
    }
    if (url.port === "0") return yield* Either.left("must not name port 0")
    if (mode === "live" && !livePorts.has(url.port)) return yield* Either.left("must be on port 443 or 8443")
    return url
  })
