import { call } from "../../api/Api.ts"
import { Awaited } from "../../parts/Awaited.tsx"
import { Card } from "../../parts/Card.tsx"
import { Page } from "../../parts/Page.tsx"
import { useLoad } from "../../state/Load.ts"
import { chosenOrg, may, orgId, session } from "../../state/Session.ts"
import { HealthCards } from "../providers/HealthCards.tsx"
import { Balances } from "./Balances.tsx"
import { Figures } from "./Figures.tsx"
import { Latest } from "./Latest.tsx"
import { Trends } from "./Trends.tsx"
import { Welcome } from "./Welcome.tsx"

/** Of one organisation, or for a platform admin of all of them together. */
const loadTrends = async (org: string | undefined, signal: AbortSignal) =>
  org === undefined
    ? call("analytics", "trends", {}, { signal })
    : call("analytics", "organizationTrends", { path: { org_id: org } }, { signal })

const Numbers = () => {
  const org = orgId.value
  const loaded = useLoad((signal) => loadTrends(org, signal), [org])
  return (
    <Awaited loaded={loaded}>
      {({ data }) => (
        <>
          <Figures trends={data} />
          <Trends trends={data} />
        </>
      )}
    </Awaited>
  )
}

export const Overview = () => {
  const org = orgId.value
  const name = session.value?.organization?.name ?? "All organisations"
  return (
    <Page title="Overview" lead={name}>
      {may("operations") ? (
        <>
          <Numbers />
          <div class="columns">
            {org !== undefined && <Balances org={org} />}
            {may("transactions") && <Latest />}
          </div>
          {may("platform") && chosenOrg.value === undefined && (
            <Card title="Providers in the last hour">
              <HealthCards />
            </Card>
          )}
        </>
      ) : (
        <Welcome name={name} />
      )}
    </Page>
  )
}
