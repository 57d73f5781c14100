/** The demo in live mode: the story of the sandbox, on a server whose third parties are fakes that say "live". */
import { join } from "node:path"
import { Effect } from "effect"
import { expect, inject, it } from "vitest"
import { Streams } from "../../src/cli/shared/Terminal.ts"
import { liveDemo } from "./LiveDemo.ts"

const MAIN = join(inject("bundle"), "main.mjs")

const silent = { out: () => {}, err: () => {}, watched: false }

const played = (given: Readonly<Record<string, string>>) =>
  liveDemo(true, given, MAIN).pipe(Effect.scoped, Effect.provideService(Streams, silent))

interface Step {
  readonly step: string
  readonly ok: boolean
  readonly what: string
}

it("plays every step, shows where payments went, and receives signed webhooks", { timeout: 240_000 }, async () => {
  const { data, failure } = await Effect.runPromise(played({}))
  const steps: ReadonlyArray<Step> = data.steps
  expect(steps.filter(({ ok }) => !ok)).toEqual([])
  expect(failure).toBeUndefined()
  const whatOf = (name: string) => steps.find(({ step }) => step === name)?.what
  expect(steps.map(({ step }) => step)).toEqual([
    ...["payin", "declined", "fallback", "payout", "refund", "virtual_account", "escrow", "on_ramp", "payment_link"],
    ...["webhooks", "books"]
  ])
  expect(whatOf("payin")).toContain("by pawapay")
  expect(whatOf("declined")).toMatch(/502 ALL_PROVIDERS_FAILED; the timeline says: mtn_momo declined/)
  expect(whatOf("fallback")).toMatch(/stripe declined .*, adyen took it/)
  expect(whatOf("payout")).toContain("by mtn_momo")
  expect(whatOf("on_ramp")).toContain("by pawapay, then circle")
  expect(data.webhooks.length).toBeGreaterThan(10)
  expect(data.webhooks.every(({ verified }) => verified)).toBe(true)
})

it("refuses where a provider has another address or account than its fake", async () => {
  for (const [name, value] of [
    ["STRIPE_BASE_URL", "https://api.stripe.com"],
    ["ADYEN_API_KEY", "a key of a real account"]
  ] as const) {
    const refused = await Effect.runPromise(Effect.flip(played({ [name]: value })))
    expect(String(refused)).toContain(`${name} is not that of the fake of`)
    expect(String(refused)).not.toContain(value)
  }
})
