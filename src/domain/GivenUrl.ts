/** A URL that somebody gave, read in one way only: what it says is where it leads. */
import { Either } from "effect"
import { urlOf } from "./UrlOf.ts"

/** The parser drops or replaces these without a word: what was given and what is called would differ. */
const REWRITTEN = /[\s\\\p{Cc}]/u

const ABSOLUTE = /^[a-z]+:\/\/[^/?#]/i

/** Also an empty one, which the parser forgets. */
const USER_INFO = /^[a-z]+:\/\/[^/?#]*@/i

/** `example` is one as it should be. */
export const givenUrl = (text: string, example: string): Either.Either<URL, string> => {
  if (REWRITTEN.test(text)) return Either.left("must not hold spaces, backslashes or control characters")
  const url = ABSOLUTE.test(text) ? urlOf(text) : undefined
  if (url === undefined) return Either.left(`is not an absolute URL such as ${example}`)
  return USER_INFO.test(text) ? Either.left("must not hold a user name or password") : Either.right(url)
}
