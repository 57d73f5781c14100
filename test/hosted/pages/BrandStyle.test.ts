/** Pages of a brand can be read and used with any brand colour. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { brandColors, brandStyle, contrast, dark, light, style } from "../../../src/hosted/pages/PageStyle.ts"

const color = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, "0")}`)

const hardest = [
  "#000000",
  "#ffffff",
  "#767676",
  "#777777",
  "#757575",
  "#ffff00",
  "#0000ff",
  "#ff0000",
  "#00ff00",
  "#808080"
]

describe("a brand's colour", () => {
  it("is measured as others measure it", () => {
    expect(contrast("#000000", "#ffffff")).toBe(21)
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2)
    expect(contrast("#1d4ed8", "#ffffff")).toBeCloseTo(6.7, 1)
  })

  it.each([
    ["light", light],
    ["dark", dark]
  ])("can be read and seen on %s pages, whatever it is", (_, ground) => {
    fc.assert(
      fc.property(color, (given) => {
        const { accent, border, focus, hover, onAccent } = brandColors(given, ground)
        expect(accent).toBe(given)
        expect(contrast(onAccent, accent)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(onAccent, hover)).toBeGreaterThanOrEqual(4.5)
        for (const behind of [ground.card, ground.page]) expect(contrast(focus, behind)).toBeGreaterThanOrEqual(3)
        expect(contrast(border, ground.card)).toBeGreaterThanOrEqual(3)
      }),
      { numRuns: 3000, examples: hardest.map((one) => [one] as [string]) }
    )
  })

  it("stands on what the pages' own style sheet has", () => {
    const [day = "", night = ""] = style.split("@media (prefers-color-scheme:dark)")
    for (const [sheet, ground] of [
      [day, light],
      [night, dark]
    ] as const) {
      const has = (name: string) => new RegExp(`--${name}:(#[0-9a-f]{3,6})`).exec(sheet)?.[1]
      const long = (hex: string | undefined) => hex?.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3")
      expect([has("bg"), has("card"), has("text"), has("edge")].map(long)).toEqual([
        ground.page,
        ground.card,
        ground.text,
        ground.edge
      ])
    }
  })

  it("is the only thing of a brand that comes into a style", () => {
    for (const text of ["red", "#fff", "#0b6e4f}body{display:none", "#0B6E4F", ""]) expect(brandStyle(text)).toBe("")
    expect(brandStyle("#0b6e4f")).toMatch(/^:root\{--accent:#0b6e4f;--onaccent:#ffffff;/)
  })
})
