/** Reads tables from the contract at build time, for programs that should not load the whole contract at each start. */
import { rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"

const project = resolve(import.meta.dirname, "..", "..")

/** The named export of a file that reads the contract. */
const readTable = async (folder, file, name) => {
  const outfile = join(folder, `${name}.mjs`)
  const options = { bundle: true, packages: "external", platform: "node", format: "esm", logLevel: "warning" }
  await build({ ...options, absWorkingDir: project, entryPoints: [file], outfile })
  const { [name]: table } = await import(pathToFileURL(resolve(outfile)).href)
  rmSync(outfile)
  return table
}

/** Replaces that file in a bundle. */
const asTable = (file, name, table) => ({
  name,
  setup: (builder) => {
    builder.onLoad({ filter: new RegExp(`[\\\\/]${file.split("/").slice(-2).join("[\\\\/]")}$`) }, () => ({
      // JSON.parse is faster than an object literal.
      contents: `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(table))})`,
      loader: "js"
    }))
  }
})

const operations = ["src/client/DeclaredOperations.ts", "operations"]
const answerShapes = ["src/cli/client/AnswerShapes.ts", "answerShapes"]

export const readOperations = (folder) => readTable(folder, ...operations)
export const operationsAsTable = (table) => asTable(...operations, table)

export const readAnswerShapes = (folder) => readTable(folder, ...answerShapes)
export const answerShapesAsTable = (table) => asTable(...answerShapes, table)

/** Generated files of the published clients, by name. */
export const readClientSources = (folder) => readTable(folder, "src/client/generate/ClientSources.ts", "clientSources")
