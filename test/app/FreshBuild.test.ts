/** Builds are left out only where they would change nothing. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
// @ts-expect-error: a part of the build, which knows no types
import { buildOf } from "../../scripts/freshBuild.mjs"

interface Build {
  readonly isFresh: boolean
  readonly ended: () => void
}

describe("a build", () => {
  let folder = ""
  const at = (...names: ReadonlyArray<string>) => join(folder, ...names)
  const begin = (...parts: ReadonlyArray<string>): Build =>
    buildOf(at("dist"), [at("src"), at("package.json")], parts, ["main.cjs"]) as Build

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "corridor-build-"))
    for (const name of ["src/deep", "dist"]) mkdirSync(at(name), { recursive: true })
    for (const name of ["src/main.ts", "src/deep/part.ts", "dist/main.cjs", "package.json"])
      writeFileSync(at(name), name)
    begin().ended()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it("is left out where nothing has changed since the last one", () => {
    expect(begin().isFresh).toBe(true)
    expect(begin().isFresh).toBe(true)
  })

  it.each([
    ["a source is written", () => writeFileSync(at("src/deep/part.ts"), "another text")],
    ["a source is written at another time", () => utimesSync(at("src/main.ts"), 1, 1)],
    ["a source is new", () => writeFileSync(at("src/deep/new.ts"), "")],
    ["a source is gone", () => rmSync(at("src/deep/part.ts"))],
    ["the packages are others", () => writeFileSync(at("package.json"), "{}")],
    ["its result is gone", () => rmSync(at("dist/main.cjs"))],
    ["what it noted cannot be read", () => writeFileSync(at("dist/built.json"), "{")],
    ["another one did not come to its end", () => void begin("client")]
  ])("is made where %s", (_, change) => {
    change()
    expect(begin().isFresh).toBe(false)
    expect(begin().isFresh, "until one has ended").toBe(false)
  })

  it("that has more than is wanted will do, and one that has less will not", () => {
    expect(begin("client").isFresh).toBe(false)
    begin("client").ended()
    expect(begin("client").isFresh).toBe(true)
    expect(begin().isFresh).toBe(true)
    expect(begin("client", "map").isFresh).toBe(false)
  })
})
