/** Accessibility problems that axe-core finds on a page. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { desktop } from "./Chromium.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Checks colours at one width only and omits passed rules and selectors: both are slow. */
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

/** Injected by the debugger, because the page's policy forbids other scripts. */
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
