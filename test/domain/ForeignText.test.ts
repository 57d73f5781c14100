import { describe, expect, it } from "@effect/vitest"
import { cleanOutcome, cleanReport } from "../../src/domain/ForeignText.ts"
import { Declined, Report } from "../../src/domain/Outcome.ts"

describe("what a provider calls its refusal", () => {
  const foul = `no\u0000 ${"x".repeat(10_000)}`

  it("is fit to be written down, of an answer and of a report", () => {
    const declined = cleanOutcome(new Declined({ reason: "no", providerCode: foul, code: "CARD_DECLINED" }))
    const report = cleanReport(
      new Report({ state: "failed", reason: "no", providerPaymentId: null, providerStatus: null, providerCode: foul })
    )
    for (const said of [declined, report]) {
      const code = "providerCode" in said ? (said.providerCode ?? "") : ""
      expect(code).not.toContain("\u0000")
      expect(code.startsWith("no")).toBe(true)
      expect(code.length).toBeLessThan(1000)
    }
    expect(declined).toMatchObject({ code: "CARD_DECLINED" })
    expect(cleanOutcome(new Declined({ reason: "no" }))).not.toHaveProperty("providerCode")
  })
})
