/** What axe-core finds wrong on a page as it stands. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { desktop } from "./Chromium.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/**
 * Colours are the same at every width, and take the longest to look at. What is in order need not be told, nor by which
 * selectors it is found: that takes longer than to look.
 */
const violations = (
  width: number,
  without: ReadonlyArray<string>
) => `axe.run({ exclude: ${JSON.stringify(without)} }, {
  resultTypes: ["violations"],
  selectors: false,
  preload: false,
  rules: { "color-contrast": { enabled: ${width === desktop.width} } }
}).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).slice(0, 3).join(" | "))
)`

/** By the debugger's own way, since a page's policy may let no other script in. */
export const breaches = async (
  page: Page,
  width: number,
  without: ReadonlyArray<string> = []
): Promise<ReadonlyArray<string>> => {
  if (!(await page.evaluate<boolean>("'axe' in window"))) {
    const session = await page.context().newCDPSession(page)
    await session.send("Runtime.evaluate", { expression: axe })
    await session.detach()
  }
  return page.evaluate<ReadonlyArray<string>>(violations(width, without))
}
