import type { ComponentChildren } from "preact"
import { Page } from "../../parts/Page.tsx"
import { Tabs } from "../../parts/Tabs.tsx"
import { may } from "../../state/Session.ts"
import { Configs } from "./Configs.tsx"
import { HealthCards } from "./HealthCards.tsx"
import { RoutePreview } from "./RoutePreview.tsx"

const tabs = [
  ["preview", "Route preview"],
  ["configs", "Configurations"],
  ["health", "Health"]
] as const

const contents: Readonly<Record<string, () => ComponentChildren>> = {
  configs: () => <Configs />,
  health: () => <HealthCards />
}

/** Whoever is no platform admin sees where their payments would go, and not who is arranged for whom. */
export const Providers = ({ tab }: { readonly tab: string }) => {
  const content = may("platform") ? contents[tab] : undefined
  return (
    <Page title="Providers" lead="Who is asked, in which order, and why.">
      {may("platform") && (
        <Tabs name="Providers" tabs={tabs.map(([path, words]) => [`#/providers/${path}`, words, tab === path])} />
      )}
      {content === undefined ? <RoutePreview /> : content()}
    </Page>
  )
}
