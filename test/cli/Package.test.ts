/** Contents of the tarball of `npm pack`: all that an installed program reads, and nothing of this machine. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import about from "../../package.json" with { type: "json" }

interface Packed {
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Files of a build, but empty: packing goes by names. */
const built = [
  ...["main.cjs", "main.mjs", "main.code", "cli/main.cjs", "cli/main.mjs", "cli/main.code", "bench/main.mjs"],
  ...["client/esm/main.js", "client/package.json", "client/python/pyproject.toml"],
  ...["console/names.json", "console/console-A.js", "console/console-A.js.br", "console/console-A.css"]
]

const packed = async (): Promise<ReadonlyArray<string>> => {
  const folder = mkdtempSync(join(tmpdir(), "corridor-pack-"))
  try {
    mkdirSync(join(folder, "scripts"))
    for (const name of ["package.json", "scripts/build.mjs", "tsconfig.json", "README.md", "LICENSE"]) {
      writeFileSync(join(folder, name), readFileSync(name))
    }
    for (const name of built) {
      mkdirSync(join(folder, "dist", name, ".."), { recursive: true })
      writeFileSync(join(folder, "dist", name), "")
    }
    for (const name of [
      ".data/sandbox.json",
      ".env",
      "test/Some.test.ts",
      "test/fakes/AllFakes.ts",
      "docs/cli.md",
      "migrations/0001_x.ts"
    ]) {
      mkdirSync(join(folder, name, ".."), { recursive: true })
      writeFileSync(join(folder, name), "")
    }
    mkdirSync(join(folder, "src", "cli"), { recursive: true })
    writeFileSync(join(folder, "src", "cli", "corridor.mjs"), "")
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
    const words = ["pack", "--dry-run", "--json", "--ignore-scripts", "--silent"]
    const { stdout } = await promisify(execFile)("npm", words, { cwd: folder })
    return (JSON.parse(stdout) as [Packed])[0].files.map(({ path }) => path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it("holds the programs, the console and the pages; no client, code cache, data or test of this machine", async () => {
  const files = await packed()
  expect(files).toEqual(
    expect.arrayContaining([
      about.bin.corridor,
      ...[
        "dist/cli/main.cjs",
        "dist/cli/main.mjs",
        "dist/main.cjs",
        "dist/main.mjs",
        "scripts/build.mjs",
        "tsconfig.json"
      ],
      ...["dist/console/names.json", "dist/console/console-A.js.br"],
      ...["test/fakes/AllFakes.ts", "docs/cli.md", "migrations/0001_x.ts", "README.md", "LICENSE"]
    ])
  )
  expect(
    files.filter((name) => /\.code$|^dist\/(bench|client)|^test\/(?!fakes\/)|^\.|node_modules/.test(name))
  ).toEqual([])
})

it("says that it builds, before the first start, to standard error alone", async () => {
  const outdir = mkdtempSync(join(tmpdir(), "corridor-build-"))
  try {
    const build = spawn(process.execPath, ["scripts/build.mjs", "--outdir", outdir], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    const [said] = (await once(build.stderr, "data")) as [Buffer]
    expect(String(said)).toBe("Building Corridor, which takes some seconds, once for each version of its sources\n")
    build.kill()
    await once(build, "exit")
    expect(build.stdout.read()).toBeNull()
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
})
