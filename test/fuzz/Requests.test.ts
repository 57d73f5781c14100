/** 300 fuzzed requests. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onDatabaseServer } from "../support/TestServer.ts"
import { fuzzedSettings } from "./OwnServer.ts"
import { shortRun } from "./ShortRun.ts"

onDatabaseServer(
  "A fuzzed request",
  (it) => {
    it.scoped("is answered as the document says", () =>
      Effect.map(shortRun(300), (counts) => expect(counts.size).toBeGreaterThan(80))
    )
  },
  fuzzedSettings
)
