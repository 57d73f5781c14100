/**
 * Copied beside a built program as its `main.mjs`: starts it from the code that V8 made of it at the build. Without that
 * code, or where V8 has other flags, the program is compiled as usual; where it was installed since, the first run keeps
 * its own. The code begins with a hash of the text that it was made of and of its place, as V8 itself compares no more
 * than the length of the text.
 */
import { isAscii } from "node:buffer"
import { createHash } from "node:crypto"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import module, { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { constants, Script } from "node:vm"

// A command ends soon, and nearly all that it loads is there until then: the less often it is looked through, the better. A
// server is started with flags that say how its memory grows.
if (!process.execArgv.some((flag) => flag.includes("semi-space"))) setFlagsFromString("--semi-space-growth-factor=16")

const filename = fileURLToPath(new URL("main.cjs", import.meta.url))
const codeFile = fileURLToPath(new URL("main.code", import.meta.url))
/** What is read for it is let go with the call: it is larger than all that the program keeps of it. */
const compiled = () => {
  const text = readFileSync(filename)
  // Whatever starts from kept code cannot import anything while it runs: programs require what they need.
  const hash = createHash("sha256").update(process.version).update(filename).update(text).digest()
  const keptCode = () => {
    try {
      const code = readFileSync(codeFile)
      return code.subarray(0, hash.length).equals(hash) ? code.subarray(hash.length) : undefined
    } catch {
      return undefined
    }
  }
  const kept = keptCode()
  // Nothing but ASCII is copied as it is; what else there is has to be decoded, which takes longer than all the rest here.
  const script = new Script(module.wrap(text.toString(isAscii(text) ? "latin1" : "utf8")), {
    filename,
    cachedData: kept,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  })
  return { hash, isKept: kept !== undefined, script }
}

const { hash, isKept, script } = compiled()

if (!isKept || process.env["CORRIDOR_KEEP_CODE"] !== undefined) {
  process.once("exit", () => {
    const unfinished = `${codeFile}.${process.pid}`
    try {
      writeFileSync(unfinished, Buffer.concat([hash, script.createCachedData()]))
      renameSync(unfinished, codeFile)
    } catch {
      // A folder that others own: it starts as it did.
      rmSync(unfinished, { force: true })
    }
  })
}

const program = { exports: {} }
script.runInThisContext()(program.exports, createRequire(filename), program, filename, dirname(filename))
