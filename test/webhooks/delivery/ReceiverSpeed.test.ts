/** What a worker remembers of organisations. */
import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"
import { receiverSpeedsKept, webhookSlow, webhookSlowMemory } from "../../../src/domain/policies/WebhookPolicies.ts"
import { ReceiverSpeed } from "../../../src/webhooks/delivery/FairShare.ts"
import { idFrom } from "../../support/AnyId.ts"

const a = idFrom("a")
const b = idFrom("b")

const slow = Duration.toMillis(webhookSlow)
const memory = Duration.toMillis(webhookSlowMemory)

describe("Manners", () => {
  it("knows who answered soon, and who did not", () => {
    const manners = new ReceiverSpeed()
    expect(manners.speedOf(a, 0)).toBe("unknown")
    manners.recordAnswer(a, slow - 1, 0)
    expect(manners.speedOf(a, 0)).toBe("prompt")
    manners.recordAnswer(a, slow, 10)
    expect(manners.speedOf(a, 10)).toBe("slow")
    expect(manners.speedOf(b, 10)).toBe("unknown")
  })

  it("does not wait for an answer to call one slow, nor takes a short wait for an answer", () => {
    const manners = new ReceiverSpeed()
    manners.recordWait(a, slow - 1, 0)
    expect(manners.speedOf(a, 0)).toBe("unknown")
    manners.recordWait(a, slow, 0)
    expect(manners.speedOf(a, 0)).toBe("slow")
  })

  it("lets one slow answer outweigh the prompt ones for a while", () => {
    const manners = new ReceiverSpeed()
    manners.recordAnswer(a, slow, 0)
    manners.recordAnswer(a, 5, 1)
    expect(manners.speedOf(a, memory - 1)).toBe("slow")
    expect(manners.speedOf(a, memory)).toBe("prompt")
  })

  it("forgets those it heard of longest ago when there are too many", () => {
    const manners = new ReceiverSpeed()
    for (let nth = 0; nth <= receiverSpeedsKept; nth += 1) manners.recordAnswer(idFrom(`o${nth}`), 1, nth)
    expect(manners.speedOf(idFrom("o0"), 0)).toBe("unknown")
    expect(manners.speedOf(idFrom("o1"), 0)).toBe("prompt")
    expect(manners.speedOf(idFrom(`o${receiverSpeedsKept}`), 0)).toBe("prompt")
  })

  it("knows who had nothing to give, until they have", () => {
    const manners = new ReceiverSpeed()
    expect(manners.hasNothingDue(a)).toBe(false)
    manners.recordClaim(a, false)
    expect(manners.hasNothingDue(a)).toBe(true)
    manners.recordClaim(a, true)
    expect(manners.hasNothingDue(a)).toBe(false)
  })
})
