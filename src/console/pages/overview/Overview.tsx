import { call } from "../../api/Api.ts"
import { Awaited } from "../../parts/Awaited.tsx"
import { Card } from "../../parts/Card.tsx"
import { Page } from "../../parts/Page.tsx"
import { useLoad } from "../../state/Load.ts"
import { chosenOrg, may, ofOrg, orgId, session } from "../../state/Session.ts"
import { HealthCards } from "../providers/HealthCards.tsx"
import { Balances } from "./Balances.tsx"
import { byUse } from "./ByUse.ts"
import { Figures, type TrendsData } from "./Figures.tsx"
import { Latest } from "./Latest.tsx"
import { Trends } from "./Trends.tsx"
import { Welcome } from "./Welcome.tsx"

/** Of one organisation, or for a platform admin of all of them together. */
const loadTrends = async (org: string | undefined, signal: AbortSignal) =>
  org === undefined
    ? call("analytics", "trends", {}, { signal })
    : call("analytics", "organizationTrends", { path: { org_id: org } }, { signal })

/** The trends do not count by currency: the latest payments say which ones are in use. */
const LATEST = 50

const loadUse = async (signal: AbortSignal): Promise<ReadonlyArray<string>> => {
  if (!may("transactions")) return [session.value?.organization?.currency ?? ""]
  const urlParams = { ...ofOrg(), status: "completed" as const, limit: LATEST }
  const { data } = await call("payments", "transactions", { urlParams }, { signal })
  return data.map(({ currency }) => currency)
}

const loadNumbers = async (org: string | undefined, signal: AbortSignal): Promise<TrendsData> => {
  const [{ data }, used] = await Promise.all([loadTrends(org, signal), loadUse(signal)])
  return { ...data, totals: { ...data.totals, volume: byUse(data.totals.volume, used) } }
}

const Numbers = () => {
  const org = orgId.value
  const loaded = useLoad((signal) => loadNumbers(org, signal), [org])
  return (
    <Awaited loaded={loaded}>
      {(trends) => (
        <>
          <Figures trends={trends} />
          <Trends trends={trends} />
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
