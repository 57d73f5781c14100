/** What can be said about an endpoint's URL before its name is looked up. */
import { Either } from "effect"
import type { Mode } from "../../platform/config/Settings.ts"

const longest = 2000

/** Ports on which somebody who receives webhooks listens, and hardly anything else. */
const livePorts = new Set(["", "443", "8443"])

/** The parser drops or replaces these without a word: what was sent and what is called would differ. */
const rewritten = /[\s\\\p{Cc}]/u

const absolute = /^[a-z]+:\/\/[^/?#]/i

const userInfo = /^[a-z]+:\/\/[^/?#]*@/i

export const parseEndpointUrl = (text: string, mode: Mode): Either.Either<URL, string> => {
  if (text.length > longest) return Either.left(`is longer than ${longest} characters`)
  if (rewritten.test(text)) return Either.left("must not hold spaces, backslashes or control characters")
  const url = absolute.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return Either.left("is not an absolute URL such as https://example.com/webhooks")
  if (userInfo.test(text) || url.username !== "" || url.password !== "") {
    return Either.left("must not hold a user name or password")
  }
  if (text.includes("#")) return Either.left("must not hold a fragment")
  if (url.protocol !== "https:" && !(url.protocol === "http:" && mode === "sandbox")) {
    return Either.left("must start with https://")
  }
  if (url.port === "0") return Either.left("must not name port 0")
  if (mode === "live" && !livePorts.has(url.port)) return Either.left("must be on port 443 or 8443")
  return Either.right(url)
}
