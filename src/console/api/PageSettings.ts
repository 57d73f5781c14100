/** Settings that the server wrote into the page, for the time before anybody is signed in. */

/** Identity provider that people sign in at. */
export interface ProviderSettings {
  readonly issuer: string
  readonly clientId: string
  readonly scope: string
  readonly audience: string
  readonly audienceParameter: "resource" | "audience" | "none"
}

interface PageSettings {
  readonly mode: "sandbox" | "live"
  readonly provider?: ProviderSettings
}

export const { mode, provider } = JSON.parse(document.getElementById("console")!.dataset["settings"]!) as PageSettings

/** Live mode takes pasted keys and tokens only without an identity provider to sign in at. */
export const takesPasted = provider === undefined || mode === "sandbox"
