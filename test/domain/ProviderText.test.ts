/** Texts of third parties are cleaned before they are saved: storable in a database, and short. */
import { describe, expect, it } from "@effect/vitest"
import { Accepted, Declined, Report } from "../../src/domain/Outcome.ts"
import { cleanEnquiry, cleanKey, cleanName, cleanOutcome, cleanReport } from "../../src/domain/ProviderText.ts"

const odd = "a\u0000b\ud800c"
const fit = "a\uFFFDb\uFFFDc"
const long = "x".repeat(9000)

const report = (about: Partial<Report>) =>
  new Report({ state: "failed", reason: null, providerPaymentId: null, providerStatus: null, ...about })

const accepted = (about: Partial<Accepted>) =>
  new Accepted({
    state: "processing",
    providerPaymentId: null,
    providerStatus: null,
    nextAction: null,
    actionData: {},
    providerData: {},
    ...about
  })

const texts = { reason: odd, providerCode: odd, providerStatus: odd, providerPaymentId: odd }
const fitTexts = { reason: fit, providerCode: fit, providerStatus: fit, providerPaymentId: fit }

describe("text that no database takes", () => {
  it("is made fit in every field of a report", () => {
    expect(cleanReport(report(texts))).toMatchObject(fitTexts)
    expect(cleanEnquiry(report(texts))).toMatchObject(fitTexts)
  })

  it("is made fit in every field of an answer to an order", () => {
    expect(cleanOutcome(new Declined({ reason: odd, providerCode: odd }))).toMatchObject({
      reason: fit,
      providerCode: fit
    })
    expect(cleanOutcome(accepted({ providerPaymentId: odd, providerData: { [odd]: [odd] } }))).toMatchObject({
      providerPaymentId: fit,
      providerData: { [fit]: [fit] }
    })
  })

  it("is made fit in the key of an event", () => {
    expect(cleanKey(odd)).toBe(fit)
  })
})

describe("the number of a card", () => {
  const said = (number: string) => `the card ${number} is not enrolled`

  it("is hidden in words", () => {
    for (const number of ["4539578763621486", "4539 5787 6362 1486", "４５３９５７８７６３６２１４８６"]) {
      const words = { reason: said(number), providerCode: said(number), providerStatus: said(number) }
      const hidden = { reason: said("[card]"), providerCode: said("[card]"), providerStatus: said("[card]") }
      expect(cleanReport(report(words))).toMatchObject(hidden)
      expect(cleanOutcome(new Declined({ reason: said(number) }))).toMatchObject({ reason: said("[card]") })
    }
  })

  it("is not taken for another number", () => {
    const words = "transfer 1234567890123456789 of +4539578763621486"
    expect(cleanReport(report({ reason: words })).reason).toBe(words)
  })
})

describe("text without an end", () => {
  it("is cut off where it only informs", () => {
    const { providerCode, providerStatus, reason } = cleanReport(
      report({ reason: long, providerCode: long, providerStatus: long })
    )
    for (const text of [reason, providerCode, providerStatus]) expect(text?.length).toBeLessThanOrEqual(501)
    const declined = cleanOutcome(new Declined({ reason: "no", providerCode: long }))
    expect(declined._tag === "Declined" && declined.providerCode?.length).toBeLessThanOrEqual(501)
  })

  it("is no name of a payment: a part of it could be another one's", () => {
    expect(cleanName(long)).toBeNull()
    expect(cleanReport(report({ providerPaymentId: long })).providerPaymentId).toBeNull()
    expect(cleanOutcome(accepted({ providerPaymentId: long }))).toMatchObject({ providerPaymentId: null })
    expect(cleanName("p".repeat(500))).toBe("p".repeat(500))
  })

  it("stays the key of one event, and of no other", () => {
    expect(cleanKey(long)).toBe(cleanKey(long))
    expect(cleanKey(long)).not.toBe(cleanKey(`${long}y`))
    expect(cleanKey(long).length).toBeLessThan(100)
    expect(cleanKey("evt_1")).toBe("evt_1")
  })
})
