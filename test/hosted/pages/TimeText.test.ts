import { expect, it } from "vitest"
import { timeText } from "../../../src/hosted/pages/PageText.ts"

it.each([
  ["en", "2026-11-16T13:05:59.999Z", /^16 Nov 2026, 13:05\u00a0UTC$/],
  ["en", "2026-01-02T00:30:00.000Z", /^2 Jan 2026, 00:30\u00a0UTC$/],
  ["fr", "2026-02-01T23:59:00.000Z", /^1 févr\. 2026[, à]+23:59\u00a0UTC$/]
] as const)("in %s, %s names its month, and its hour by the clock of 24", (language, moment, text) =>
  expect(timeText(new Date(moment), { language })).toMatch(text)
)
