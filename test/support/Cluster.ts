/** The names that the run's set-up and the test files agree on. */
import { randomUUID } from "node:crypto"

export const TEMPLATE = "corridor_template"

/** Of node, as `npm start` has them. */
export const SERVER_FLAGS = ["--max-semi-space-size=32", "--heap-growing-percent=60"]

export const urlOfDatabase = (clusterUrl: string, name: string): string => {
  const url = new URL(clusterUrl)
  url.pathname = `/${name}`
  return url.toString()
}

declare module "vitest" {
  interface ProvidedContext {
    readonly clusterUrl: string
    /** Where the service of today is built, as it would be in `dist`. */
    readonly bundle: string
    /** With a cluster whose database is migrated, and that nobody runs: to be copied. */
    readonly dataFolder: string
  }
}

/** In letters: digits in a row may look like a card, which no output shows. */
export const databaseName = (prefix: string): string =>
  `${prefix}_${randomUUID()
    .replaceAll("-", "")
    .replaceAll(/\d/g, (digit) => "ghijklmnop"[Number(digit)]!)}`
