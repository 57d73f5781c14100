/**
 * What is read from the contract as a table, for programs that need no more of it than that: to load the whole contract
 * takes longer than to call it.
 */
import { rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"

const project = resolve(import.meta.dirname, "..", "..")

/** What a file that reads the contract exports under this name. */
const readTable = async (folder, file, name) => {
  const outfile = join(folder, `${name}.mjs`)
  const options = { bundle: true, packages: "external", platform: "node", format: "esm", logLevel: "warning" }
  await build({ ...options, absWorkingDir: project, entryPoints: [file], outfile })
  const { [name]: table } = await import(pathToFileURL(resolve(outfile)).href)
  rmSync(outfile)
  return table
}

/** Stands in a bundle for the file that would read the contract. */
const asTable = (file, name, table) => ({
  name,
  setup: (builder) => {
    builder.onLoad({ filter: new RegExp(`[\\\\/]${file.split("/").slice(-2).join("[\\\\/]")}$`) }, () => ({
      // Read faster than as a part of the program.
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
