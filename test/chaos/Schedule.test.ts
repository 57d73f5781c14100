import { describe, expect, it } from "@effect/vitest"
import { allKinds, drawSchedule } from "../../chaos/faults/Schedule.ts"
import { Chance } from "../../simulation/world/Chance.ts"

const namesOf = (seed: number, seconds: number) =>
  drawSchedule(allKinds, new Chance(seed), seconds * 1000).map(({ at, kind, lasts }) => [kind.name, at, lasts])

describe("a schedule", () => {
  it("is the seed's alone", () => {
    expect(namesOf(1, 600)).toEqual(namesOf(1, 600))
    expect(namesOf(1, 600)).not.toEqual(namesOf(2, 600))
    expect(namesOf(1, 600).slice(0, 5)).toEqual(namesOf(1, 3600).slice(0, 5))
  })

  it("has every kind once before any comes twice", () => {
    const first = namesOf(3, 600).slice(0, allKinds.length)
    expect(new Set(first.map(([name]) => name)).size).toBe(allKinds.length)
  })

  it("ends with the run", () => {
    for (const { at, lasts } of drawSchedule(allKinds, new Chance(5), 300_000)) expect(at + lasts).toBeLessThan(300_001)
  })
})
