import { Page } from "../../parts/Page.tsx"
import { Tabs } from "../../parts/Tabs.tsx"
import { may, orgId } from "../../state/Session.ts"
import { Deliveries } from "./Deliveries.tsx"
import { Endpoints } from "./Endpoints.tsx"
import { NewEndpoint } from "./NewEndpoint.tsx"
import { SendTest } from "./SendTest.tsx"
import { Tail } from "./Tail.tsx"

const tabs = [
  ["endpoints", "Endpoints"],
  ["deliveries", "Deliveries"],
  ["tail", "Live events"]
] as const

export const Webhooks = ({ tab }: { readonly tab: string }) => (
  <Page
    title="Webhooks"
    lead="Every event is signed, and sent again until your server takes it."
    actions={
      may("webhooks") && tab === "endpoints" ? (
        <>
          {orgId.value !== undefined && <SendTest org={orgId.value} />}
          <NewEndpoint />
        </>
      ) : undefined
    }
  >
    {may("webhook_log") && (
      <Tabs name="Webhooks" tabs={tabs.map(([path, words]) => [`#/webhooks/${path}`, words, tab === path])} />
    )}
    {tab === "deliveries" ? <Deliveries /> : tab === "tail" ? <Tail /> : <Endpoints />}
  </Page>
)
