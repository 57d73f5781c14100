/** Secrets are compared in constant time. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => join("src", name))
  .filter((name) => !/\/Fake|\/fakes\//.test(name))

const linesOf = (file: string): ReadonlyArray<string> => readFileSync(file, "utf8").split("\n")

const word = "[\\w.?!\\[\\]()\"']*(?:signature|secret|hmac|mac|token|password|otp|proof|hash|digest|cvv)\\w*[)\\]]*"
const comparison = new RegExp(`(?:${word}\\s*(?:===|!==)\\s*(\\S+)|(\\S+)\\s*(?:===|!==)\\s*${word}(?![\\w(]))`, "i")

/** Comparisons of lengths, kinds or presence. */
const harmless = /^(?:undefined|null|true|false|"|'|\d|-)|length|_tag|typeof/

/** Comparisons by ===, and why they are safe. */
const known: Readonly<Record<string, string>> = {
  "src/console/api/ProviderSignIn.ts": "whether the tab's own tokens have changed, in the browser",
  "src/providers/sandbox/SimulatorMemory.ts": "who holds a lease, among rows in memory",
  "src/treasury/escrow/EscrowPayoutMemory.ts": "who holds a lease, among rows in memory",
  "src/webhooks/delivery/DeliveryQueueMemory.ts": "who holds a lease, among rows in memory",
  "src/providers/sandbox/SimulatorCustomer.ts": "the password of the simulator, which docs/first-payment.md names",
  "src/providers/coinbase/CoinbaseSignatures.ts": "whether our own setting is whole base64",
  "src/platform/idempotency/Idempotency.ts": "keyed digests of two bodies of one caller",
  "src/platform/backup/BackupFile.ts": "whether a backup is whole: its digest stands in the file itself",
  "src/people/auth/CallerStore.ts": "SHA-256 of keys: a caller cannot choose how they begin",
  "src/people/auth/CallerMemory.ts": "SHA-256 of keys: a caller cannot choose how they begin",
  "src/people/members/MemberMemory.ts": "SHA-256 of tokens: a caller cannot choose how they begin"
}

const found = files.flatMap((file) =>
  linesOf(file).flatMap((line) => {
    const code = line.replace(/\/\/.*|^\s*\*.*|^\s*\/\*\*.*/, "").replaceAll(/"[^"]*"/g, '""')
    const hit = comparison.exec(code)
    const other = hit?.[1] ?? hit?.[2] ?? ""
    return hit === null || harmless.test(other) || harmless.test(hit[0]) ? [] : [`${file}: ${hit[0].trim()}`]
  })
)

const fileIn = (hit: string): string => hit.split(": ", 1)[0]!

describe("comparisons of secrets", () => {
  it("are detected", () => {
    expect(files.length).toBeGreaterThan(300)
    for (const line of ["given !== expectedSignature", "if (row.token === token)", "headers.secret === wanted"]) {
      expect(comparison.test(line), line).toBe(true)
    }
  })

  it("use === only in known safe places", () => {
    expect(found.filter((hit) => known[fileIn(hit)] === undefined)).toEqual([])
  })

  it("have no needless exception", () => {
    const excused = new Set(found.map(fileIn))
    expect(Object.keys(known).filter((file) => !excused.has(file))).toEqual([])
  })

  it("of provider proofs are in one class, in constant time", () => {
    const makers = files.filter((file) => /new (Check|Proof)\(/.test(readFileSync(file, "utf8")))
    expect(makers).toEqual(["src/providers/port/Callback.ts"])
    expect(readFileSync(makers[0]!, "utf8")).toContain("timingSafeEqual(a, b)")
  })

  it("check the length first, since timingSafeEqual throws otherwise", () => {
    const users = files.flatMap((file) =>
      linesOf(file)
        .filter((line) => /timingSafeEqual\(/.test(line))
        .map((line) => `${file}: ${line.trim()}`)
    )
    expect(users.length).toBeGreaterThan(4)
    // Both sides of a cursor's tag are cut to the same length.
    const unmeasured = users.filter(
      (line) => !/length === /.test(line) && !line.startsWith("src/platform/pagination/Pagination.ts")
    )
    expect(unmeasured).toEqual([])
  })
})
