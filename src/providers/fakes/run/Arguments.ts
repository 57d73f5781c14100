/** What the fakes are started with on the command line. */
import { Either } from "effect"
import { firstFakePort } from "../../../platform/config/Settings.ts"
import { urlOf } from "../../../domain/UrlOf.ts"

export interface FakeArguments {
  readonly callbackBase: string
  readonly firstPort: number
  readonly asJson: boolean
}

const usage = "Usage: npm run providers:fake -- [--callbacks URL] [--port FIRST] [--json]"

const defaults: FakeArguments = { callbackBase: "http://127.0.0.1:3000", firstPort: firstFakePort, asJson: false }

const HIGHEST_PORT = 65_535

const isPort = (text: string | undefined): text is string =>
  text !== undefined && /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= HIGHEST_PORT

export const readArguments = (given: ReadonlyArray<string>): Either.Either<FakeArguments, string> => {
  let read = defaults
  for (let at = 0; at < given.length; at += 1) {
    const value = given[at + 1]
    switch (given[at]) {
      case "--json":
        read = { ...read, asJson: true }
        break
      case "--callbacks":
        if (value === undefined || urlOf(value) === undefined)
          return Either.left(`--callbacks wants an address. ${usage}`)
        read = { ...read, callbackBase: value }
        at += 1
        break
      case "--port":
        if (!isPort(value)) return Either.left(`--port wants a number from 1 to ${HIGHEST_PORT}. ${usage}`)
        read = { ...read, firstPort: Number(value) }
        at += 1
        break
      default:
        return Either.left(`${given[at]} is not known. ${usage}`)
    }
  }
  return Either.right(read)
}
