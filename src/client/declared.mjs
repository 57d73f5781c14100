/**
 * The contract's operations as a table, for programs that need no more of it than method and path: to load the whole
 * contract takes longer than to call it.
 */
import { rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"

const project = resolve(import.meta.dirname, "..", "..")
const declared = "src/client/Declared.ts"

export const readOperations = async (folder) => {
  const outfile = join(folder, "operations.mjs")
  const options = { bundle: true, packages: "external", platform: "node", format: "esm", logLevel: "warning" }
  await build({ ...options, absWorkingDir: project, entryPoints: [declared], outfile })
  const { operations } = await import(pathToFileURL(outfile).href)
  rmSync(outfile)
  return operations
}

/** Stands in a bundle for what would read the contract. */
export const operationsAsTable = (operations) => ({
  name: "operations",
  setup: (builder) => {
    builder.onLoad({ filter: /[\\/]client[\\/]Declared\.ts$/ }, () => ({
      contents: `export const operations = ${JSON.stringify(operations)}`,
      loader: "js"
    }))
  }
})
