/** Builds `corridor/client`: one file for `import`, one for `require`, each with types. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { build } from "esbuild"

const project = resolve(import.meta.dirname, "..", "..")

const formats = [
  ["esm", "module"],
  ["cjs", "commonjs"]
]

const bundled = async (outdir, format) => {
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: ["src/client/main.ts"],
    outfile: join(outdir, format, "main.js"),
    bundle: true,
    platform: "node",
    target: "node20",
    format,
    // Programs on Effect share their own copy.
    external: ["effect", "@effect/*"],
    metafile: true,
    logLevel: "warning"
  })
  return Object.keys(metafile.inputs)
}

/** Runs the compiler only if its sources have changed. */
const declared = (outdir, sources) => {
  const hash = createHash("sha256")
  for (const file of [...sources].sort()) hash.update(file).update(readFileSync(join(project, file)))
  const now = hash.digest("hex")
  const mark = join(outdir, "types.hash")
  if (existsSync(mark) && readFileSync(mark, "utf8") === now) return
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
  const types = join(outdir, "types")
  rmSync(types, { recursive: true, force: true })
  const { status } = spawnSync(process.execPath, [compiler, "-p", join(project, "src/client"), "--outDir", types], {
    stdio: ["ignore", 2, 2]
  })
  if (status !== 0) throw new Error("The types of the client could not be written.")
  for (const [format] of formats) cpSync(types, join(outdir, format), { recursive: true })
  rmSync(types, { recursive: true })
  writeFileSync(mark, now)
}

export const buildClient = async (outdir) => {
  const folder = resolve(project, outdir, "client")
  const inputs = []
  for (const [format, type] of formats) {
    mkdirSync(join(folder, format), { recursive: true })
    writeFileSync(join(folder, format, "package.json"), `${JSON.stringify({ type })}\n`)
    inputs.push(...(await bundled(folder, format)))
  }
  declared(folder, new Set(inputs))
}
