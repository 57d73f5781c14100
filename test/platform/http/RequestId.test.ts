import { expect, it } from "vitest"
import { requestId } from "../../../src/platform/http/Exchange.ts"

const fresh = () => "fresh"

it.each(["a", "A-Z_0.9", "0198e123-aaaa-7bbb-8ccc-0123456789ab", "x".repeat(128)])(
  "keeps the caller's %s",
  (header) => {
    expect(requestId(header, fresh)).toBe(header)
  }
)

it.each([undefined, "", "x".repeat(129), "a b", "a\n", "a,b", "é", "<script>", '"'])("replaces %j", (header) => {
  expect(requestId(header, fresh)).toBe("fresh")
})
