/** URLs that callers give. A URL is accepted only if parsing leaves it unchanged. */
import { Either } from "effect"

/**
 * URL of a text, if it is one. Avoids `URL.canParse`: after thousands of calls Node 20 passes it non-ASCII text in a
 * wrong encoding, and rejects valid addresses from then on.
 */
export const urlOf = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** The parser drops or replaces these without a word: what was given and what is called would differ. */
const REWRITTEN = /[\s\\\p{Cc}]/u

const ABSOLUTE = /^[a-z]+:\/\/[^/?#]/i

/** User info, also an empty one, which the parser drops. */
const USER_INFO = /^[a-z]+:\/\/[^/?#]*@/i

/** `example` is one as it should be. */
export const givenUrl = (text: string, example: string): Either.Either<URL, string> => {
  if (REWRITTEN.test(text)) return Either.left("must not hold spaces, backslashes or control characters")
  const url = ABSOLUTE.test(text) ? urlOf(text) : undefined
  if (url === undefined) return Either.left(`is not an absolute URL such as ${example}`)
  return USER_INFO.test(text) ? Either.left("must not hold a user name or password") : Either.right(url)
}

/** Where a customer may be sent back to. */
const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]"])

export const checkReturnUrl = (text: string, mode: "sandbox" | "live"): Either.Either<string, string> =>
  Either.flatMap(givenUrl(text, "https://shop.example/thanks"), ({ hostname, protocol }) => {
    const local = mode === "sandbox" && protocol === "http:" && LOCAL.has(hostname)
    return protocol === "https:" || local ? Either.right(text) : Either.left("must start with https://")
  })
