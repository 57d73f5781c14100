/** What commands that go on until they are told otherwise are told. */
import { Effect, type Option } from "effect"
import { refuse } from "../shared/Input.ts"

export const wholeNumber = (name: string, given: Option.Option<string>) =>
  Effect.transposeMapOption(given, (text) =>
    /^[1-9]\d{0,5}$/.test(text)
      ? Effect.succeed(Number(text))
      : Effect.fail(refuse(`${name} is not a whole number from 1 up.`))
  )
