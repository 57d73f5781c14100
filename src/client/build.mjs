/** Builds the packages for other programs: `@corridor/client` for npm, and in its folder `python` the one for Python. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createHash } from "node:crypto"
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { build } from "esbuild"
import { operationsAsTable, readClientSources, readOperations } from "./declared.mjs"

const project = resolve(import.meta.dirname, "..", "..")
const own = import.meta.dirname

const readPackage = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** The packages have the version of the server, and its Effect as peers. */
const { dependencies, version } = readPackage(project)

const manifest = () => {
  const about = readPackage(own)
  const peers = Object.keys(about.peerDependenciesMeta).map((name) => [name, `^${dependencies[name]}`])
  return { ...about, version, peerDependencies: Object.fromEntries(peers) }
}

const formats = [
  ["esm", "module"],
  ["cjs", "commonjs"]
]

const bundled = async (outdir, format, operations) => {
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: ["src/client/main.ts", "src/client/effect.ts"],
    outdir: join(outdir, format),
    bundle: true,
    platform: "node",
    target: "node20",
    format,
    // Programs on Effect share their own copy.
    external: ["effect", "@effect/*"],
    plugins: [operationsAsTable(operations)],
    metafile: true,
    logLevel: "warning"
  })
  return Object.keys(metafile.inputs)
}

/** Other programs import files that end in `.js`. */
const withJsImports = (folder) => {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((one) => one.endsWith(".ts"))) {
    const file = join(folder, name)
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/((?:from|import\()\s*"\.[^"]*)\.ts"/g, '$1.js"'))
  }
}

const findCompiler = () => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
  } catch {
    process.stderr.write(
      "The client gets no types: TypeScript is not installed (npm ci without --omit=dev installs it)\n"
    )
    return undefined
  }
}

/** Runs the compiler only if its sources have changed. The types of the contract are those without Effect. */
const declared = async (outdir, sources, wireTypes) => {
  const hash = createHash("sha256").update(wireTypes)
  for (const file of [...sources].sort()) hash.update(file).update(readFileSync(join(project, file)))
  const now = hash.digest("hex")
  const mark = join(outdir, "types.hash")
  if (existsSync(mark) && readFileSync(mark, "utf8") === now) return
  const compiler = findCompiler()
  if (compiler === undefined) return
  const types = join(outdir, "types")
  rmSync(types, { recursive: true, force: true })
  const running = spawn(process.execPath, [compiler, "-p", own, "--outDir", types], { stdio: ["ignore", 2, 2] })
  const [status] = await once(running, "exit")
  if (status !== 0) throw new Error("The types of the client could not be written.")
  writeFileSync(join(types, "client", "WireTypes.d.ts"), wireTypes)
  withJsImports(types)
  for (const [format] of formats) cpSync(types, join(outdir, format), { recursive: true })
  rmSync(types, { recursive: true })
  writeFileSync(mark, now)
}

const buildPython = (folder, sources) => {
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(own, "python"), folder, { recursive: true, filter: (name) => !/__pycache__|\.mypy_cache/.test(name) })
  for (const name of ["_operations.py", "types.py"]) writeFileSync(join(folder, "corridor", name), sources[name])
  const about = join(folder, "pyproject.toml")
  writeFileSync(about, readFileSync(about, "utf8").replace(/^version = .*$/m, `version = "${version}"`))
  copyFileSync(join(project, "LICENSE"), join(folder, "LICENSE"))
}

/** Without types it takes a second: for tests that only run the packages. */
export const buildClient = async (outdir, { types = true } = {}) => {
  const folder = resolve(project, outdir, "client")
  mkdirSync(folder, { recursive: true })
  const operations = await readOperations(folder)
  const sources = await readClientSources(folder)
  const inputs = []
  for (const [format, type] of formats) {
    mkdirSync(join(folder, format), { recursive: true })
    writeFileSync(join(folder, format, "package.json"), `${JSON.stringify({ type })}\n`)
    inputs.push(...(await bundled(folder, format, operations)))
  }
  if (types) await declared(folder, new Set(inputs), sources["WireTypes.d.ts"])
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`)
  copyFileSync(join(own, "README.md"), join(folder, "README.md"))
  copyFileSync(join(project, "LICENSE"), join(folder, "LICENSE"))
  buildPython(join(folder, "python"), sources)
}
