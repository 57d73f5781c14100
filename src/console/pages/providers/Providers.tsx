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

/** Whoever is no platform admin sees where their payments would go, and not who is arranged for whom. */
export const Providers = ({ tab }: { readonly tab: string }) => (
  <Page title="Providers" lead="Who is asked, in which order, and why.">
    {may("platform") && (
      <Tabs name="Providers" tabs={tabs.map(([path, words]) => [`#/providers/${path}`, words, tab === path])} />
    )}
    {tab === "configs" ? <Configs /> : tab === "health" ? <HealthCards /> : <RoutePreview />}
  </Page>
)
