/**
 * Copied beside a built program as its `main.mjs`: starts it from the code that V8 made of it at the build. Without that
 * code, or where V8 has other flags, the program is compiled as usual. The code begins with a hash of the text that it
 * was made of and of its place, as V8 itself compares no more than the length of the text.
 */
import { isAscii } from "node:buffer"
import { createHash } from "node:crypto"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import module, { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { constants, Script } from "node:vm"

const filename = fileURLToPath(new URL("main.cjs", import.meta.url))
const codeFile = fileURLToPath(new URL("main.code", import.meta.url))
const text = readFileSync(filename)
// Code that was made elsewhere cannot import anything while it runs.
const hash = createHash("sha256").update(process.version).update(filename).update(text).digest()

const keptCode = () => {
  try {
    const kept = readFileSync(codeFile)
    return kept.subarray(0, hash.length).equals(hash) ? kept.subarray(hash.length) : undefined
  } catch {
    return undefined
  }
}

// Nothing but ASCII is copied as it is; what else there is has to be decoded, which takes longer than all the rest here.
const script = new Script(module.wrap(text.toString(isAscii(text) ? "latin1" : "utf8")), {
  filename,
  cachedData: keptCode(),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
})

if (process.env["CORRIDOR_KEEP_CODE"] !== undefined) {
  process.once("exit", () => {
    const unfinished = `${codeFile}.${process.pid}`
    writeFileSync(unfinished, Buffer.concat([hash, script.createCachedData()]))
    renameSync(unfinished, codeFile)
  })
}

const program = { exports: {} }
script.runInThisContext()(program.exports, createRequire(filename), program, filename, dirname(filename))
