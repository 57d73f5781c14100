/** Builds the console: one script and one style, named by their hashes and compressed at build time. */
import { writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { brotliCompressSync, constants } from "node:zlib"
import { build } from "esbuild"
import { operationsAsTable } from "../client/declared.mjs"
import { forBrowsers, unlessBuilt } from "../client/sources.mjs"

const project = resolve(import.meta.dirname, "..", "..")

const sources = ["src/console", "src/reference/style", "src/client", "src/contract", "src/domain"]

const writeConsole = async (folder, operations) => {
  const { outputFiles } = await build({
    ...forBrowsers,
    entryPoints: { console: "src/console/App.tsx" },
    outdir: folder,
    entryNames: "[name]-[hash]",
    plugins: [operationsAsTable(operations)],
    write: false
  })
  const names = {}
  for (const { contents, path } of outputFiles) {
    const name = basename(path)
    names[name.endsWith(".css") ? "style" : "script"] = name
    writeFileSync(path, contents)
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    writeFileSync(`${path}.br`, brotliCompressSync(contents, { params }))
  }
  writeFileSync(join(folder, "names.json"), JSON.stringify(names))
}

export const buildConsole = (outdir, operations) => {
  const folder = resolve(project, outdir, "console")
  return unlessBuilt(folder, sources, () => writeConsole(folder, operations))
}
