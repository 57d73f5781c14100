/** Rate limits by credential, organisation and address, on the test clock. */
import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Option } from "effect"
import { KeyId, OrgId, UserId, Ids } from "../../../src/domain/Ids.ts"
import { Authenticator, credentialGate } from "../../../src/people/auth/Authenticator.ts"
import { callerStoreMemory } from "../../../src/people/auth/CallerMemory.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { Gate } from "../../../src/platform/http/Handlers.ts"
import { RateLimits } from "../../../src/platform/rateLimits/RateLimits.ts"
import { rateLimitUsageMemory } from "../../../src/platform/rateLimits/RateLimitUsageMemory.ts"
import type { Caller } from "../../../src/domain/Access.ts"
import { formatApiKey } from "../../../src/domain/ApiKeyFormat.ts"
import { type Failure, unauthorized } from "../../../src/domain/Failure.ts"
import { testSettings } from "../../support/TestSettings.ts"

const callerOf = (id: string, orgId: OrgId | null): Caller => ({
  id: "ada",
  userId: Option.some(UserId.make("ada")),
  apiKeyId: Option.some(KeyId.make(id)),
  admin: false,
  organization: Option.map(Option.fromNullable(orgId), (org) => ({
    orgId: org,
    role: "member" as const,
    features: new Set<string>(),
    permissions: new Set<never>()
  }))
})

/** A key that says `key@org` is good. */
const believing = Layer.succeed(Authenticator, {
  authenticate: ({ apiKey: [text = ""] }) => {
    const [id = "", org] = text.split("@")
    return org === undefined
      ? Effect.fail(unauthorized())
      : Effect.succeed(callerOf(id, org === "" ? null : OrgId.make(org)))
  }
})

const stopped = () => {
  let now = 1_700_000_000_000
  const clock = { ...Clock.make(), currentTimeMillis: Effect.sync(() => now), unsafeCurrentTimeMillis: () => now }
  return { clock, move: (millis: number) => void (now += millis) }
}

const from = (address: string, key: string): IncomingMessage => {
  const request = new IncomingMessage(new Socket())
  Object.defineProperty(request.socket, "remoteAddress", { value: address })
  request.rawHeaders = ["Authorization", "NONE", "X-Api-Key", key]
  return request
}

const outcomeOf = (exit: Exit.Exit<Caller, Failure>): string =>
  Exit.match(exit, {
    onSuccess: () => "passed",
    onFailure: (cause) => (cause._tag === "Fail" ? cause.error._tag : cause._tag)
  })

const gate = (perMinute: number) =>
  Effect.map(
    Gate.pipe(
      Effect.provide(
        credentialGate.pipe(
          Layer.provide(believing),
          Layer.provide(RateLimits.layer.pipe(Layer.provide([rateLimitUsageMemory, Ids.layer]))),
          Layer.provide(callerStoreMemory),
          Layer.provide(MemoryDatabase.layer),
          Layer.provide(testSettings({ RATE_LIMIT_PER_MINUTE: String(perMinute) }))
        )
      )
    ),
    ({ admit }) => {
      const { clock, move } = stopped()
      return {
        move,
        ask: (key: string, address = "203.0.113.7") =>
          admit(from(address, key)).pipe(Effect.withClock(clock), Effect.exit, Effect.map(outcomeOf))
      }
    }
  )

const times = (count: number, outcome: string) => Array.from({ length: count }, () => outcome)

const unknown = (byte: number) => formatApiKey("test", new Uint8Array(64).fill(byte))

describe("The gate", () => {
  it.effect("holds all credentials of an organisation together to ten times the number of one", () =>
    Effect.gen(function* () {
      const { ask, move } = yield* gate(4)
      const keys = Array.from({ length: 12 }, (_, n) => `k${n}@acme`)
      const each = yield* Effect.forEach(keys, (key) => Effect.replicateEffect(ask(key), 5))
      const full = [...times(4, "passed"), "RateLimited"]
      expect(each).toEqual([
        ...Array.from({ length: 10 }, () => full),
        ...Array.from({ length: 2 }, () => times(5, "RateLimited"))
      ])
      expect(yield* ask("g1@globex"), "another organisation").toBe("passed")
      expect(yield* ask("admin@"), "nobody's").toBe("passed")
      move(6000)
      const [, , ...unused] = keys.slice(8)
      const later = yield* Effect.forEach(unused, (key) => Effect.replicateEffect(ask(key), 2))
      expect(later.flat(), "what was refused had cost its credential nothing").toEqual(times(4, "passed"))
      expect(yield* ask("k10@acme")).toBe("RateLimited")
    })
  )

  it.effect("limits failures by address and key prefix, and refuses no valid credential for them", () =>
    Effect.gen(function* () {
      const { ask, move } = yield* gate(6000)
      expect(yield* Effect.replicateEffect(ask(unknown(7)), 121)).toEqual([
        ...times(120, "Unauthorized"),
        "RateLimited"
      ])
      expect(yield* ask(unknown(8)), "another key").toBe("Unauthorized")
      expect(yield* ask("garbage"), "no key at all").toBe("Unauthorized")
      expect(yield* ask(unknown(7), "203.0.113.8"), "another address").toBe("Unauthorized")
      expect(yield* ask("k1@acme")).toBe("passed")
      move(60_000)
      expect(yield* ask(unknown(7))).toBe("Unauthorized")
    })
  )

  it.effect("counts whatever is no key for the address", () =>
    Effect.gen(function* () {
      const { ask } = yield* gate(6000)
      const all = yield* Effect.forEach(
        Array.from({ length: 121 }, (_, n) => `ck_test_${n}`),
        (key) => ask(key)
      )
      expect(all).toEqual([...times(120, "Unauthorized"), "RateLimited"])
    })
  )

  it.effect("limits the failures of all prefixes of an address together", () =>
    Effect.gen(function* () {
      const { ask } = yield* gate(6000)
      const keys = Array.from({ length: 1201 }, (_, n) => unknown(n % 60))
      const all = yield* Effect.forEach(keys, (key) => ask(key))
      expect(all).toEqual([...times(1200, "Unauthorized"), "RateLimited"])
      expect(yield* ask("k1@acme")).toBe("passed")
    })
  )

  it.effect("limits nothing when it is switched off", () =>
    Effect.gen(function* () {
      const { ask } = yield* gate(0)
      expect(yield* Effect.replicateEffect(ask("garbage"), 1300)).toEqual(times(1300, "Unauthorized"))
      expect(yield* Effect.replicateEffect(ask("k1@acme"), 200)).toEqual(times(200, "passed"))
    })
  )
})
