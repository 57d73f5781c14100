import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { idOrNil, OrgId } from "../../../src/domain/Ids.ts"
import { makeProviderSlots } from "../../../src/platform/database/ProviderQueues.ts"

const [one, other] = ["1", "2"].map((digit) => idOrNil(OrgId)(`00000000-0000-7000-8000-00000000000${digit}`)) as [
  OrgId,
  OrgId
]

describe("Slots of providers", () => {
  it.scoped("count how many rows of each organisation are in work", () =>
    Effect.gen(function* () {
      const slots = yield* makeProviderSlots(3)
      const answered = yield* Deferred.make<void>()
      const at = (name: string) => slots.room().find(({ provider }) => provider === name)
      expect(at("stripe")).toEqual({ provider: "stripe", room: 3, busy: {} })
      yield* slots.run("stripe", one, Effect.never)
      yield* slots.run("stripe", one, Deferred.await(answered))
      yield* slots.run("circle", other, Effect.never)
      expect(at("stripe")).toEqual({ provider: "stripe", room: 1, busy: { [one]: 2 } })
      expect(at("circle")).toEqual({ provider: "circle", room: 2, busy: { [other]: 1 } })
      expect(slots.isFull()).toBe(false)
      yield* slots.run("stripe", other, Effect.never)
      expect([slots.isFull(), at("stripe")]).toEqual([true, undefined])
      yield* Deferred.succeed(answered, undefined)
      yield* Effect.yieldNow()
      yield* Effect.yieldNow()
      expect(at("stripe")).toEqual({ provider: "stripe", room: 1, busy: { [one]: 1, [other]: 1 } })
    })
  )
})
