/** JSON from outside. Numbers are read as the text that was sent, so that no amount ever passes through a float. */
import { Either } from "effect"
import { parseAsWritten } from "../../domain/ExactJson.ts"

export const readJson = (text: string): Either.Either<unknown, string> =>
  Either.try({ try: () => parseAsWritten(text), catch: () => "it is not JSON" })
