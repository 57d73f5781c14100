/** Names shared by the global setup and the test files. */
import { randomUUID } from "node:crypto"

export const TEMPLATE = "corridor_template"

/** Node flags of `npm start`. */
export const SERVER_FLAGS = ["--max-semi-space-size=8", "--heap-growing-percent=60", "--no-memory-reducer"]

export const urlOfDatabase = (clusterUrl: string, name: string): string => {
  const url = new URL(clusterUrl)
  url.pathname = `/${name}`
  return url.toString()
}

declare module "vitest" {
  interface ProvidedContext {
    readonly clusterUrl: string
    /** Folder of the build, like `dist`. */
    readonly bundle: string
    /** Data folder with a migrated, stopped cluster, to be copied. */
    readonly dataFolder: string
  }
}

/** Letters only: digits could look like a card number, which logs mask. */
export const databaseName = (prefix: string): string =>
  `${prefix}_${randomUUID()
    .replaceAll("-", "")
    .replaceAll(/\d/g, (digit) => "ghijklmnop"[Number(digit)]!)}`
