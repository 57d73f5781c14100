/** What a worker remembers of organisations. */
import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"
import { webhookMannersKept, webhookSlow, webhookSlowMemory } from "../../../src/domain/policies/Webhooks.ts"
import { Manners } from "../../../src/webhooks/delivery/Manners.ts"
import { idFrom } from "../../support/AnyId.ts"

const a = idFrom("a")
const b = idFrom("b")

const slow = Duration.toMillis(webhookSlow)
const memory = Duration.toMillis(webhookSlowMemory)

describe("Manners", () => {
  it("knows who answered soon, and who did not", () => {
    const manners = new Manners()
    expect(manners.standingOf(a, 0)).toBe("unknown")
    manners.took(a, slow - 1, 0)
    expect(manners.standingOf(a, 0)).toBe("prompt")
    manners.took(a, slow, 10)
    expect(manners.standingOf(a, 10)).toBe("slow")
    expect(manners.standingOf(b, 10)).toBe("unknown")
  })

  it("does not wait for an answer to call one slow, nor takes a short wait for an answer", () => {
    const manners = new Manners()
    manners.tookSoFar(a, slow - 1, 0)
    expect(manners.standingOf(a, 0)).toBe("unknown")
    manners.tookSoFar(a, slow, 0)
    expect(manners.standingOf(a, 0)).toBe("slow")
  })

  it("lets one slow answer outweigh the prompt ones for a while", () => {
    const manners = new Manners()
    manners.took(a, slow, 0)
    manners.took(a, 5, 1)
    expect(manners.standingOf(a, memory - 1)).toBe("slow")
    expect(manners.standingOf(a, memory)).toBe("prompt")
  })

  it("forgets those it heard of longest ago when there are too many", () => {
    const manners = new Manners()
    for (let nth = 0; nth <= webhookMannersKept; nth += 1) manners.took(idFrom(`o${nth}`), 1, nth)
    expect(manners.standingOf(idFrom("o0"), 0)).toBe("unknown")
    expect(manners.standingOf(idFrom("o1"), 0)).toBe("prompt")
    expect(manners.standingOf(idFrom(`o${webhookMannersKept}`), 0)).toBe("prompt")
  })

  it("knows who had nothing to give, until they have", () => {
    const manners = new Manners()
    expect(manners.isBarren(a)).toBe(false)
    manners.gave(a, false)
    expect(manners.isBarren(a)).toBe(true)
    manners.gave(a, true)
    expect(manners.isBarren(a)).toBe(false)
  })
})
