/** The installed Chromium, for tests of pages. */
import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"

export const chromiumPath: string | undefined = [
  process.env["CHROMIUM_PATH"],
  // Takes two thirds of the time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
].find((path) => path !== undefined && path !== "" && existsSync(path))

/** Title of suites that are skipped without a browser. */
export const chromiumNeeded = "needs Chromium (CHROMIUM_PATH or /usr/bin/chromium)"

export const launchChromium = (): Promise<Browser> => {
  if (chromiumPath === undefined) throw new Error(`No browser found: this ${chromiumNeeded}.`)
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ]
  })
}

export const desktop = { width: 1280, height: 800 }
export const phone = { width: 375, height: 740 }

/** Looks at a page in both sizes and restores the first. */
export const inBothSizes = async (page: Page, look: (width: number) => Promise<void>): Promise<void> => {
  const before = page.viewportSize() ?? phone
  for (const size of [desktop, phone]) {
    await page.setViewportSize(size)
    await look(size.width)
  }
  await page.setViewportSize(before)
}

export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth")
