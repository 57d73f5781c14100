/** The console as one script and one style, named by what is in them, and each compressed once instead of at every visit. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { build } from "esbuild"

const project = resolve(import.meta.dirname, "..", "..")

const sources = ["src/console", "src/client", "src/contract", "src/domain"]

/** Every start of the service builds first, so what has not changed is left as it is. */
const stateOfSources = () => {
  const hash = createHash("sha256").update(readFileSync(join(project, "package-lock.json")))
  for (const folder of sources) {
    const names = readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
    for (const name of names.filter((one) => /\.(tsx?|css|mjs)$/.test(one)).sort()) {
      hash.update(name).update(readFileSync(join(project, folder, name)))
    }
  }
  return hash.digest("hex")
}

/** Method and path of every operation, as the contract has them: the browser needs no more of it than that. */
const readOperations = async (folder) => {
  const outfile = join(folder, "operations.mjs")
  const options = { bundle: true, packages: "external", platform: "node", format: "esm", logLevel: "warning" }
  await build({ ...options, absWorkingDir: project, entryPoints: ["src/client/Operations.ts"], outfile })
  const { operations } = await import(pathToFileURL(outfile).href)
  rmSync(outfile)
  return Object.fromEntries(
    operations.map(({ group, keyed, method, name, path }) => [`${group}.${name}`, [method, path, keyed ? 1 : 0]])
  )
}

const virtual = (name, text) => ({
  name,
  setup: (builder) => {
    builder.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: name }))
    builder.onLoad({ filter: /.*/, namespace: name }, () => ({ contents: text, loader: "json" }))
  }
})

export const buildConsole = async (outdir) => {
  const folder = resolve(project, outdir, "console")
  const mark = join(folder, "sources.hash")
  const now = stateOfSources()
  if (existsSync(mark) && readFileSync(mark, "utf8") === now) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const { outputFiles } = await build({
    absWorkingDir: project,
    entryPoints: { console: "src/console/main.tsx" },
    outdir: folder,
    entryNames: "[name]-[hash]",
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022", "chrome111", "firefox115", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [virtual("virtual:operations", JSON.stringify(await readOperations(folder)))],
    write: false,
    logLevel: "warning"
  })
  const names = {}
  for (const { contents, path } of outputFiles) {
    const name = basename(path)
    names[name.endsWith(".css") ? "style" : "script"] = name
    writeFileSync(path, contents)
    writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    writeFileSync(`${path}.br`, brotliCompressSync(contents, { params }))
  }
  writeFileSync(join(folder, "names.json"), JSON.stringify(names))
  writeFileSync(mark, now)
}
