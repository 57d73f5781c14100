import { describe, expect, it } from "@effect/vitest"
import { allKinds, nthFault } from "./faults/Schedule.ts"
import { Chance } from "../simulation/world/Chance.ts"

const faultsOf = (seed: number) => Array.from({ length: 60 }, (_, nth) => nthFault(allKinds, new Chance(seed), nth))

describe("the faults of a run", () => {
  it("are the seed's alone", () => {
    expect(faultsOf(1)).toEqual(faultsOf(1))
    expect(faultsOf(1)).not.toEqual(faultsOf(2))
  })

  it("are of every kind once before any comes twice", () => {
    const names = faultsOf(3).map(({ kind }) => kind.name)
    expect(new Set(names.slice(0, allKinds.length)).size).toBe(allKinds.length)
    expect(new Set(names.slice(allKinds.length, 2 * allKinds.length)).size).toBe(allKinds.length)
  })

  it("last as long as their kind may", () => {
    for (const { kind, lasts } of faultsOf(5)) {
      expect(lasts).toBeGreaterThanOrEqual(kind.lasts[0])
      expect(lasts).toBeLessThanOrEqual(kind.lasts[1])
    }
  })

  it("are not always alone", () => {
    const overlapping = faultsOf(7).filter(({ overlaps }) => overlaps).length
    expect(overlapping).toBeGreaterThan(0)
    expect(overlapping).toBeLessThan(30)
  })
})
