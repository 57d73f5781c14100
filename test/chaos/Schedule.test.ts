import { describe, expect, it } from "@effect/vitest"
import { allKinds, nthFault } from "./faults/Schedule.ts"
import { Chance } from "../simulation/world/Chance.ts"

const faultsOf = (seed: number) => Array.from({ length: 60 }, (_, nth) => nthFault(allKinds, new Chance(seed), nth))

describe("fault schedule", () => {
  it("depends on the seed only", () => {
    expect(faultsOf(1)).toEqual(faultsOf(1))
    expect(faultsOf(1)).not.toEqual(faultsOf(2))
  })

  it("draws every kind once before any repeats", () => {
    const names = faultsOf(3).map(({ kind }) => kind.name)
    expect(new Set(names.slice(0, allKinds.length)).size).toBe(allKinds.length)
    expect(new Set(names.slice(allKinds.length, 2 * allKinds.length)).size).toBe(allKinds.length)
  })

  it("keeps durations within the limits of each kind", () => {
    for (const { kind, lasts } of faultsOf(5)) {
      expect(lasts).toBeGreaterThanOrEqual(kind.lasts[0])
      expect(lasts).toBeLessThanOrEqual(kind.lasts[1])
    }
  })

  it("lets some faults overlap", () => {
    const overlapping = faultsOf(7).filter(({ overlaps }) => overlaps).length
    expect(overlapping).toBeGreaterThan(0)
    expect(overlapping).toBeLessThan(30)
  })
})
