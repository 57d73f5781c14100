import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import * as fc from "fast-check"
import { dateRange, recentRange, daysBefore, daysBetween, eachDay, isDate } from "../../src/domain/CalendarDate.ts"

const noon = Date.UTC(2026, 2, 2, 12)

const dates = fc
  .date({ min: new Date("0001-12-31T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
  .map((at) => at.toISOString().slice(0, 10))

describe("a date", () => {
  it("stands in the calendar", () => {
    for (const date of ["2026-03-02", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"]) {
      expect(isDate(date), date).toBe(true)
    }
    for (const nothing of ["2026-02-30", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-04-31"]) {
      expect(isDate(nothing), nothing).toBe(false)
    }
    for (const other of [
      "",
      "2026-3-2",
      "2026-03-02T00:00:00Z",
      "02-03-2026",
      "0000-01-01",
      "+012026-01-01",
      "today"
    ]) {
      expect(isDate(other), other).toBe(false)
    }
  })
})

describe("a range of dates", () => {
  it("is the thirty days up to today when nothing is said", () => {
    expect(dateRange({}, noon)).toEqual(Either.right({ from: "2026-02-01", to: "2026-03-02" }))
    expect(dateRange({ dateTo: "2025-12-31" }, noon)).toEqual(Either.right({ from: "2025-12-02", to: "2025-12-31" }))
    expect(dateRange({ dateFrom: "2026-03-01" }, noon)).toEqual(Either.right({ from: "2026-03-01", to: "2026-03-02" }))
    expect(dateRange({ dateTo: "0001-01-05" }, noon)).toEqual(Either.right({ from: "0001-01-01", to: "0001-01-05" }))
  })

  it("has up to 366 days, each once and in order", () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: 1, max: 366 }), (to, days) => {
        const from = daysBefore(to, days - 1)
        fc.pre(isDate(from))
        expect(dateRange({ dateFrom: from, dateTo: to }, noon)).toEqual(Either.right({ from, to }))
        const all = eachDay(from, to)
        expect([all.length, all[0], all.at(-1)]).toEqual([days, from, to])
        expect(all).toEqual(all.toSorted())
        expect(new Set(all).size).toBe(days)
        expect(all.every(isDate)).toBe(true)
        expect(daysBetween(from, to)).toBe(days)
      })
    )
  })

  it("is refused, by its field, when it is longer or turned round", () => {
    for (const [dateFrom, dateTo] of [
      ["2025-03-01", "2026-03-02"],
      ["2026-03-03", "2026-03-02"]
    ]) {
      const refused = dateRange({ dateFrom, dateTo }, noon)
      expect(Either.isLeft(refused) && refused.left.message).toMatch(/^dateFrom: /)
    }
  })

  it("reaches back as far as a report is long, where it is counted back from now", () => {
    const day = { dateFrom: "2025-03-02", dateTo: "2025-03-02" }
    expect(recentRange(day, noon)).toEqual(Either.right({ from: "2025-03-02", to: "2025-03-02" }))
    for (const asked of [{ ...day, dateFrom: "2025-03-01" }, { dateTo: "2025-03-10" }, { dateFrom: "2026-03-03" }]) {
      const refused = recentRange(asked, noon)
      expect(Either.isLeft(refused) && refused.left.message).toMatch(/^dateFrom: /)
    }
    expect(recentRange({ dateFrom: "2026-03-01", dateTo: "2026-03-09" }, noon)).toEqual(
      Either.right({ from: "2026-03-01", to: "2026-03-09" })
    )
  })
})
