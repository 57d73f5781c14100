import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Breaker from "../../src/domain/CircuitBreaker.ts"
import { type Circuits, initialCircuits, openFor } from "../../src/domain/CircuitBreaker.ts"
import type { OrgId } from "../../src/domain/Ids.ts"
import { idFrom } from "../support/AnyId.ts"

const SECOND = 1000
const OPEN_FOR = 30 * SECOND

const [one, two, three, four] = ["one", "two", "three", "four"].map((name): OrgId => idFrom(name)) as [
  ...[OrgId, OrgId, OrgId, OrgId]
]

const stateAt = (circuits: Circuits, now: number, org = one) => Breaker.stateAt(circuits, org, now)
const report = (circuits: Circuits, hasVerdict: boolean, now: number, org = one) =>
  Breaker.report(circuits, org, hasVerdict, now)
const begin = (circuits: Circuits, now: number, org = one) => Breaker.begin(circuits, org, now)

const silences = (count: number, from: Circuits = initialCircuits, now = 0, org = one): Circuits =>
  Array.from({ length: count }).reduce<Circuits>((circuits) => report(circuits, false, now, org), from)

const opened = silences(10)

/** The fourth has sent nothing. */
const openedForAll = silences(2, silences(4, silences(4), 0, two), 0, three)

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
    expect(begin(silences(9), 0)).toEqual({ circuits: silences(9), admitted: true })
    expect(begin(opened, OPEN_FOR - 1)).toEqual({ circuits: opened, admitted: false })
  })

  it("is half-open after 30 seconds and then lets exactly one probe through", () => {
    expect(stateAt(opened, OPEN_FOR - 1)).toBe("open")
    expect(stateAt(opened, OPEN_FOR)).toBe("half-open")
    const first = begin(opened, OPEN_FOR)
    expect(first.admitted).toBe(true)
    expect(stateAt(first.circuits, OPEN_FOR)).toBe("open")
    expect(begin(first.circuits, OPEN_FOR).admitted).toBe(false)
  })

  it("closes when the probe brings a verdict", () => {
    const probing = begin(opened, OPEN_FOR).circuits
    const closed = report(probing, true, OPEN_FOR + SECOND)
    expect(stateAt(closed, OPEN_FOR + SECOND)).toBe("closed")
    expect(stateAt(silences(9, closed), OPEN_FOR)).toBe("closed")
  })

  it("opens for another 30 seconds from then when the probe brings none", () => {
    const probing = begin(opened, OPEN_FOR).circuits
    const again = report(probing, false, OPEN_FOR + 10 * SECOND)
    expect(stateAt(again, OPEN_FOR + 40 * SECOND - 1)).toBe("open")
    expect(stateAt(again, OPEN_FOR + 40 * SECOND)).toBe("half-open")
  })

  it("forgets a probe that never reports, 30 seconds after it began", () => {
    const at = OPEN_FOR + 5 * SECOND
    const probing = begin(opened, at).circuits
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
        let circuits = initialCircuits
        let now = 0
        let inARow = 0
        let lastProbe = Number.NEGATIVE_INFINITY
        for (const { event, wait } of steps) {
          now += wait
          const before = stateAt(circuits, now)
          if (event === "begin") {
            const begun = begin(circuits, now)
            circuits = begun.circuits
            expect(begun.admitted).toBe(before !== "open")
            if (begun.admitted && before === "half-open") {
              expect(now - lastProbe).toBeGreaterThanOrEqual(OPEN_FOR)
              lastProbe = now
            }
          } else {
            circuits = report(circuits, event === "verdict", now)
            inARow = event === "verdict" ? 0 : inARow + 1
            if (event === "verdict") lastProbe = Number.NEGATIVE_INFINITY
            expect(stateAt(circuits, now) === "closed").toBe(inARow < 10)
          }
        }
      })
    )
  })

  it("lets another try at once where the probe was not sent", () => {
    const probing = begin(opened, OPEN_FOR).circuits
    const again = Breaker.unsent(probing, one, OPEN_FOR + SECOND)
    expect(begin(again, OPEN_FOR + SECOND).admitted).toBe(true)
    expect(Breaker.unsent(opened, one, SECOND), "what is no probe opens nothing").toBe(opened)
    expect(Breaker.unsent(silences(9), one, SECOND)).toEqual(silences(9))
    const forAll = begin(openedForAll, OPEN_FOR).circuits
    expect(begin(Breaker.unsent(forAll, two, OPEN_FOR), OPEN_FOR, two).admitted, "nor does another's").toBe(false)
    expect(begin(Breaker.unsent(forAll, one, OPEN_FOR), OPEN_FOR, two).admitted).toBe(true)
  })
})

describe("of an account that organisations share", () => {
  it("one organisation's silence opens the circuit for itself alone", () => {
    const all = silences(1000)
    expect([one, two].map((org) => stateAt(all, 0, org))).toEqual(["open", "closed"])
    expect(openFor(all)).toBe("some")
    const besideAnother = silences(3, silences(1000), 0, two)
    expect([one, two, three].map((org) => stateAt(besideAnother, 0, org))).toEqual(["open", "closed", "closed"])
  })

  it("three of them open it for all organisations with the tenth, of which each counts for four at most", () => {
    const nine = silences(1, silences(4, silences(1000), 0, two), 0, three)
    expect(stateAt(nine, 0, four)).toBe("closed")
    expect(openFor(openedForAll)).toBe("everybody")
    expect(stateAt(openedForAll, 0, four)).toBe("open")
    expect(stateAt(report(openedForAll, true, 0, four), 0, one)).toBe("closed")
  })

  it("a verdict for one organisation starts the common count anew, and not another's own", () => {
    const interrupted = report(silences(9), true, 0, two)
    expect(stateAt(silences(1, interrupted), 0)).toBe("open")
    const anew = silences(1, silences(4, interrupted, 0, two), 0, three)
    expect(stateAt(anew, 0, four)).toBe("closed")
  })

  it("whose common probe was silent lets the others try first", () => {
    const probing = begin(openedForAll, OPEN_FOR).circuits
    expect(begin(probing, OPEN_FOR, two).admitted).toBe(false)
    expect(report(probing, false, OPEN_FOR, two).shared, "no probe, no news").toBe(probing.shared)
    const again = report(probing, false, OPEN_FOR)
    expect(begin(again, 2 * OPEN_FOR - 1, two).admitted).toBe(false)
    expect(begin(again, 3 * OPEN_FOR - 1).admitted).toBe(false)
    expect(begin(again, 2 * OPEN_FOR, two).admitted).toBe(true)
    expect(begin(again, 3 * OPEN_FOR).admitted).toBe(true)
  })

  it("whatever one of them does, it stays closed for another that gets its verdicts", () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 20 * SECOND }),
      org: fc.constantFrom(one, two),
      event: fc.constantFrom("begin", "unsent", "silence", "verdict")
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let circuits = initialCircuits
        let now = 0
        for (const { event, org, wait } of steps) {
          now += wait
          if (event === "begin") circuits = begin(circuits, now, org).circuits
          else if (event === "unsent") circuits = Breaker.unsent(circuits, org, now)
          else circuits = report(circuits, event === "verdict" || org === two, now, org)
          expect(stateAt(circuits, now, two)).toBe("closed")
        }
      })
    )
  })
})
