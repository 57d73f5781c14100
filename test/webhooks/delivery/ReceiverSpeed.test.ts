/** Speed of organisations' receivers as a worker remembers it. */
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
    const speeds = new ReceiverSpeed()
    expect(speeds.speedOf(a, 0)).toBe("unknown")
    speeds.recordAnswer(a, slow - 1, 0)
    expect(speeds.speedOf(a, 0)).toBe("prompt")
    speeds.recordAnswer(a, slow, 10)
    expect(speeds.speedOf(a, 10)).toBe("slow")
    expect(speeds.speedOf(b, 10)).toBe("unknown")
  })

  it("does not wait for an answer to call one slow, nor takes a short wait for an answer", () => {
    const speeds = new ReceiverSpeed()
    speeds.recordWait(a, slow - 1, 0)
    expect(speeds.speedOf(a, 0)).toBe("unknown")
    speeds.recordWait(a, slow, 0)
    expect(speeds.speedOf(a, 0)).toBe("slow")
  })

  it("lets one slow answer outweigh the prompt ones for a while", () => {
    const speeds = new ReceiverSpeed()
    speeds.recordAnswer(a, slow, 0)
    speeds.recordAnswer(a, 5, 1)
    expect(speeds.speedOf(a, memory - 1)).toBe("slow")
    expect(speeds.speedOf(a, memory)).toBe("prompt")
  })

  it("forgets the oldest when there are too many", () => {
    const speeds = new ReceiverSpeed()
    for (let nth = 0; nth <= receiverSpeedsKept; nth += 1) speeds.recordAnswer(idFrom(`o${nth}`), 1, nth)
    expect(speeds.speedOf(idFrom("o0"), 0)).toBe("unknown")
    expect(speeds.speedOf(idFrom("o1"), 0)).toBe("prompt")
    expect(speeds.speedOf(idFrom(`o${receiverSpeedsKept}`), 0)).toBe("prompt")
  })

  it("knows who had nothing to give, until they have", () => {
    const speeds = new ReceiverSpeed()
    expect(speeds.hasNothingDue(a)).toBe(false)
    speeds.recordClaim(a, false)
    expect(speeds.hasNothingDue(a)).toBe(true)
    speeds.recordClaim(a, true)
    expect(speeds.hasNothingDue(a)).toBe(false)
  })
})
