import { execFileSync } from "node:child_process"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { curlExample } from "../../../src/contract/docs/CurlExample.ts"
import type { OpenApiDocument } from "../../../src/contract/docs/OpenApiDocument.ts"
import { outlineOf } from "../../../src/contract/docs/Outline.ts"
import { shellQuote, shellVariable } from "../../../src/contract/docs/ShellQuote.ts"
import { handmade } from "./Documents.ts"

/** What the program would receive, as the shell itself reads the command. */
const argumentsOf = (command: string, variables: Readonly<Record<string, string>> = {}): ReadonlyArray<string> =>
  execFileSync("/bin/sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${command}`], { env: variables, encoding: "utf8" })
    .split("\0")
    .slice(0, -1)

const commandFor = (document: OpenApiDocument, path: string): string => {
  const entry = outlineOf(document)
    .tags.flatMap((tag) => tag.operations)
    .find((operation) => operation.path === path)
  if (entry === undefined) throw new Error(`No operation at ${path}`)
  return curlExample(document, entry)
}

describe("curlExample", () => {
  it("sends both authentication headers and the example as it stands", () => {
    const received = argumentsOf(commandFor(handmade, "/payments-init/initiate"), { CORRIDOR_API_KEY: "ck_test_1 2" })
    expect(received.slice(0, 3)).toEqual(["-X", "POST", "https://api.example.com/v1/payments-init/initiate?mode=fast"])
    expect(received.slice(3, 9)).toEqual([
      "-H",
      "Authorization: NONE",
      "-H",
      "X-Api-Key: ck_test_1 2",
      "-H",
      "Content-Type: application/json"
    ])
    expect(received[9]).toBe("--data-raw")
    expect(received[10]).toContain('"amount": 1500.00')
    expect(JSON.parse(received[10] ?? "")).toMatchObject({ amount: 1500, description: "Ada's order" })
  })

  it("fills the path from examples and leaves the rest to variables", () => {
    const path = "/organizations/{org_id}/a-rather-long-path-segment/{member_id}/permissions/{permission}"
    const received = argumentsOf(commandFor(handmade, path), { MEMBER_ID: "m 1", PERMISSION: "payouts" })
    expect(received.slice(0, 3)).toEqual([
      "-X",
      "DELETE",
      "https://api.example.com/v1/organizations/org%2F1/a-rather-long-path-segment/m 1/permissions/payouts"
    ])
  })

  it("sends no credential where none is needed", () => {
    expect(commandFor(handmade, "/readyz")).toBe("curl 'https://api.example.com/v1/readyz'")
  })

  it("survives the shell whatever an example holds", () => {
    const text = fc.fullUnicodeString().filter((value) => !value.includes("\0"))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (words) => {
        expect(argumentsOf(`curl ${words.map(shellQuote).join(" ")}`)).toEqual(words)
      }),
      { numRuns: 40 }
    )
    const hostile = ["'; touch /tmp/x; '", "$(id)", "`id`", "\\", "!!", "\n", '"', "''"]
    expect(argumentsOf(`curl ${hostile.map(shellQuote).join(" ")}`)).toEqual(hostile)
  })

  it("names variables that a shell accepts, whatever the parameter is called", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString(), (name) => {
        expect(shellVariable(name).variable).toMatch(/^[A-Z_][A-Z0-9_]*$/)
      })
    )
    expect(shellVariable("accountId").variable).toBe("ACCOUNT_ID")
  })
})
