/** JSON from outside. Numbers are read as the text that was sent, so that no amount ever passes through a float. */
import { parse } from "lossless-json"
import { Either } from "effect"

const asWritten = (number: string): string => number

export const readJson = (text: string): Either.Either<unknown, string> =>
  Either.try({
    try: () => parse(text, undefined, { parseNumber: asWritten }),
    catch: () => "it is not JSON"
  })
