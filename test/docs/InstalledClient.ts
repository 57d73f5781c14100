/** `corridor/client` as programs that installed it find it, in a folder of node_modules. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"

export const installClient = async (folder: string): Promise<void> => {
  const installed = join(folder, "node_modules", "corridor")
  mkdirSync(installed, { recursive: true })
  writeFileSync(
    join(installed, "package.json"),
    JSON.stringify({ name: "corridor", type: "module", exports: { "./client": "./client.js" } })
  )
  await build({
    entryPoints: ["src/client/main.ts"],
    outfile: join(installed, "client.js"),
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning"
  })
}
