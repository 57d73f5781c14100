import { expect, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { warnOfPublicUrl } from "../../src/app/StartupMessages.ts"
import { testSettings } from "../support/TestSettings.ts"

const live = {
  CORRIDOR_MODE: "live",
  CORRIDOR_MASTER_KEY: "0".repeat(64),
  KYB_WEBHOOK_SECRET: "a secret of the test"
}

it.effect("the start warns of a public address without TLS in live mode", () =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void said.push(String(message)))
    )
    const started = (variables: Record<string, string>) =>
      Effect.provide(warnOfPublicUrl, Layer.merge(testSettings(variables), logger))
    yield* started({ ...live, PUBLIC_URL: "https://pay.example" })
    yield* started({ PUBLIC_URL: "http://pay.example" })
    expect(said).toEqual([])
    yield* started({ ...live, PUBLIC_URL: "http://pay.example" })
    expect(said).toEqual([expect.stringContaining("PUBLIC_URL is http://pay.example, which is not encrypted")])
  })
)
