import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { begin, type Circuit, initialCircuit, report, stateAt } from "../../src/domain/CircuitBreaker.ts"

const SECOND = 1000
const OPEN_FOR = 30 * SECOND

const silences = (count: number, from: Circuit = initialCircuit, now = 0): Circuit =>
  Array.from({ length: count }).reduce<Circuit>((circuit) => report(circuit, false, now), from)

const opened = silences(10)

describe("CircuitBreaker", () => {
  it("opens with the tenth dispatch in a row without a verdict, not before", () => {
    expect(stateAt(silences(9), 0)).toBe("closed")
    expect(stateAt(silences(10), 0)).toBe("open")
  })

  it("starts counting anew after a verdict", () => {
    const interrupted = report(silences(9), true, 0)
    expect(stateAt(silences(9, interrupted), 0)).toBe("closed")
    expect(stateAt(silences(10, interrupted), 0)).toBe("open")
  })

  it("admits everything while closed, nothing while open", () => {
    expect(begin(silences(9), 0)).toEqual({ circuit: silences(9), admitted: true })
    expect(begin(opened, OPEN_FOR - 1)).toEqual({ circuit: opened, admitted: false })
  })

  it("is half-open after 30 seconds and then lets exactly one probe through", () => {
    expect(stateAt(opened, OPEN_FOR - 1)).toBe("open")
    expect(stateAt(opened, OPEN_FOR)).toBe("half-open")
    const first = begin(opened, OPEN_FOR)
    expect(first.admitted).toBe(true)
    expect(stateAt(first.circuit, OPEN_FOR)).toBe("open")
    expect(begin(first.circuit, OPEN_FOR).admitted).toBe(false)
  })

  it("closes when the probe brings a verdict", () => {
    const probing = begin(opened, OPEN_FOR).circuit
    const closed = report(probing, true, OPEN_FOR + SECOND)
    expect(stateAt(closed, OPEN_FOR + SECOND)).toBe("closed")
    expect(stateAt(silences(9, closed), OPEN_FOR)).toBe("closed")
  })

  it("opens for another 30 seconds from then when the probe brings none", () => {
    const probing = begin(opened, OPEN_FOR).circuit
    const again = report(probing, false, OPEN_FOR + 10 * SECOND)
    expect(stateAt(again, OPEN_FOR + 40 * SECOND - 1)).toBe("open")
    expect(stateAt(again, OPEN_FOR + 40 * SECOND)).toBe("half-open")
  })

  it("forgets a probe that never reports, 30 seconds after it began", () => {
    const at = OPEN_FOR + 5 * SECOND
    const probing = begin(opened, at).circuit
    expect(begin(probing, at + 30 * SECOND - 1).admitted).toBe(false)
    expect(begin(probing, at + 30 * SECOND).admitted).toBe(true)
  })

  it("is not prolonged by dispatches that were sent although it is open", () => {
    const later = report(opened, false, 20 * SECOND)
    expect(stateAt(later, OPEN_FOR)).toBe("half-open")
  })

  it("in any history, is closed after a verdict, and once open admits at most one dispatch in 30 seconds without one", () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 20 * SECOND }),
      event: fc.constantFrom("begin", "verdict", "silence")
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let circuit = initialCircuit
        let now = 0
        let inARow = 0
        let lastProbe = Number.NEGATIVE_INFINITY
        for (const { event, wait } of steps) {
          now += wait
          const before = stateAt(circuit, now)
          if (event === "begin") {
            const begun = begin(circuit, now)
            circuit = begun.circuit
            expect(begun.admitted).toBe(before !== "open")
            if (begun.admitted && before === "half-open") {
              expect(now - lastProbe).toBeGreaterThanOrEqual(OPEN_FOR)
              lastProbe = now
            }
          } else {
            circuit = report(circuit, event === "verdict", now)
            inARow = event === "verdict" ? 0 : inARow + 1
            if (event === "verdict") lastProbe = Number.NEGATIVE_INFINITY
            expect(stateAt(circuit, now) === "closed").toBe(inARow < 10)
          }
        }
      })
    )
  })
})
