/** The API reference as one script and one style, and the document that it shows. */
import { rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { forBrowsers, unlessBuilt } from "../client/sources.mjs"

const project = resolve(import.meta.dirname, "..", "..")

const sources = ["src/reference", "src/contract", "src/domain"]

const page = { ...forBrowsers, entryPoints: { reference: "src/reference/main.tsx" } }

/** By the contract itself, which is bundled for the moment. */
const writeDocument = async (folder) => {
  const outfile = join(folder, "document.mjs")
  const options = { bundle: true, packages: "external", platform: "node", format: "esm", logLevel: "warning" }
  await build({ ...options, absWorkingDir: project, entryPoints: ["src/contract/openapi/OpenApiText.ts"], outfile })
  const { openApiTemplate } = await import(pathToFileURL(outfile).href)
  rmSync(outfile)
  writeFileSync(join(folder, "openapi.json"), openApiTemplate())
}

export const buildReference = (outdir) => {
  const folder = resolve(project, outdir, "reference")
  return unlessBuilt(folder, sources, async () => {
    await build({ ...page, outdir: folder })
    await writeDocument(folder)
  })
}

/** For a server that runs from its sources: nothing is written, and the texts are given by their names. */
export const referenceInMemory = async () => {
  const { outputFiles } = await build({ ...page, outdir: "reference", write: false })
  return (name) => outputFiles.find(({ path }) => path.endsWith(name))?.text
}
