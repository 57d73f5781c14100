/** The names that the run's set-up and the test files agree on. */
export const TEMPLATE = "corridor_template"

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
  }
}
