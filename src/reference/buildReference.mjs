/** Builds the API reference: one static page, one script, one style, and the OpenAPI document. */
import { rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { forBrowsers, unlessBuilt } from "../client/sources.mjs"

const project = resolve(import.meta.dirname, "..", "..")

const sources = ["src/reference", "src/contract", "src/domain"]

const forPage = {
  ...forBrowsers,
  entryPoints: [
    { in: "src/reference/reference.ts", out: "reference" },
    { in: "src/reference/style/reference.css", out: "reference" }
  ]
}

const forNode = { absWorkingDir: project, bundle: true, platform: "node", format: "esm", logLevel: "warning" }

/** Loads the renderer, which needs no packages, without writing a file. */
const loadRenderer = async () => {
  const { outputFiles } = await build({
    ...forNode,
    entryPoints: ["src/reference/ReferencePage.ts"],
    write: false
  })
  const { renderReference } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
  return renderReference
}

const readDocument = async (folder) => {
  const outfile = join(folder, "document.mjs")
  await build({ ...forNode, packages: "external", entryPoints: ["src/contract/openapi/OpenApiDocument.ts"], outfile })
  const { openApiTemplate } = await import(pathToFileURL(outfile).href)
  rmSync(outfile)
  return openApiTemplate()
}

export const buildReference = (outdir) => {
  const folder = resolve(project, outdir, "reference")
  return unlessBuilt(folder, sources, async () => {
    await build({ ...forPage, outdir: folder })
    const openApi = await readDocument(folder)
    const render = await loadRenderer()
    writeFileSync(join(folder, "openapi.json"), openApi)
    writeFileSync(join(folder, "reference.html"), render(openApi))
  })
}

/** Builds in memory for a server that runs from its sources. Returns each file by its name. */
export const referenceInMemory = async (openApi) => {
  const [{ outputFiles }, render] = await Promise.all([
    build({ ...forPage, outdir: "reference", write: false }),
    loadRenderer()
  ])
  const files = { "reference.html": render(openApi) }
  return (name) => files[name] ?? outputFiles.find(({ path }) => path.endsWith(name))?.text
}
