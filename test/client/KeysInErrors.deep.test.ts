/** An API key that cannot be sent, such as one read from a file with its line break, is in no message of the clients. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { hasPython, installClients, outputOf } from "./support/ClientPackages.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-keys-in-errors-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const programs = {
  "keys.mjs": `import { createCorridor } from "@corridor/client"
const corridor = createCorridor({ url: "http://127.0.0.1:9", apiKey: process.env.API_KEY, retries: 0 })
await corridor.users.list().catch((error) => console.log(error.name, error.message))
`,
  "keys.py": `import os
from corridor import Corridor
try:
    Corridor("http://127.0.0.1:9", api_key=os.environ["API_KEY"], retries=0).users.list()
except Exception as error:
    print(type(error).__name__, error)
`
}

let installed: Promise<void> | undefined

describe("Messages of the clients hold no API key", () => {
  for (const [command, file] of [
    [process.execPath, "keys.mjs"],
    ["python3", "keys.py"]
  ] as const) {
    const test = command === "python3" && !hasPython ? it.skip : it
    for (const [what, key] of [
      ["a line break after it", "ck_live_SECRET\n"],
      ["a line break in it", "ck_live_SEC\nRET"]
    ] as const) {
      test(`${file}: ${what}`, async () => {
        await (installed ??= installClients(folder))
        writeFileSync(join(folder, file), programs[file])
        const said = await outputOf(folder, command, [file], { API_KEY: key })
        expect(said).toContain("CorridorError")
        expect(said).not.toContain("ck_live_")
      })
    }
  }
})
